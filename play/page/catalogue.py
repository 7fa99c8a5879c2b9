"""What the page loads beside the state: the list of games, and its texts in each language."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from damludo.play.page.shown import board_json, position_json
from damludo.rules.messages import LANGUAGES, catalogue, read_catalogue
from damludo.rules.position import Colour
from damludo.rules.variants import VARIANTS

TEXTS = files("damludo.play.page") / "texts"
GAMES_FILE = files("damludo.play.page") / "games.toml"


class UnknownTexts(Exception):
    """There are no texts of that name."""


@cache
def games_json() -> list[dict[str, Any]]:
    """Return what the dialog for a new game shows of each game."""
    told = tomllib.loads(GAMES_FILE.read_text(encoding="utf-8"))
    return [
        {
            "key": game.key,
            "name": game.names["en"],
            "names": dict(game.names),
            "lines": list(told[game.key]["lines"]),
            "columns": game.board.columns,
            "rows": game.board.rows,
            "line_board": game.board.lines,
            "squares": board_json(game.board),
            "start": position_json(game, game.start.cells),
            "first": game.start.side.word,
            "men": sum(1 for code in game.start.cells if code) // len(Colour),
        }
        for game in VARIANTS.values()
    ]


@cache
def texts_json(language: str) -> dict[str, str]:
    """Return the sentences that a page shows, English -> the language: its own, the match's, and the law's that have one form.

    What they lack the page shows in English.

    Raises:
        UnknownTexts: it is none of the languages.
    """
    if language not in LANGUAGES:
        raise UnknownTexts(f"There are no texts in that language, only in {', '.join(LANGUAGES)}.")
    file = TEXTS / f"{language}.po"
    if not file.is_file():
        return {}
    law = catalogue(language).sentences
    page = read_catalogue(language, file.read_text(encoding="utf-8")).sentences
    return {english: forms[0] for english, forms in {**law, **page}.items() if len(forms) == 1}
