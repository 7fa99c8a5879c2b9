"""The simulated board under a program of our own, so that a mistake of the board is not taken for one of the firmware."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damludo.simulation.controllers import avr_command
from damludo.simulation.errors import ControllerCrashed
from damludo.simulation.process import BoardProcess, Steps

pytestmark = pytest.mark.simulation

MS = 1_000_000
X_FORCED_PRESSED = (1, 1)
Z_FORCED_OPEN = (4, 0)

Start = Callable[..., BoardProcess]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trial")
    source = Path(__file__).parent / "board_trial.c"
    subprocess.run(
        ["avr-gcc", "-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os", "-o", str(folder / "trial.elf"), str(source)],
        check=True,
    )
    subprocess.run(
        ["avr-objcopy", "-O", "ihex", str(folder / "trial.elf"), str(folder / "trial.hex")],
        check=True,
    )
    return folder / "trial.hex"


@pytest.fixture
def start(image: Path, tmp_path: Path) -> Iterator[Start]:
    """Start the board; its axes stand 900, 3 and 5 steps from their switches."""
    running: list[BoardProcess] = []

    def begin(at: Steps = (-900, -3, -5), image: Path = image) -> BoardProcess:
        running.append(BoardProcess(avr_command(image), tmp_path / "eeprom", tmp_path / "trace", at))
        return running[-1]

    yield begin
    for board in running:
        board.close()


def _say(board: BoardProcess, text: str, ms: float = 5) -> str:
    board.output.clear()
    board.advance(board.report.now_ns + round(ms * MS), text.encode())
    return board.output.decode("latin-1")


def _on(board: BoardProcess) -> BoardProcess:
    board.reset()
    assert _say(board, "", 50) == "!"
    return board


def test_without_power_nothing_runs(start: Start) -> None:
    board = start()

    assert _say(board, "ea", 1000) == ""
    assert (board.report.now_ns, board.report.resets, board.report.steppers_on) == (1000 * MS, 0, False)


def test_it_tells_why_it_started_and_keeps_the_eeprom(start: Start) -> None:
    board = _on(start())
    assert _say(board, "r") == "1\x00"
    board.reset()
    assert _say(board, "", 50) == "!"
    assert _say(board, "r") == "2\x01"
    board.close()

    assert _say(_on(start()), "r") == "1\x02"


def test_steps_are_counted_by_direction_and_close_the_switch(start: Start) -> None:
    board = _on(start())
    assert _say(board, "l") == "7"

    assert _say(board, "s", 100) == "."
    assert board.report.steps == (100, -3, -5)
    assert _say(board, "l") == "6"
    assert _say(board, "b", 100) == "."
    assert board.report.steps == (-400, -3, -5)
    assert _say(board, "l") == "7"


def test_an_axis_at_zero_is_on_its_switch(start: Start) -> None:
    assert _say(_on(start((-1, 0, 1))), "l") == "1"


def test_switches_can_be_held_and_axes_can_slip(start: Start) -> None:
    board = _on(start())

    board.force_inputs(*X_FORCED_PRESSED)
    assert _say(board, "l") == "6"
    board.force_inputs(0, 0)
    board.slip((0, 3, 10))
    assert _say(board, "l") == "1"
    board.force_inputs(*Z_FORCED_OPEN)
    assert _say(board, "l") == "5"
    assert board.report.steps == (-900, 0, 5)


def test_steps_and_timer_loads_are_traced_by_the_cycle(start: Start, tmp_path: Path) -> None:
    board = _on(start())
    _say(board, "s", 100)
    board.close()

    first, *steps = (tmp_path / "trace").read_text(encoding="ascii").splitlines()
    assert first == "T 639"
    cycles = [int(step.split()[0]) for step in steps]
    assert [step.split()[1:] for step in steps] == [["0", "+1"]] * 1000
    assert max(abs(cycles[i] - cycles[0] - 640 * i) for i in range(1000)) <= 8


def test_the_edge_of_the_magnet_is_dated(start: Start) -> None:
    board = _on(start())
    before_ns = board.report.now_ns

    _say(board, "m")
    assert board.report.magnet_on
    # One byte on the wire, up to four in the simulated receiver.
    assert 0.08 * MS < board.report.magnet_edge_ns - before_ns < 0.5 * MS
    _say(board, "o")
    assert not board.report.magnet_on


def test_a_program_that_hangs_is_reset_by_its_watchdog_with_the_outputs_off(start: Start) -> None:
    board = _on(start())
    _say(board, "m")
    _say(board, "h", 200)
    assert (board.report.magnet_on, board.report.resets) == (True, 1)

    assert _say(board, "", 200) == "!"
    assert (board.report.magnet_on, board.report.resets) == (False, 2)
    assert _say(board, "r") == "8\x01"


def test_no_byte_is_lost_while_they_are_read(start: Start) -> None:
    board = _on(start())

    text = "".join(f"e{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert _say(board, text, 20) == "abcdefghijklmnopqrstuvwxyz"


def test_the_receiver_holds_three_bytes_while_nobody_reads(start: Start) -> None:
    board = _on(start())

    # The ears are closed for eleven and a half bytes; what comes after the third of them is lost.
    _say(board, "w" + "." * 10, 20)
    assert _say(board, "n") == str(1 + 3 + 1)


def test_what_is_no_image_is_refused(start: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.hex").write_text("no image\n", encoding="ascii")

    with pytest.raises(ControllerCrashed, match="ended by itself"):
        start(image=tmp_path / "bad.hex").reset()
    assert "bad.hex cannot be read" in capfd.readouterr().err


def test_a_sleeping_program_costs_next_to_nothing(start: Start) -> None:
    """libsimavr looks at low step pins in every cycle unless it is told not to: thirty seconds then take thirty."""
    board = _on(start())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    _say(board, "", 30_000)
    board.close()

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3.0
