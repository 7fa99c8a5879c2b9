"""The 21 games as declared: keys, start positions, names."""

import subprocess
import sys

import pytest

from damludo.rules.notation import format_placement
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Jump
from damludo.rules.variants import VARIANTS, variant

KEYS = [
    "english", "anti", "czech", "corner", "oneway", "parachute", "gothic", "turkish", "alquerque", "hawaiian", "international",
    "russian", "canadian", "thai", "brazilian", "portuguese", "italian", "dameo", "armenian", "damludo", "esperanto",
]  # fmt: skip

DISCS = {
    "gothic": 16, "turkish": 16, "armenian": 16, "hawaiian": 32, "international": 20, "canadian": 30, "thai": 8, "dameo": 18,
}  # fmt: skip


def test_the_games_come_in_the_order_of_the_command_line() -> None:
    assert list(VARIANTS) == KEYS
    assert all(key == game.key for key, game in VARIANTS.items())


@pytest.mark.parametrize("key", KEYS)
def test_both_sides_start_with_equal_forces(key: str) -> None:
    start = variant(key).start
    for colour in Colour:
        discs = sum(start.at(square).colour is colour for square in range(len(start.cells)))
        assert discs == DISCS.get(key, 12)


@pytest.mark.parametrize("key", KEYS)
def test_every_game_has_names_and_rules(key: str) -> None:
    game = variant(key)
    assert set(game.names) == {"en", "eo", "sl"}
    assert all(game.names.values())
    assert len(game.rules) >= 2
    assert all(rule.endswith(".") for rule in game.rules)


@pytest.mark.parametrize("key", sorted({"english", "anti", "gothic", "thai"}))
def test_black_or_white_begins_as_the_sources_say(key: str) -> None:
    assert variant(key).start.side is (Colour.WHITE if key == "thai" else Colour.BLACK)


def test_the_start_positions_of_the_corner_games() -> None:
    assert (
        format_placement(variant("corner"), variant("corner").start)
        == "1b1b1b2/b1b1b3/1b1b3w/b1b3w1/1b3w1w/b3w1w1/3w1w1w/2w1w1w1 w"
    )
    assert (
        format_placement(variant("dameo"), variant("dameo").start)
        == "bbbbbbbb/1bbbbbb1/2bbbb2/8/8/2wwww2/1wwwwww1/wwwwwwww w"
    )


FLYING = {
    "czech", "corner", "oneway", "parachute", "turkish", "international", "russian", "canadian", "thai", "brazilian",
    "portuguese", "dameo", "armenian", "damludo", "esperanto",
}  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_kings_fly_in_the_games_where_they_do(key: str) -> None:
    king = variant(key).movers.get(Kind.KING)
    jumps: tuple[Jump, ...] = king.jumps if king else ()
    assert any(jump.from_afar for jump in jumps) == (key in FLYING)
    assert (king is not None and king.far_steps) == (key in FLYING)


def test_the_games_load_without_numpy_and_fast() -> None:
    """`damludo --help` and `damludo games` must answer at once."""
    code = (
        "import sys, time; t = time.process_time(); import damludo.rules.variants; "
        "print(time.process_time() - t, 'numpy' in sys.modules, 'cv2' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(3)
    ]
    assert {tuple(run[1:]) for run in runs} == {("False", "False")}
    assert min(float(run[0]) for run in runs) < 0.15  # 0.05 s measured; the rest is room for a slow machine
