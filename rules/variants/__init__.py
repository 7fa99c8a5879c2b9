"""The 21 games, in the order of the command line."""

import difflib
from collections.abc import Mapping

from damludo.rules.errors import UnknownGame
from damludo.rules.traits import Variant
from damludo.rules.variants.brazilian import BRAZILIAN
from damludo.rules.variants.damludo import DAMLUDO
from damludo.rules.variants.english import ENGLISH
from damludo.rules.variants.russian import RUSSIAN

VARIANTS: Mapping[str, Variant] = {
    game.key: game
    for game in (
        ENGLISH,
        RUSSIAN,
        BRAZILIAN,
        DAMLUDO,
    )
}
"""The games by key."""


def variant(key: str) -> Variant:
    """Return the game of a key.

    Raises:
        UnknownGame: there is none; the message names the nearest key.
    """
    if key in VARIANTS:
        return VARIANTS[key]
    near = difflib.get_close_matches(key.lower()[:40], VARIANTS, n=1, cutoff=0.0)
    raise UnknownGame(f"there is no game {key[:40]!r}; did you mean {near[0]!r}? All games: {', '.join(VARIANTS)}")
