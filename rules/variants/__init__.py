"""The 21 games, in the order of the command line."""

from collections.abc import Mapping

from damludo.rules.errors import UnknownGame
from damludo.rules.traits import Variant
from damludo.rules.variants.alquerque import ALQUERQUE
from damludo.rules.variants.anti import ANTI
from damludo.rules.variants.armenian import ARMENIAN
from damludo.rules.variants.brazilian import BRAZILIAN
from damludo.rules.variants.canadian import CANADIAN
from damludo.rules.variants.corner import CORNER
from damludo.rules.variants.czech import CZECH
from damludo.rules.variants.dameo import DAMEO
from damludo.rules.variants.damludo import DAMLUDO
from damludo.rules.variants.english import ENGLISH
from damludo.rules.variants.esperanto import ESPERANTO
from damludo.rules.variants.gothic import GOTHIC
from damludo.rules.variants.hawaiian import HAWAIIAN
from damludo.rules.variants.international import INTERNATIONAL
from damludo.rules.variants.italian import ITALIAN
from damludo.rules.variants.oneway import ONEWAY
from damludo.rules.variants.parachute import PARACHUTE
from damludo.rules.variants.portuguese import PORTUGUESE
from damludo.rules.variants.russian import RUSSIAN
from damludo.rules.variants.thai import THAI
from damludo.rules.variants.turkish import TURKISH

VARIANTS: Mapping[str, Variant] = {
    game.key: game
    for game in (
        ENGLISH,
        ANTI,
        CZECH,
        CORNER,
        ONEWAY,
        PARACHUTE,
        GOTHIC,
        TURKISH,
        ALQUERQUE,
        HAWAIIAN,
        INTERNATIONAL,
        RUSSIAN,
        CANADIAN,
        THAI,
        BRAZILIAN,
        PORTUGUESE,
        ITALIAN,
        DAMEO,
        ARMENIAN,
        DAMLUDO,
        ESPERANTO,
    )
}
"""The games by key."""


def variant(key: str) -> Variant:
    """Return the game of a key.

    Raises:
        UnknownGame: there is none; the message names a key that is nearly the same, if there is one.
    """
    if key in VARIANTS:
        return VARIANTS[key]
    import difflib  # here, because it would take a quarter of the time the package needs to start

    near = difflib.get_close_matches(key.lower()[:40], VARIANTS, n=1)
    meant = f" did you mean {near[0]!r}?" if near else ""
    raise UnknownGame(f"there is no game {key[:40]!r};{meant} all games: {', '.join(VARIANTS)}")
