"""A second generator, written from the table of the games alone and sharing nothing with the first one, as plain sets.

It is slow and looks at coordinates (file, rank), counted from 1. Both generators must agree on random positions of every game.
"""

import random
from dataclasses import dataclass

import pytest

from damludo.rules.moves import legal_moves, play
from damludo.rules.position import PIECES, Colour, Kind, Position, piece_of
from damludo.rules.variants import VARIANTS

COMPASS = {
    "N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0), "NE": (1, 1), "NW": (-1, 1), "SE": (1, -1), "SW": (-1, -1),
}  # fmt: skip
DIAGONAL = "NE NW SE SW"
STRAIGHT = "N S E W"
QUEEN = f"{DIAGONAL} {STRAIGHT}"

Square = tuple[int, int]
Found = tuple[Square, Square, frozenset[Square], str]
"""from, to, captured squares, kind after the move."""


@dataclass(frozen=True)
class Row:
    """One row of the table of games."""

    size: int
    field: str  # dark, light, all, lattice
    man_moves: str
    man_captures: str
    king_moves: str = ""
    king_captures: str = ""
    flying: bool = False
    crowning: str = "stop"  # stop, pass, go on, none
    removal: str = "end"  # end, at once
    choice: str = "free"


FIVE = "N NE NW E W"

TABLE = {
    "english": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL),
    "anti": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL),
    "czech": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, choice="king first"),
    "corner": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, choice="king first"),
    "oneway": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, choice="king first"),
    "parachute": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, choice="king first"),
    "gothic": Row(8, "all", FIVE, FIVE, QUEEN, QUEEN),
    "turkish": Row(8, "all", "N E W", "N E W", STRAIGHT, STRAIGHT, True, "pass", "at once", "most"),
    "alquerque": Row(5, "lattice", FIVE, FIVE, crowning="none"),
    "hawaiian": Row(8, "all", "", STRAIGHT, crowning="none"),
    "international": Row(10, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="pass", choice="most"),
    "russian": Row(8, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="go on"),
    "canadian": Row(12, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="pass", choice="most"),
    "thai": Row(8, "dark", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, removal="at once"),
    "brazilian": Row(8, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="pass", choice="most"),
    "portuguese": Row(8, "light", "NE NW", "NE NW", DIAGONAL, DIAGONAL, True, choice="most, kings"),
    "italian": Row(8, "light", "NE NW", "NE NW", DIAGONAL, DIAGONAL, choice="italian"),
    "dameo": Row(8, "all", "N NE NW", STRAIGHT, QUEEN, STRAIGHT, True, "pass", "end", "most"),
    "armenian": Row(8, "all", FIVE, "N E W", QUEEN, STRAIGHT, True, "go on", "at once", "most"),
    "damludo": Row(8, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="pass", choice="most"),
    "esperanto": Row(8, "dark", "NE NW", DIAGONAL, DIAGONAL, DIAGONAL, True, crowning="pass", choice="most"),
}


