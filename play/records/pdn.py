"""A stored game as PDN."""

from damludo.play.console import counted
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
    if not record.course.earlier:
        return write_pdn(record.game, tags, record.result, record.rulings)
    # The notation knows no position in mid-game: each one that was set begins another game, with its FEN.
    chapters = list(record.course.numbered())
    texts = []
    for number, (before, chapter) in enumerate(chapters, 1):
        last, plies = number == len(chapters), len(chapter.moves)
        rulings = {ply - before: text for ply, text in record.rulings.items() if before < ply <= before + plies}
        if before:
            rulings[0] = f"a person set this position after {counted(before, 'ply', 'plies')} of the game"
        if not last:
            told = rulings.get(plies)
            rulings[plies] = "; ".join(filter(None, (told, "a person set the position here: see the next game")))
        texts.append(write_pdn(chapter, {**tags, "Round": f"1.{number}"}, record.result if last else None, rulings))
    return "\n".join(texts)
