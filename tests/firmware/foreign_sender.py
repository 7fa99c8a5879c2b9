"""Runs in an environment of its own: pygrbl-streamer homes the machine, streams a job, and tells what it saw.

    python foreign_sender.py PORT

Its own time-outs are in wall-clock time, and the simulated machine may be slower than that: all of them are long.
"""

import json
import sys

from pygrbl_streamer import GrblStreamer  # type: ignore[import-not-found]

PATIENCE_S = 500
JOB = ["G21 G90 (mm)", "G0 X-30 Y-20", "M3 S1000", "G1 X-12.5 Y-40 F6000 ; carry", "M5", "G0 X-20 Y-20 Z-3"]


def main(port: str) -> None:
    """Do the job and print one JSON document."""
    heard: list[str] = []
    sender = GrblStreamer(port, init_timeout=PATIENCE_S)
    sender.receive_callback = heard.append
    sender.connect(status_timeout=PATIENCE_S)
    told = {
        "homed": sender.home(timeout=PATIENCE_S, wait_idle=True),
        "streamed": sender.stream(JOB, len(JOB), completion_timeout=PATIENCE_S, ack_timeout=PATIENCE_S),
        "refused": not sender.command("G99", timeout=PATIENCE_S),
        "jogged": sender.command("$J=G91 X-5 F3000", timeout=PATIENCE_S),
        "state": sender.sync(timeout=PATIENCE_S).name,
    }
    while sender.last_status["state"] != "Idle":
        sender.sync(timeout=PATIENCE_S)
    last = sender.last_status["raw"]
    sender.disconnect()
    json.dump({**told, "last": last, "heard": heard}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