class Reference:
    """The legal moves of one game by exhaustive search."""

    def __init__(self, game: str, men: dict[Square, tuple[str, str]], side: str) -> None:
        self.game, self.row, self.men, self.side = game, TABLE[game], men, side
        size = range(1, self.row.size + 1)
        every = {(x, y) for x in size for y in size}
        parity = {"dark": [0], "light": [1]}.get(self.row.field, [0, 1])
        self.squares = {(x, y) for x, y in every if (x + y) % 2 in parity}
        self.up = 1 if side == "w" or game == "oneway" else -1

    def turned(self, names: str) -> set[Square]:
        return {(COMPASS[name][0], COMPASS[name][1] * self.up) for name in names.split()}

    def next_to(self, at: Square, step: Square) -> Square | None:
        if self.row.field == "lattice" and all(step) and sum(at) % 2:
            return None
        to = (at[0] + step[0], at[1] + step[1])
        return to if to in self.squares else None

    def crowns(self, at: Square) -> bool:
        if self.row.crowning == "none":
            return False
        if self.game == "corner":
            return at in ({(1, 7), (2, 8)} if self.side == "w" else {(8, 2), (7, 1)})
        return at[1] == (self.row.size if self.up == 1 else 1)

    def moves(self) -> set[Found]:
        if self.game == "hawaiian" and len(self.squares) - len(self.men) < 2:
            return self.removals()
        captures = {
            found
            for at, (colour, kind) in self.men.items()
            if colour == self.side
            for found in self.captures_of(at, kind)
        }
        if captures:
            return {(at, to, frozenset(taken), kind) for at, to, taken, kind in self.chosen(captures)}
        return {
            found for at, (colour, kind) in self.men.items() if colour == self.side for found in self.steps_of(at, kind)
        }

    def removals(self) -> set[Found]:
        holes = self.squares - set(self.men)
        if not holes:
            candidates = {(1, 8), (8, 1), (4, 5), (5, 4)}
        else:
            (hole,) = holes
            candidates = {s for s in self.squares if abs(s[0] - hole[0]) + abs(s[1] - hole[1]) == 1}
        return {(s, s, frozenset({s}), "man") for s in candidates if self.men[s][0] == self.side}

    def steps_of(self, at: Square, kind: str) -> set[Found]:
        if kind == "parachutist" or (self.game == "alquerque" and at[1] == (5 if self.up == 1 else 1)):
            return set()
        found = set()
        for step in self.turned(self.row.man_moves if kind == "man" else self.row.king_moves):
            to = self.next_to(at, step)
            if kind == "man" and self.game == "dameo":
                while to in self.men and self.men[to] == (self.side, "man"):
                    to = self.next_to(to, step)
            while to is not None and to not in self.men:
                found.add((at, to, frozenset[Square](), "king" if kind == "man" and self.crowns(to) else kind))
                to = self.next_to(to, step) if kind == "king" and self.row.flying else None
        return found

    def captures_of(self, at: Square, kind: str) -> set[tuple[Square, Square, tuple[Square, ...], str]]:
        rest = {square: piece for square, piece in self.men.items() if square != at}
        ends = self.chains(rest, at, kind, (), None)
        return {(at, to, taken, after) for to, taken, after in ends if taken}

    def chains(
        self, men: dict[Square, tuple[str, str]], at: Square, kind: str, taken: tuple[Square, ...], last: Square | None
    ) -> set[tuple[Square, tuple[Square, ...], str]]:
        """All ways to end a capture that has come to `at`."""
        ends = set()
        by_victim = self.jumps(men, at, kind, taken, last)
        crowned = "king" if kind == "man" and self.crowns(at) else kind
        if not by_victim or (taken and self.game == "hawaiian"):
            ends.add((at, taken, crowned if taken else kind))
        for (victim, step), landings in by_victim.items():
            left = dict(men)
            if self.row.removal == "at once":
                del left[victim]
            futures = {}
            for to in landings:
                after, over = self.landed(to, kind)
                onward = self.jumps(left, to, after, (*taken, victim), step) if not over else {}
                futures[to] = (after, over, bool(onward))
            must_go_on = any(goes_on for _, _, goes_on in futures.values())
            for to, (after, over, goes_on) in futures.items():
                if must_go_on and not goes_on:
                    continue
                if over:
                    ends.add((to, (*taken, victim), after))
                else:
                    ends |= self.chains(left, to, after, (*taken, victim), step)
        return ends

    def landed(self, to: Square, kind: str) -> tuple[str, bool]:
        """The kind after a jump, and whether the move is over."""
        if kind == "parachutist":
            return "man", True
        if kind == "man" and self.crowns(to) and self.row.crowning in ("stop", "go on"):
            return "king", self.row.crowning == "stop"
        return kind, False

    def jumps(
        self, men: dict[Square, tuple[str, str]], at: Square, kind: str, taken: tuple[Square, ...], last: Square | None
    ) -> dict[tuple[Square, Square], set[Square]]:
        """Victim and direction -> landing squares."""
        found: dict[tuple[Square, Square], set[Square]] = {}
        for step, kings_only in self.directions(kind, bool(taken)):
            if last is not None and self.game == "hawaiian" and step != last:
                continue
            if last is not None and self.game == "turkish" and step == (-last[0], -last[1]):
                continue
            far = kind == "king" and self.row.flying
            victim = self.next_to(at, step)
            while far and victim is not None and victim not in men:
                victim = self.next_to(victim, step)
            if victim is None or victim not in men or victim in taken or men[victim][0] == self.side:
                continue
            if kings_only and men[victim][1] != "king":
                continue
            if self.game == "italian" and kind == "man" and men[victim][1] == "king":
                continue
            to = self.next_to(victim, step)
            landings = set()
            while to is not None and to not in men:
                landings.add(to)
                to = self.next_to(to, step) if far and self.game != "thai" else None
            if landings:
                found[victim, step] = landings
        return found

    def directions(self, kind: str, later: bool) -> set[tuple[Square, bool]]:
        if kind == "parachutist":
            return {((x, -y), False) for x, y in self.turned("NE NW")}
        if kind == "man":
            names = QUEEN if later and self.game == "alquerque" else self.row.man_captures
            return {(step, False) for step in self.turned(names)}
        steps = {(step, False) for step in self.turned(self.row.king_captures)}
        if self.game == "esperanto":
            steps |= {((2 * x, 2 * y), True) for x, y in self.turned(STRAIGHT)}
        return steps

    def chosen(
        self, captures: set[tuple[Square, Square, tuple[Square, ...], str]]
    ) -> set[tuple[Square, Square, tuple[Square, ...], str]]:
        def kings(capture: tuple[Square, Square, tuple[Square, ...], str]) -> list[bool]:
            return [self.men[square][1] == "king" for square in capture[2]]

        def by_king(capture: tuple[Square, Square, tuple[Square, ...], str]) -> bool:
            return self.men[capture[0]][1] == "king"

        rule = self.row.choice
        if rule == "king first":
            captures = {c for c in captures if by_king(c)} or captures
        if rule in ("most", "most, kings", "italian"):
            captures = {c for c in captures if len(c[2]) == max(len(other[2]) for other in captures)}
        if rule == "italian":
            captures = {c for c in captures if by_king(c)} or captures
        if rule in ("most, kings", "italian"):
            captures = {c for c in captures if sum(kings(c)) == max(sum(kings(other)) for other in captures)}
        if rule == "italian":
            first = max(kings(c) for c in captures)
            captures = {c for c in captures if kings(c) == first}
        return captures


