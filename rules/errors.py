"""Errors of the rules. An illegal move of a player is not one: it is a verdict.

RulesError
├── UnknownGame          no game has this key
├── BadPosition          a FEN or placement cannot be read, or breaks a limit
├── BadMove              a move's text cannot be read
├── BadRecord            a file of games breaks a limit
├── NoSuchSquare         a name or number is not a square of the board
├── UnknownLanguage      no catalogue has this language
├── BadCatalogue         a message catalogue cannot be read
└── IllegalMove          a program (not a player) asked to make a move that is not legal
"""


class RulesError(Exception):
    """Root of the errors of `damludo.rules`."""


class UnknownGame(RulesError):
    """No game has this key."""


class BadPosition(RulesError):
    """A FEN or placement cannot be read, or breaks a limit."""


class BadMove(RulesError):
    """A move's text cannot be read."""


class BadRecord(RulesError):
    """A file of games breaks a limit."""


class NoSuchSquare(RulesError):
    """A name or number is not a square of the board."""


class UnknownLanguage(RulesError):
    """No catalogue has this language."""


class BadCatalogue(RulesError):
    """A message catalogue cannot be read: a fault of ours or of a translator."""


class IllegalMove(RulesError):
    """A program asked to make a move that is not legal."""
