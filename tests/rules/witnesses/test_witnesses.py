"""Two libraries by other authors agree about the legal moves, or it is known why they do not.

Both are imported as `draughts`, so each is installed into an environment of its own; without a package index they are skipped.
"""

import json
import random
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from damludo.rules.actions import between
from damludo.rules.moves import legal_moves
from damludo.rules.position import Colour, Kind, Piece, Position, piece_of
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS

HERE = Path(__file__).parent
GAMES = {**VARIANTS, "frisian": runpy.run_path(str(HERE.parent / "test_a_new_game.py"))["FRISIAN"]}

Moves = frozenset[tuple[int, int, frozenset[int]]]
"""(from, to, captured squares)."""

REQUIRED = {"pydraughts": ["pydraughts==0.6.7"], "py-draughts": ["py-draughts==1.10.1", "jinja2>=3"]}

POSITIONS = {
    "pydraughts": {
        "english": 2_000,
        "italian": 2_000,
        "russian": 600,
        "brazilian": 600,
        "international": 300,
        "turkish": 150,
        "frisian": 40,
    },
    "py-draughts": {"english": 1_000, "russian": 1_500, "brazilian": 1_500, "international": 1_000, "frisian": 500},
}
"""How many positions of each game are compared: as many as a library decides in about twenty seconds."""

MANY = {"russian": 10_000, "brazilian": 10_000, "international": 10_000}


def random_position(game: Variant, chance: random.Random) -> Position:
    """A position that a game could hold: both sides have pieces, and no man stands where it would be a king."""
    while True:
        cells = bytearray(len(game.start.cells))
        density, kings = chance.uniform(0.05, 0.6), chance.choice([0.0, 0.3, 0.9])
        for square in game.board.playable:
            if chance.random() < density:
                colour = chance.choice(list(Colour))
                crowned = square in game.promotions[Kind.MAN].squares[colour] or chance.random() < kings
                cells[square] = piece_of(colour, Kind.KING if crowned else Kind.MAN)
        position = Position(bytes(cells), chance.choice(list(Colour)))
        if {position.at(square).colour for square in game.board.playable} == {None, *Colour}:
            return position


def written(game: Variant, position: Position, name: Callable[[int], str]) -> str:
    """The FEN with squares as the library wants them."""
    sides = []
    for colour in Colour:
        squares = [square for square in game.board.playable if position.at(square).colour is colour]
        fields = [("K" if position.at(square).kind is Kind.KING else "") + name(square) for square in squares]
        sides.append("WB"[colour] + ",".join(fields))
    return ":".join(["WB"[position.side], *sides])


def moves_by(library: str, python: Path, key: str, positions: list[Position]) -> list[Moves]:
    """The legal moves of positions by a library."""
    game = GAMES[key]
    # In games that are written with letters one of them counts from a1; otherwise both count from the top left.
    letters = library == "pydraughts" and not game.board.numeric
    squares = game.board.playable if letters else game.board.numbers
    fens = [written(game, at, game.board.name if letters else lambda s: str(game.board.number(s))) for at in positions]
    done = subprocess.run(
        [python, HERE / "witness.py", library],
        input="".join(f"{key}\t{fen}\n" for fen in fens),
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        frozenset((squares[a - 1], squares[b - 1], frozenset(squares[c - 1] for c in taken)) for a, b, taken in moves)
        for moves in map(json.loads, done.stdout.splitlines())
    ]


def own_moves(game: Variant, position: Position) -> Moves:
    return frozenset((move.origin, move.target, frozenset(move.captures)) for move in legal_moves(game, position))


def known(library: str, key: str, position: Position, ours: Moves, theirs: Moves) -> bool:
    """Whether a disagreement is one of those that are understood."""
    match library, key:
        case "py-draughts", "english":
            # Captures are optional there: what it lets pass beyond our captures is quiet.
            captures = frozenset(move for move in theirs if move[2])
            return bool(captures) and captures == ours
        case "pydraughts", "turkish":
            # A king slides over two pieces that stand one behind the other, without capturing.
            over = theirs - ours
            return ours <= theirs and all(
                not taken and any(position.cells[square] for square in between(GAMES[key].board, origin, target))
                for origin, target, taken in over
            )
        case "pydraughts", "frisian":
            # It adds up 1 for a man and 1.501 for a king in the order of capture, as floating-point numbers, and compares sums
            # exactly: of captures of equal value only those are left whose sum is greater in its last digit.
            return theirs < ours and len({_worth(position, taken) for _, _, taken in ours}) == 1
    return False


def _worth(position: Position, taken: frozenset[int]) -> tuple[int, int]:
    kings = {Piece.WHITE_KING, Piece.BLACK_KING}
    return len(taken), sum(position.at(square) in kings for square in taken)


def environment(folder: Path, library: str) -> Path:
    """Install a library into a new environment; return its interpreter. Skips where there is no package index."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIRED[library]]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{library} cannot be installed: {done.stderr.strip()[-200:]}")
    return python


def unexplained(library: str, python: Path, counts: dict[str, int]) -> dict[str, list[str]]:
    """The positions of each game about which the library and we disagree for no known reason."""
    found = {}
    for key, count in counts.items():
        game, chance = GAMES[key], random.Random(key)
        positions = [random_position(game, chance) for _ in range(count)]
        pairs = zip(positions, moves_by(library, python, key, positions), strict=True)
        differing = [(at, ours, theirs) for at, theirs in pairs if (ours := own_moves(game, at)) != theirs]
        found[key] = [
            f"{written(game, at, game.board.name)}: only we {sorted(map(str, ours - theirs))}, "
            f"only they {sorted(map(str, theirs - ours))}"
            for at, ours, theirs in differing
            if not known(library, key, at, ours, theirs)
        ]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("library", REQUIRED)
def test_another_library_has_the_same_legal_moves(library: str, tmp_path: Path) -> None:
    python = environment(tmp_path / library, library)
    assert unexplained(library, python, POSITIONS[library]) == {key: [] for key in POSITIONS[library]}


@pytest.mark.long
@pytest.mark.parametrize("library", REQUIRED)
def test_another_library_has_the_same_legal_moves_in_many_positions(library: str, tmp_path: Path) -> None:
    python = environment(tmp_path / library, library)
    assert unexplained(library, python, MANY) == {key: [] for key in MANY}


WITNESSED = Position(bytes(64), Colour.WHITE)


def test_a_disagreement_without_a_known_reason_is_not_excused() -> None:
    ours: Moves = frozenset({(0, 9, frozenset())})
    theirs: Moves = frozenset({(0, 9, frozenset()), (0, 18, frozenset())})
    assert not known("pydraughts", "russian", WITNESSED, ours, theirs)
    assert not known("pydraughts", "turkish", WITNESSED, ours, theirs)
    assert not known("py-draughts", "english", WITNESSED, ours, theirs)
