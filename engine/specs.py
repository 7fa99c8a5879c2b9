"""Players by name, as the command line writes them: `level:3`, `damludo`, `random`, `hub:COMMAND`, `hub1:COMMAND`."""

from dataclasses import dataclass

from damludo.engine.errors import BadMatch
from damludo.engine.hub import PROTOCOLS, ForeignEngine, Patience
from damludo.engine.levels import LEVELS, player_of_level
from damludo.engine.port import Limits, Player
from damludo.engine.program import Report, silent
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta

FORMS = "level:1 to level:10, damludo, random, hub:COMMAND or hub1:COMMAND"


@dataclass(frozen=True, slots=True)
class Spec:
    """A player that can be made.

    Attributes:
        kind: the word before the colon.
        rest: what stands behind it.
    """

    kind: str
    rest: str = ""

    @property
    def timed(self) -> bool:
        """It plays by the limits of the match; levels have their own, chance needs none."""
        return self.kind not in ("level", "random")


def read_spec(text: str) -> Spec:
    """Return what a text means.

    Raises:
        BadMatch: it means no player.
    """
    kind, colon, rest = text.strip().partition(":")
    spec = Spec(kind, rest.strip())
    if kind in PROTOCOLS:
        if spec.rest:
            return spec
        raise BadMatch(f"{text!r} names no command; write {kind}:COMMAND, like 'hub:scan hub'")
    if kind == "level":
        if rest.isascii() and rest.isdigit() and 1 <= int(rest[:6]) <= len(LEVELS):
            return spec
        raise BadMatch(f"{text[:40]!r} is no level; there are level:1 to level:{len(LEVELS)}")
    if kind in ("damludo", "random") and not colon:
        return spec
    raise BadMatch(f"{text[:40]!r} is no player; write {FORMS}")


def player_of(
    spec: Spec, limits: Limits, seed: int, report: Report = silent, patience: Patience | None = None
) -> Player:
    """Return the player of a spec; one behind a protocol has a `close`."""
    if spec.kind in PROTOCOLS:
        return ForeignEngine(spec.rest, PROTOCOLS[spec.kind](), limits, patience)
    if spec.kind == "level":
        return player_of_level(int(spec.rest), seed)
    if spec.kind == "random":
        return RandomPlayer(seed)
    return AlphaBeta(limits, seed=seed, report=report)
