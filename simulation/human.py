"""A scripted person at the simulated table: watches it, chooses moves, carries them out by hand, also badly if asked to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Position
from damludo.simulation.gestures import gestures_to, straightening
from damludo.simulation.hand import Carry, Gesture, Put, SimulatedHand, Take, Wait, Withdraw
from damludo.simulation.table import Table
from damludo.vision.content import Content

Choose = Callable[[Game], Move]
"""Chooses the person's next move."""
SAY_GO_AFTER_S = 5.0
"""A person who sees the machine wait for a hand that is not there tells it so after this time."""
CARRIAGE_AT_REST_S = 0.6
"""A person believes that the machine has finished when its carriage stood still for this long."""

ASIDE_SQUARES, HESITATION_S = 2.0, 0.6
"""So far from its square, and for so long, a disc is held that is put back again."""


class Violation(StrEnum):
    """What a careless person does now and then."""

    ILLEGAL_MOVE = "illegal_move"
    CAPTURED_LEFT = "captured_left"
    UNCROWNED = "uncrowned"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a person behaves.

    Attributes:
        think_s: time before a move.
        violation_rate: how often a move is begun with a violation (0 to 1).
        touch_rate: how often another own disc that could move is lifted and put back before a move (0 to 1).
        patience_s: pause after the machine came to rest, for a person to whom the machine cannot speak (0: waits to be told).
    """

    think_s: float = 0.25
    violation_rate: float = 0.0
    touch_rate: float = 0.0
    patience_s: float = 0.0


class ScriptedHuman:
    """A `Part` of the world. Knows the game and the true table, and hears what the machine says (the methods `told_...`).

    Attributes:
        game: as the person knows it.
        violations: what was done wrong, in its order.
        said_go: how often the machine was told that no hand is there.
        lifted_another: before how many moves another disc was lifted and put back.
    """

    def __init__(
        self,
        table: Table,
        hand: SimulatedHand,
        game: Game,
        colour: Colour,
        choose: Choose,
        habits: Habits,
        random: np.random.Generator,
    ) -> None:
        self.game = game
        self.violations: list[Violation] = []
        self.said_go = 0
        self.lifted_another = 0
        self._time_s = 0.0
        self._hand_seen_since_s: float | None = None
        self._table, self._hand, self._colour, self._choose = table, hand, colour, choose
        self._habits, self._random = habits, random
        self._may_move = game.position.side is colour and habits.patience_s > 0
        self._intended: Move | None = None
        self._carriage = (0.0, 0.0, 0.0)
        self._carriage_still_since_s = 0.0
        self._looked_at_version = -1

    @property
    def meant(self) -> Position:
        """The position that the person's last move, perhaps still being carried out, is meant to give."""
        return self.game.position if self._intended is None else self.game.make(self._intended).position

    @property
    def finished(self) -> bool:
        """True when the person knows that the game is over."""
        return self.game.result() is not None

    def advance_to(self, time_s: float) -> None:
        """Live up to `time_s`."""
        self._time_s = time_s
        self._hand.advance_to(time_s)
        self._watch_carriage(time_s)
        if self._hand.busy:
            return
        if self._intended is not None:
            self._complete()
        elif self.game.position.side is self._colour:
            if self._may_move:
                self._begin_move()
        else:
            self._watch_machine(time_s)

    # --- what the machine says --------------------------------------------------------------------------------------------------

    def told_to_move(self) -> None:
        """Hear that it is one's turn."""
        self._may_move = True

    def told_to_correct(self) -> None:
        """Hear that the last action was illegal or not finished: put the board as it should be after the intended move."""
        wanted = _content(self.game.position)
        self._hand.do([Wait(0.3), *self._gestures_to(wanted), Withdraw()])

    def told_taken_back(self, plies_left: int) -> None:
        """Hear that moves were taken back: the game is at an earlier moment again."""
        self._intended = None
        while len(self.game.moves) > plies_left:
            self.game = self.game.undo()

    def told_of_hand(self, *, seen: bool) -> None:
        """Hear that the machine waits because it sees a hand, or that it sees none any more."""
        self._hand_seen_since_s = self._time_s if seen else None

    def says_go(self) -> bool:
        """Tell the machine that no hand is there, if that is so and it has waited long enough to be asked."""
        since = self._hand_seen_since_s
        if since is None or self._table.hand.present or self._time_s - since < SAY_GO_AFTER_S:
            return False
        self._hand_seen_since_s = None
        self.said_go += 1
        return True

    def asked_for(self, changes: Mapping[int, Content]) -> None:
        """Be asked to make some squares look like this."""
        wanted = {square: content for square, content in {**self._table.content(), **changes}.items() if content.discs}
        gestures = self._gestures_to(wanted)
        if not gestures:
            self.asked_to_straighten(list(changes))
            return
        self._hand.do([Wait(0.5), *gestures, Wait(0.3), Withdraw()])

    def asked_to_straighten(self, squares: Sequence[int]) -> None:
        """Be asked to put discs into the middle of their squares."""
        # With nothing to straighten a person still reaches out and points: the machine looks anew.
        self._hand.do([Wait(0.5), *straightening(self._table, squares), Withdraw()])

    # --- own move ---------------------------------------------------------------------------------------------------------------

    def _begin_move(self) -> None:
        self._may_move = False
        if self.finished:
            return
        move = self._choose(self.game)
        self._intended = move
        after = _content(self.game.make(move).position)
        wanted: Mapping[int, Content] = after
        if self._random.random() < self._habits.violation_rate:
            wanted = self._violate(move, after)
        gestures = [*self._lift_another(move), *self._gestures_to(wanted)]
        self._hand.do([Wait(self._habits.think_s), *gestures, Withdraw()])

    def _lift_another(self, move: Move) -> list[Gesture]:
        """Return, now and then, how another man that could move is taken aside and put back; nothing most of the time."""
        if not self._habits.touch_rate or self._random.random() >= self._habits.touch_rate:
            return []
        origins = {other.origin for other in self.game.legal_moves() if other.path and other.origin != move.origin}
        others = sorted(square for square in origins if self._table.content()[square].discs == 1)
        if not others:
            return []
        self.lifted_another += 1
        place = self._table.layout.square(others[int(self._random.integers(len(others)))])
        # Towards the person, so that neither hand nor sleeve hides the square that the disc has left.
        aside_mm = ASIDE_SQUARES * self._table.layout.square_mm * (1.0 if self._colour is Colour.BLACK else -1.0)
        here, aside = (place.x_mm, place.y_mm), (place.x_mm, place.y_mm + aside_mm)
        return [Take(*here), Carry(*aside), Wait(HESITATION_S), Put(*here)]

    def _complete(self) -> None:
        assert self._intended is not None
        self.game = self.game.make(self._intended)
        self._intended = None

    def _violate(self, move: Move, after: Mapping[int, Content]) -> Mapping[int, Content]:
        """Return the board after a random violation, `after` itself where none is possible."""
        before = _content(self.game.position)
        options: list[tuple[Violation, Mapping[int, Content]]] = []
        if move.captures:
            left = move.captures[int(self._random.integers(len(move.captures)))]
            if left != move.origin:
                options.append((Violation.CAPTURED_LEFT, {**after, left: before[left]}))
        if after.get(move.target, Content.EMPTY).discs == 2 and before.get(move.origin, Content.EMPTY).discs == 1:
            man = Content.WHITE_MAN if after[move.target].is_white else Content.BLACK_MAN
            options.append((Violation.UNCROWNED, {**after, move.target: man}))
        illegal = self._illegal_board(before)
        if illegal is not None:
            options.append((Violation.ILLEGAL_MOVE, illegal))
        if not options:
            return after
        violation, wanted = options[int(self._random.integers(len(options)))]
        self.violations.append(violation)
        return wanted

    def _illegal_board(self, before: Mapping[int, Content]) -> Mapping[int, Content] | None:
        """Return a board with one own piece on a square where no legal move leads, None when there is none."""
        playable = self.game.variant.board.playable
        legal = [_content(self.game.make(move).position) for move in self.game.legal_moves()]
        own = [
            s
            for s, c in before.items()
            if (c.is_white if self._colour is Colour.WHITE else c.is_black) and c.discs == 1
        ]
        boards = []
        for origin in own:
            for target in playable:
                board = {**before, target: before[origin]}
                del board[origin]
                if (
                    target not in before
                    and abs(target - origin) < 3 * self.game.variant.board.columns
                    and board not in legal
                ):
                    boards.append(board)
        return boards[int(self._random.integers(len(boards)))] if boards else None

    # --- the machine's move -----------------------------------------------------------------------------------------------------

    def _watch_carriage(self, time_s: float) -> None:
        carriage = self._table.carriage
        at = (carriage.x_mm, carriage.y_mm, carriage.z_mm)
        if at != self._carriage or carriage.magnet_on:
            self._carriage, self._carriage_still_since_s = at, time_s
            self._looked_at_version = -1

    def _watch_machine(self, time_s: float) -> None:
        at_rest = time_s - self._carriage_still_since_s >= CARRIAGE_AT_REST_S + self._habits.patience_s
        if not at_rest or self._looked_at_version == self._table.version:
            return
        self._looked_at_version = self._table.version
        content = self._table.content()
        for move in self.game.legal_moves():
            after = self.game.make(move)
            if _content(after.position) == content:
                self.game = after
                self._may_move = self._may_move or self._habits.patience_s > 0
                return

    def _gestures_to(self, wanted: Mapping[int, Content]) -> list[Gesture]:
        return gestures_to(self._table, wanted, white_first=self._colour is Colour.WHITE)


def _content(position: Position) -> dict[int, Content]:
    """Return what stands on the squares that are not empty; a parachutist is a disc like a man."""
    return {square: _SEEN[piece] for square, piece in enumerate(position.cells) if piece}


_SEEN = (
    Content.EMPTY,
    Content.WHITE_MAN,
    Content.WHITE_KING,
    Content.BLACK_MAN,
    Content.BLACK_KING,
    Content.WHITE_MAN,
    Content.BLACK_MAN,
)
"""Indexed by `rules.position.Piece`."""
