"""The worth of a position as it stands, without looking ahead."""

from collections.abc import Callable
from functools import cache

from damludo.engine.memory import Searcher
from damludo.rules.position import Position
from damludo.rules.traits import Variant


@cache
def evaluation_of(variant: Variant) -> Callable[[Position], int]:
    """Return the evaluation of a game: the worth of a position for the side to move, in hundredths of a man."""
    return Searcher(variant, compiled=False).evaluate
