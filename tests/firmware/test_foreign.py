"""A sender that nobody here wrote works with the firmware: pygrbl-streamer, in an environment of its own."""

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

SENDER = "pygrbl-streamer==1.0.5"
SCRIPT = Path(__file__).parent / "foreign_sender.py"
SPEED = 3.0
LIMIT_S = 550


@pytest.fixture(scope="module")
def foreign_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, SENDER], check=True)
    return python


@pytest.mark.parametrize("kind", ["native", "avr"])
def test_a_foreign_sender_homes_streams_and_switches_the_magnet(
    kind: str, foreign_python: Path, make_bench: Callable[[str], Any]
) -> None:
    bench = make_bench(kind)
    with RealTime(bench.world, SPEED), PseudoTerminal(bench.controller, bench.world) as port:
        done = subprocess.run(
            [str(foreign_python), str(SCRIPT), port.path], capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)

    assert {key: told[key] for key in ("homed", "streamed", "jogged", "refused", "state")} == {
        "homed": True,
        "streamed": True,
        "jogged": True,
        "refused": True,
        "state": "IDLE",
    }
    assert told["last"].startswith("<Idle|MPos:-25.000,-20.000,-3.000|")
    assert [on for _, on in bench.axes.magnet] == [True, False]
    # The switch counts as pressed after 6 ms: at the slow pace of homing the axes go 0.03 mm farther meanwhile.
    assert bench.axes.position == pytest.approx((-25.0, -20.0, -3.0), abs=0.05)
    assert [line for line in told["heard"] if line.startswith(("error", "ALARM"))] == ["error:20"]
