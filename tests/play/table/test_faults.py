"""Camera faults in a simulated game: each is suffered, survived without help, and no ply is wrong."""

import pytest

from damludo.play.cli import main
from damludo.play.console import CommandError
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.table.faults import FAULTS, PlannedFault, parse_faults
from damludo.play.table.humans import parse_human
from damludo.play.table.simulated import SimulationOptions, seated_game
from damludo.rules.variants import variant


def test_faults_are_read_in_the_order_of_their_plies() -> None:
    assert parse_faults("camera-torn@ply9, camera-stuck@ply0", 1) == (
        PlannedFault("camera-stuck", 0),
        PlannedFault("camera-torn", 9),
    )
    drawn = parse_faults("random:5", 1)
    assert drawn == parse_faults("random:5", 1)
    assert drawn != parse_faults("random:5", 2)
    assert len(drawn) == 5


@pytest.mark.parametrize("text", ["camera-torn", "camera-torn@9", "camera-lost@ply1", "random:0", "random:x", "@ply1"])
def test_what_is_no_fault_is_told_with_the_names(text: str) -> None:
    with pytest.raises(CommandError, match="camera-unplugged"):
        parse_faults(text, 1)


def test_modelled_readings_have_no_camera_to_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--camera", "readings", "--faults", "camera-torn@ply1"]) == 2
    assert "no camera that could fail" in capsys.readouterr().err


class Enough(Exception):
    """As many plies were made as are of interest."""


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_game_goes_on_over_each_fault_and_no_ply_is_wrong(name: str) -> None:
    """The fault begins when the machine is to move, so that its own move has to be seen through it."""
    options = SimulationOptions(
        variant("english"), 7, parse_human("random+fast"), 1, faults=(PlannedFault(name, 1), PlannedFault(name, 2))
    )
    with seated_game(options, 1) as seated:
        told: list[EventKind] = []

        def hear(event: MatchEvent) -> None:
            told.append(event.kind)
            if len(seated.match.game.moves) == 4:
                raise Enough

        seated.listeners.append(hear)
        with pytest.raises(Enough):
            seated.match.run()
        score = seated.keeper.finish()
        assert (score.wrong_plies, score.false_penalties, score.crushed, score.double_steps) == (0, 0, 0, 0)
        assert EventKind.ILLEGAL not in told
        assert seated.suffering is not None
        counts = seated.suffering.told()[name]
        assert counts["begun"] == 2
        assert counts["pictures"] > 0
