"""`damludo games` tells what the games are."""

import json

import pytest

from damludo.play.cli import main
from damludo.rules.variants import variant

KEYS = (
    "english anti czech corner oneway parachute gothic turkish alquerque hawaiian international russian canadian thai "
    "brazilian portuguese italian dameo armenian damludo esperanto"
)


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["games", *words]) == 0
    return capsys.readouterr().out


def test_all_games_are_listed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert " ".join(game["key"] for game in json.loads(_run(capsys, "--json"))) == KEYS


def test_one_game_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    game = json.loads(_run(capsys, "italian", "--json"))

    assert list(game) == [
        "key",
        "name",
        "names",
        "columns",
        "rows",
        "squares",
        "pieces_per_side",
        "first",
        "pdn_game_type",
        "source",
        "rules",
    ]
    assert (game["columns"], game["rows"], game["squares"], game["pieces_per_side"]) == (8, 8, 32, 12)
    assert (game["first"], game["pdn_game_type"]) == ("white", "22,W,8,8,N2,1")
    assert set(game["names"]) == {"en", "eo", "sl"}


@pytest.mark.parametrize(
    ("key", "pieces"), [("english", 12), ("dameo", 18), ("hawaiian", 32), ("thai", 8), ("alquerque", 12)]
)
def test_pieces_of_one_side_are_counted(key: str, pieces: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(_run(capsys, key, "--json"))["pieces_per_side"] == pieces


def test_the_table_has_a_line_for_each_game(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _run(capsys).splitlines()

    assert " ".join(line.split()[0] for line in lines[1:22]) == KEYS
    assert "Alquerque" in lines[9]
    assert max(map(len, lines)) <= 140


def test_the_page_of_a_game_shows_board_rules_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    page = _run(capsys, "alquerque")

    assert "  3 b b . w w 3" in page
    assert "\n- Capturing is compulsory" in page
    assert "\nSource: " in page


@pytest.mark.parametrize("key", KEYS.split())
def test_every_page_lists_all_rules_with_their_source(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, game = _run(capsys, key), variant(key)
    lines = page.splitlines()

    assert [line[2:] for line in lines if line.startswith("- ")] == [
        *game.rules,
        *(draw.article for draw in game.draws),
    ]
    assert lines[-1] == f"Source: {game.source}"
    assert all(name in lines[0] for name in game.names.values())


def test_the_rules_are_read_in_other_languages(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\n- Kapti estas devige;" in _run(capsys, "alquerque", "--language", "eo")
    assert "\n- Jemanje je obvezno;" in _run(capsys, "alquerque", "--language", "sl")
