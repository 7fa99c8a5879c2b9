"""What is seen beside a hand: clear readings count, doubtful ones do not."""

from collections.abc import Callable

import numpy as np

from damludo.vision.change import PatchSampler
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.glimpse import Glimpses, changed_beside
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
A1, C3, D4 = 0, 18, 27


def table(**leads: float) -> np.ndarray:
    """Log-likelihoods in which "empty" leads by so many nats on c3 and d4."""
    found = np.zeros((64, 5))
    found[C3, 0], found[D4, 0] = leads["c3"], leads["d4"]
    return found


def test_a_place_counts_when_it_clearly_holds_something_else(start: Board) -> None:
    seen = Glimpses()
    for number, leads in enumerate([{"c3": 15.0, "d4": -15.0}, {"c3": 5.0, "d4": -5.0}, {"c3": 12.0, "d4": 12.0}]):
        seen.note(table(**leads), [C3, D4], start, number, 0.1 * number)
    assert (seen.emptied[C3].frames, seen.emptied[C3].first, seen.emptied[C3].last) == (2, 0, 2)
    assert (seen.filled[D4].frames, seen.filled[D4].first_s) == (1, 0.0)
    seen.clear()
    assert not seen.emptied
    assert not seen.filled


def test_only_changed_places_beside_the_hand_are_looked_at(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    sampler = PatchSampler(view_from_above)
    after = draw(start | {A1: Content.EMPTY, C3: Content.EMPTY, D4: Content.WHITE_MAN}, seed=1)
    patches = [sampler.sample(image) for image in (draw(start), after)]
    covered = np.zeros(64, dtype=np.bool_)
    covered[A1] = True
    assert changed_beside(patches[0], patches[1], sampler.grid, covered, start) == [C3, D4]
    covered[:] = True
    assert changed_beside(patches[0], patches[1], sampler.grid, covered, start) == []


def test_what_was_seen_often_enough_is_not_looked_at_again(start: Board) -> None:
    seen = Glimpses()
    for number in range(5):
        seen.note(table(c3=20.0, d4=0.0), [C3], start, number, 0.1 * number)
    assert seen.open([C3, D4]) == [C3, D4]
    seen.note(table(c3=20.0, d4=0.0), [C3], start, 5, 0.5)
    assert seen.open([C3, D4]) == [D4]
