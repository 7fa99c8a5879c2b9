"""What one match is about: the game, the table, the clocks, the rules that the players agreed on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from damludo.engine.port import Player
from damludo.play.match.choreography import Racks
from damludo.play.match.events import JsonValue
from damludo.play.match.setting_up import CutOff
from damludo.play.match.timekeeping import TimeControl
from damludo.play.match.touching import TouchRule
from damludo.robot.places import TableLayout
from damludo.rules.game import Game
from damludo.rules.position import Colour


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What one match is about.

    Attributes:
        game: the game at its first position (or any other that stands on the board).
        machine: the side the machine plays.
        layout: where squares and racks are.
        racks: discs that lie in the racks at the start.
        patience_s: a match that saw no progress for this long ends unfinished (0: waits for ever).
        time: the clocks; None: no clock.
        player_of: gives the machine's player at another level; None: the level cannot be changed.
        adviser: chooses the move of a hint; None: the machine's own player.
        level: of the machine, for people; 0 if it has none.
        touch: the touch rule.
        look_anew: as in `Lookout`.
        cut_off: of a game that goes on; None for one that begins.
        about: what else the journal tells of the table.
        earlier: what was played before a person set the position that `game` begins with.
    """

    game: Game
    machine: Colour
    layout: TableLayout
    racks: Racks
    patience_s: float = 0.0
    time: TimeControl | None = None
    player_of: Callable[[int], Player] | None = None
    adviser: Player | None = None
    level: int = 0
    touch: TouchRule = field(default_factory=TouchRule)
    look_anew: Callable[[], None] = lambda: None
    cut_off: CutOff | None = None
    about: Mapping[str, JsonValue] = field(default_factory=dict)
    earlier: tuple[Game, ...] = ()
