"""Lines out: what the controller cannot take is not sent."""

from typing import Any

import pytest

from damludo.robot.conversation import Conversation
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import LineError


def test_a_line_that_the_controller_would_cut_is_not_sent(scripted: Any, clock: Any) -> None:
    """GRBL 1.1, `protocol.c`: a line fills at most 79 of the buffer's 80 characters."""
    longest = "G" * 79
    _, line = scripted(f"-> {longest}")
    talk = Conversation(line, GRBL, clock)
    talk.send(longest)
    with pytest.raises(LineError, match="80 characters is longer than the controller's 79; nothing was sent"):
        talk.send("G" * 80)
    assert (line.sent, talk.pending) == ([longest], 1)