def reference_moves(key: str, position: Position) -> set[Found]:
    columns = VARIANTS[key].board.columns
    men = {}
    for square, code in enumerate(position.cells):
        kind, colour = PIECES[code].kind, PIECES[code].colour
        if kind is not None and colour is not None:
            men[square % columns + 1, square // columns + 1] = ("wb"[colour], kind.value)
    return Reference(key, men, "wb"[position.side]).moves()


def generated_moves(key: str, position: Position) -> set[Found]:
    columns = VARIANTS[key].board.columns

    def at(square: int) -> Square:
        return square % columns + 1, square // columns + 1

    found = set()
    for move in legal_moves(VARIANTS[key], position):
        after = (move.becomes or move.piece).kind
        assert after is not None
        found.add((at(move.origin), at(move.target), frozenset(at(square) for square in move.captures), after.value))
    return found


def random_position(key: str, chance: random.Random) -> Position:
    """A position of any density, king-heavy ones included."""
    variant = VARIANTS[key]
    cells = bytearray(variant.board.columns * variant.board.rows)
    density, kings = chance.uniform(0.05, 0.6), chance.choice([0.0, 0.3, 0.9])
    for square in variant.board.playable:
        if chance.random() > density:
            continue
        colour = chance.choice(list(Colour))
        row = square // variant.board.columns
        if Kind.PARACHUTIST in variant.movers and row == (variant.board.rows - 1, 0)[colour]:
            cells[square] = piece_of(colour, Kind.PARACHUTIST)
        elif Kind.KING in variant.movers and chance.random() < kings:
            cells[square] = piece_of(colour, Kind.KING)
        else:
            cells[square] = piece_of(colour, Kind.MAN)
    return Position(bytes(cells), chance.choice(list(Colour)))


def disagreements(key: str, seed: int, count: int) -> list[Position]:
    chance = random.Random(f"{key} {seed}")
    positions = [random_position(key, chance) for _ in range(count)]
    return [position for position in positions if generated_moves(key, position) != reference_moves(key, position)]


@pytest.mark.parametrize("key", VARIANTS)
def test_two_generators_agree_on_random_positions(key: str) -> None:
    assert disagreements(key, seed=1, count=60) == []


@pytest.mark.slow
@pytest.mark.parametrize("key", VARIANTS)
def test_two_generators_agree_on_many_random_positions(key: str) -> None:
    assert disagreements(key, seed=2, count=2_000) == []


@pytest.mark.parametrize("key", VARIANTS)
def test_two_generators_agree_along_a_random_game(key: str) -> None:
    variant, chance = VARIANTS[key], random.Random(key)
    position = variant.start
    for _ in range(40):
        moves = legal_moves(variant, position)
        assert generated_moves(key, position) == reference_moves(key, position)
        if not moves:
            break
        position = play(variant, position, chance.choice(moves))


@pytest.mark.parametrize("jumps", range(1, 10))
def test_two_generators_agree_on_long_chains(jumps: int) -> None:
    """Chains of every length are compared, not only those that chance brings."""
    canadian = VARIANTS["canadian"]
    cells = bytearray(144)
    cells[0] = piece_of(Colour.WHITE, Kind.MAN)
    for name in ["b2", "d2", "f2", "h2", "j2", "j4", "h6", "f6", "d6"][:jumps]:
        cells[canadian.board.square(name)] = piece_of(Colour.BLACK, Kind.MAN)
    found = generated_moves("canadian", Position(bytes(cells), Colour.WHITE))
    assert found == reference_moves("canadian", Position(bytes(cells), Colour.WHITE))
    assert [len(captures) for _, _, captures, _ in found] == [jumps]
