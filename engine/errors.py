"""Errors of the engine.

EngineError
├── GameOver       asked for a move where there is none
├── NoSuchLevel    the level is outside 1..10
├── BadHubLine     a line of the Hub protocol cannot be understood
├── BadMatch       a match that cannot be played as it was asked for
├── NoTables       the endgame tables say nothing about it
└── ForeignFailed  a foreign engine cannot be used any further
    ├── ForeignGone     it did not start, or its process ended
    ├── ForeignSilent   it did not answer in time
    └── ForeignIllegal  its answer is no legal move
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


class BadHubLine(EngineError):
    """A line of the Hub protocol cannot be understood."""


class BadMatch(EngineError):
    """A match cannot be played as it was asked for."""


class ForeignFailed(EngineError):
    """A foreign engine cannot be used any further."""


class ForeignGone(ForeignFailed):
    """It did not start, or its process ended."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"the engine {name} {why}; try its command in a terminal")


class ForeignSilent(ForeignFailed):
    """It did not answer in time."""

    def __init__(self, name: str, awaited: str, limit_s: float) -> None:
        super().__init__(f"the engine {name} did not answer with {awaited} within {limit_s:g} s")


class ForeignIllegal(ForeignFailed):
    """Its answer is no legal move."""

    def __init__(self, name: str, answer: str, position: str) -> None:
        super().__init__(f"the engine {name} answered {answer[:60]!r}, which is no legal move in {position}")
