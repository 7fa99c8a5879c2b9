"""Errors of the engine.

EngineError
├── GameOver       asked for a move where there is none
├── NoSuchLevel    the level is outside 1..10
└── NoTables       the endgame tables say nothing about it
"""


class EngineError(Exception):
    """Root of the errors of `damludo.engine`."""


class GameOver(EngineError):
    """A player was asked for a move where there is none."""

    def __init__(self) -> None:
        super().__init__("the game is over: the side to move has no legal move; start a new game")


class NoSuchLevel(EngineError):
    """The level does not exist."""

    def __init__(self, level: int, highest: int) -> None:
        super().__init__(
            f"level {level} does not exist; choose one from 1 (a child beats it) to {highest} (the strongest)"
        )
        self.level, self.highest = level, highest


class NoTables(EngineError):
    """There are no endgame tables for what was asked; the sentence says why."""
