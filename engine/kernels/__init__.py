"""The fast part of the engine, written as plain Python against the constants of a game.

`damludo.engine.specialise` writes out one module for each game, with the game's constants as literals, and has it compiled;
without a compiler the same module runs as plain Python. So the code here keeps to whole numbers and flat tables.
"""
