"""`damludo engine`: the engine for other programs, through the Hub protocol."""

import argparse
import gc
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from damludo.play.console import ExitCode

HELP = "speak Hub 2 on standard input and output, so that other programs can play against the engine"
SWITCH_S = 0.0005
"""So long a thread that waits for Python's lock lets another one keep it: `stop` is read while a search tells its depths."""
EXAMPLES = (
    "damludo engine",
    "(printf 'hub\\ninit\\npos start\\nlevel nodes=20000\\ngo think\\n'; sleep 60) | damludo engine",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "protocol",
        nargs="?",
        choices=("hub",),
        default="hub",
        help="the protocol; some programs give it (default: hub)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until `quit` or the end of the input."""
    from damludo.engine.hub_server import HubServer

    sys.setswitchinterval(SWITCH_S)
    HubServer(_write, loaded=_keep_for_good).serve(_lines(sys.stdin.buffer))
    return ExitCode.FINE


def _keep_for_good() -> None:
    """Leave the compiler's hundred thousand objects out of the collector's rounds, one of which takes 80 ms at any time."""
    gc.freeze()


def _write(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Whoever listened is gone; the input will end too. What is still buffered must not fail again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _lines(stream: BinaryIO) -> Iterator[str]:
    from damludo.engine.hub_text import LONGEST_LINE

    while line := stream.readline(LONGEST_LINE + 1):
        yield line.decode("utf-8", "replace")
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):  # the rest of a line that is too long
            line = stream.readline(LONGEST_LINE + 1)
