"""The guard of the arm: it waits for hands, and for the word of a person where the eyes are wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

from damludo.play.table.arm import HandGuard
from damludo.robot.guard import CarriageSight
from damludo.vision.content import Content
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading

SIGHT = CarriageSight(None, 0.0, False)


@dataclass
class ScriptedEyes:
    """Sees a hand or none, as told; the guard only looks."""

    hands: list[bool]

    def look(self, frame_rate_hz: float) -> Scene:
        hand = self.hands.pop(0)
        return Scene(0.0, 0, hand, not hand, not hand, False, 0.0, float(hand), 0.0)

    def read(self) -> BoardReading:
        raise AssertionError("the guard does not read")

    def believe(self, content: Mapping[int, Content]) -> None:
        raise AssertionError("the guard believes nothing")


def _answers(hands: list[bool], overruled: list[bool]) -> tuple[list[bool], list[bool]]:
    told: list[bool] = []
    guard = HandGuard(ScriptedEyes(list(hands)), told.append, lambda: overruled.pop(0))
    return [guard.clear(SIGHT) for _ in hands], told


def test_a_hand_is_waited_for_and_both_changes_are_told() -> None:
    assert _answers([False, True, True, False, False], [False] * 5) == ([True, False, False, True, True], [False, True])


def test_a_person_may_say_that_no_hand_is_there() -> None:
    assert _answers([True, True, True, True], [False, True]) == ([False, False, True, True], [False, True])


def test_the_word_holds_until_the_table_was_seen_clear() -> None:
    assert _answers([True, True, False, True, True], [True, False]) == (
        [False, True, True, False, False],
        [False, True, False],
    )
