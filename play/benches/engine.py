"""What the engine costs as a program of its own: its start and its memory."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from damludo.play.console import CommandError, ExitCode

Row = tuple[str, float, str, float | None, bool]
"""Name, value, unit, promise, whether the promise is an upper bound."""

GAME = "english"
COMMAND = (sys.executable, "-m", "damludo.play.cli", "engine")
START_CPU_S, MEMORY_MB = 1.5, 400.0
STARTS = 3
FIRST_MOVE = 7_000
"""Positions of the first move: more than plain Python would search."""
LONG_SEARCH = 15_000_000
"""Positions of the search that fills the memory: about five seconds."""


def start_figures(command: Sequence[str] = COMMAND) -> tuple[Row, ...]:
    """Measure what starting the engine and its first move cost when all is compiled; the best of some starts counts.

    Raises:
        CommandError: the engine did not answer.
    """
    _run(command, FIRST_MOVE)
    spent_s = []
    for _ in range(STARTS):
        before_s = _children_s()
        _run(command, FIRST_MOVE)
        spent_s.append(_children_s() - before_s)
    return ((f"{GAME} second start, first move", round(min(spent_s), 2), "CPU s", START_CPU_S, True),)


def memory_figures(command: Sequence[str] = COMMAND) -> tuple[Row, ...]:
    """Measure the most memory that the engine takes in a long search; nothing where the system does not tell.

    Raises:
        CommandError: the engine did not answer.
    """
    peak_mb = _run(command, LONG_SEARCH)
    return () if peak_mb is None else ((f"{GAME} engine, memory", round(peak_mb, 1), "MB", MEMORY_MB, True),)


def _run(command: Sequence[str], nodes: int) -> float | None:
    """Have the engine started and asked for one move; return the most memory that it took, in megabytes, if that is known."""
    lines = ("hub", f"set-param name=variant value={GAME}", "init", "pos start", f"level nodes={nodes}", "go think")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        process.stdin.flush()
        answered = any(line.startswith(b"done ") for line in process.stdout)
        peak_mb = _peak_mb(process.pid)
        process.stdin.close()
        errors = process.stderr.read().decode("utf-8", "replace").strip()
    if not answered:
        raise CommandError(
            f"the engine ended without a move ({errors[-200:] or 'it said nothing'}); see 'damludo doctor'",
            ExitCode.INTERNAL,
        )
    return peak_mb


def _peak_mb(process: int) -> float | None:
    """Return the largest resident memory of a process so far (Linux, see proc(5): VmHWM)."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return None


def _children_s() -> float:
    """Return the processor time of all children that have ended."""
    import resource  # not on every system on which the other commands run

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
