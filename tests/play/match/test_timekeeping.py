"""The players' clocks."""

import pytest

from damludo.play.console import CommandError
from damludo.play.match.timekeeping import GameClock, TimeControl, parse_time_control
from damludo.rules.position import Colour

W, B = Colour.WHITE, Colour.BLACK


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("off", None),
        ("5", TimeControl(300.0)),
        ("10+5", TimeControl(600.0, 5.0)),
        ("600+600", TimeControl(36000.0, 600.0)),
    ],
)
def test_a_time_control_is_minutes_and_seconds_a_move(text: str, control: TimeControl | None) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize("text", ["", "0", "0+5", "601", "5+601", "-5", "5+", "5 + 3", "+3", "1e9", "٥", "5+3+1"])
def test_what_means_nothing_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(CommandError, match=r"like 10\+5"):
        parse_time_control(text)


def test_only_the_side_to_move_loses_time_and_gets_its_increment() -> None:
    clock = GameClock(TimeControl(60.0, 2.0))
    clock.start(W, 100.0)
    assert (clock.left_s(W, 110.0), clock.left_s(B, 110.0)) == (50.0, 60.0)
    clock.moved(W, 110.0)
    assert (clock.left_s(W, 130.0), clock.left_s(B, 130.0), clock.running) == (52.0, 60.0, None)


def test_a_pause_is_nobodys_time() -> None:
    clock = GameClock(TimeControl(60.0))
    clock.start(W, 0.0)
    clock.pause(10.0)
    clock.start(W, 50.0)
    assert clock.left_s(W, 55.0) == 45.0


def test_taking_back_gives_the_time_back() -> None:
    clock = GameClock(TimeControl(60.0))
    for side, at in ((W, 10.0), (B, 20.0), (W, 35.0)):
        clock.start(side, at)
        clock.moved(side, at + 5.0)
    clock.take_back(2)
    assert (clock.left_s(W, 99.0), clock.left_s(B, 99.0)) == (55.0, 60.0)
    clock.take_back(9)
    assert (clock.left_s(W, 99.0), clock.left_s(B, 99.0)) == (60.0, 60.0)


def test_without_a_clock_nothing_runs_and_nothing_is_shown() -> None:
    clock = GameClock(None)
    clock.start(W, 0.0)
    assert (clock.running, clock.as_json(99.0)) == (None, None)


def test_what_is_shown_names_the_side_whose_time_runs() -> None:
    clock = GameClock(TimeControl(60.0))
    clock.start(B, 0.0)
    assert clock.as_json(1.25) == {"white_s": 60.0, "black_s": 58.8, "running": "black"}
