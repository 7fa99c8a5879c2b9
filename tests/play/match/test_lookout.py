"""Looking and waiting, with eyes that show what they are told to."""

from typing import Any

from damludo.play.match.lookout import Lookout
from damludo.play.match.orders import OrderTray
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock, World
from damludo.vision.motion import Scene


class ScriptedEyes:
    """Eyes whose scenes are quiet, or show a hand, in turn."""

    def __init__(self, quiet: list[bool]) -> None:
        self.left = quiet

    def look(self, frame_rate_hz: float) -> Scene:
        quiet = self.left.pop(0)
        return Scene(0.0, 0, not quiet, quiet, quiet, False, 0.0, float(not quiet), 0.0)


def test_a_board_is_quiet_after_three_quiet_pictures_in_a_row() -> None:
    """Of fewer the eyes cannot tell which discs were touched."""
    eyes: Any = ScriptedEyes([False, True, True, False, True, True, True, True])
    board = variant("damludo").board
    lookout = Lookout(eyes, LockstepClock(World()), OrderTray(), lambda _: None, board, patience_s=0.0)
    lookout.wait_for_quiet()
    assert eyes.left == [True]
