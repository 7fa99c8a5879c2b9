"""Compares what a match said with the truth of the simulated table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from damludo.play.content import board_content
from damludo.play.match.events import EventKind, MatchEvent
from damludo.rules.game import Game
from damludo.simulation.human import ScriptedHuman
from damludo.simulation.table import Table
from damludo.vision.content import Content


@dataclass(slots=True)
class Score:
    """Counts over one or more games; the names are those of the JSON of `damludo simulate`."""

    plies: int = 0
    human_plies: int = 0
    robot_plies: int = 0
    wrong_plies: int = 0
    false_penalties: int = 0
    missed_violations: int = 0
    violations: int = 0
    crushed: int = 0
    dropped: int = 0
    double_steps: int = 0
    asked_human: int = 0
    asked_touch: int = 0

    def add(self, other: "Score") -> None:
        """Add the counts of another game."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Scorekeeper:
    """A `Listener` that knows the truth."""

    def __init__(self, table: Table, human: ScriptedHuman, game: Callable[[], Game]) -> None:
        self.score = Score()
        self._table, self._human, self._game = table, human, game
        self._open_violations = 0
        self._transfers = 0

    def __call__(self, event: MatchEvent) -> None:
        """Count one event."""
        score = self.score
        match event.kind:
            case EventKind.MOVE if event.data["by"] == "human":
                score.human_plies += 1
                self._compare(self._game().position == self._human.meant)
                if len(self._human.violations) > score.violations:
                    score.missed_violations += len(self._human.violations) - score.violations - self._open_violations
                    score.violations = len(self._human.violations)
                self._open_violations = 0
            case EventKind.MOVE:
                score.robot_plies += 1
                # A fast human has moved on before the machine's look; then his own record of the game is the truth.
                seen_by_human = self._human.game.positions[-2:]
                self._compare(self._standing() == self._table.content() or self._game().position in seen_by_human)
            case EventKind.ILLEGAL | EventKind.UNFINISHED:
                if len(self._human.violations) > score.violations:
                    self._open_violations = 1
                elif event.kind is EventKind.ILLEGAL:
                    score.false_penalties += 1
            case EventKind.INTENT:
                transfers = event.data["transfers"]
                assert isinstance(transfers, Sequence)
                self._transfers += len(transfers)
            case EventKind.ASK if event.data.get("question") == "touch":
                score.asked_touch += 1
            case EventKind.ASK:
                score.asked_human += 1

    def finish(self) -> Score:
        """Return the counts, with what only the table knows."""
        kinds = [mishap.kind for mishap in self._table.mishaps]
        self.score.crushed, self.score.dropped = kinds.count("crushed"), kinds.count("dropped")
        self.score.asked_human += self._human.said_go
        # Each transfer grips once: a magnet that was switched on more often did a step twice.
        self.score.double_steps = max(0, self._table.grips - self._transfers)
        return self.score

    def _compare(self, right: bool) -> None:
        self.score.plies += 1
        self.score.wrong_plies += not right

    def _standing(self) -> Mapping[int, Content]:
        game = self._game()
        content = board_content(game.variant.board.playable, game.position)
        return {square: piece for square, piece in content.items() if piece is not Content.EMPTY}
