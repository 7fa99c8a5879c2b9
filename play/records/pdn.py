"""A stored game as PDN."""

from damludo.play.match.timekeeping import OFF
from damludo.play.records.record import Record
from damludo.rules.pdn import write_pdn


def pdn_of_record(record: Record) -> str:
    """Return a game as PDN, with who played, when, on what clock, and why moves were not taken."""
    machine, person = f"Damludo, level {record.level}", "?"
    white, black = (machine, person) if record.machine.word == "white" else (person, machine)
    tags = {
        "Event": "Game over the board",
        "Site": "Simulated table" if record.simulated is not None else "?",
        "Date": "????.??.??" if record.begun is None else f"{record.begun.astimezone():%Y.%m.%d}",
        "Round": "-",
        "White": white,
        "Black": black,
    }
    if record.clock != OFF:
        minutes, _, increment = record.clock.partition("+")
        tags["TimeControl"] = f"{60 * int(minutes)}+{increment or 0}"
    return write_pdn(record.game, tags, record.result, record.rulings)
