"""Endgame tables against a slow twin, and what they are known for."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path

import pytest

from damludo.engine.errors import NoTables
from damludo.engine.memory import MATE, Searcher
from damludo.engine.port import Limits
from damludo.engine.program import can_compile
from damludo.engine.search import Deepening
from damludo.engine.tables import Builder, Ending, Tables, entries, open_tables
from damludo.rules.ending import result_of
from damludo.rules.game import Game
from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.position import PIECES, Colour, Kind, Piece, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant

needs_numba = pytest.mark.skipif(not can_compile(), reason="numba is not installed here")


def _tables(key: str, folder: Path, pieces: int = 2, compiled: bool = False) -> Tables:
    builder = Builder(variant(key), pieces, compiled)
    builder.build()
    assert builder.check() == 0
    return Tables(variant(key), pieces, builder.save(folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def english(folder: Path) -> Tables:
    return _tables("english", folder)


def _can_stand(game: Variant, code: int, square: int) -> bool:
    """A man where men are crowned is none."""
    colour, promotion = PIECES[code].colour, game.promotions.get(Kind.MAN)
    return PIECES[code].kind is Kind.KING or promotion is None or square not in promotion.squares[colour or 0]


def _pairs(game: Variant) -> list[Position]:
    """All positions with one man or king of each side."""
    codes = [int(piece) for piece in PIECES if piece and piece <= 4 and piece.kind in game.movers]
    positions = []
    for first in game.board.playable:
        for second in game.board.playable:
            for one in (code for code in codes if PIECES[code].colour is Colour.WHITE):
                for other in (code for code in codes if PIECES[code].colour is Colour.BLACK):
                    if first != second and _can_stand(game, one, first) and _can_stand(game, other, second):
                        cells = bytearray(len(game.start.cells))
                        cells[first], cells[second] = one, other
                        positions += [Position(bytes(cells), side) for side in Colour]
    return positions


def _solve(game: Variant, positions: list[Position]) -> dict[Position, Ending]:
    """The same definition, a ply at a time, with the moves of the rules; captures lead to none but the positions given."""
    after = {position: [play(game, position, move) for move in legal_moves(game, position)] for position in positions}
    stuck = "win" if game.stuck_player_wins else "loss"
    known: dict[Position, Ending] = {}
    plies = 0
    while True:
        found: dict[Position, Ending] = {}
        for position, following in after.items():
            if position in known:
                continue
            ends = [known.get(next_) if next_ in after else Ending(stuck, 0) for next_ in following]
            if not following:
                found[position] = Ending(stuck, 0)
            elif any(end is not None and end.value == "loss" and end.plies == plies - 1 for end in ends):
                found[position] = Ending("win", plies)
            elif plies and all(end is not None and end.value == "win" and end.plies in range(plies) for end in ends):
                found[position] = Ending("loss", plies)
        known |= found
        plies += 1
        if not found and plies > 2:
            return known


@pytest.mark.parametrize("key", ["english", "anti", "oneway", "alquerque"])
def test_tables_say_what_a_plain_solver_says(key: str, tmp_path: Path) -> None:
    tables = _tables(key, tmp_path)
    positions = _pairs(variant(key))
    solved = _solve(variant(key), positions)

    for position in positions:
        assert tables.probe(position) == solved.get(position, Ending("draw", None)), position


def _following(game: Variant, tables: Tables, position: Position) -> Ending:
    """What the table says of the positions after each move of the rules makes of this one."""
    stuck = "win" if game.stuck_player_wins else "loss"
    moves = legal_moves(game, position)
    if not moves:
        return Ending(stuck, 0)
    if result_of(game, [position], []) is not None:
        return Ending("draw", None)
    after = [play(game, position, move) for move in moves]
    ends = [tables.probe(next_) if _has_pieces(next_, next_.side) else Ending(stuck, 0) for next_ in after]
    lost = [end.plies for end in ends if end.value == "loss" and end.plies is not None]
    if lost:
        return Ending("win", min(lost) + 1)
    won = [end.plies for end in ends if end.value == "win" and end.plies is not None]
    return Ending("loss", max(won) + 1) if len(won) == len(ends) else Ending("draw", None)


def _has_pieces(position: Position, side: Colour) -> bool:
    return any(PIECES[code].colour is side for code in position.cells)


def _placings(game: Variant, pieces: int, source: random.Random) -> Iterator[Position]:
    """Positions with so many men and kings at random that the tables know."""
    codes = [int(piece) for piece in PIECES if piece and piece <= 4 and piece.kind in game.movers]
    while True:
        cells = bytearray(len(game.start.cells))
        squares = source.sample(game.board.playable, pieces)
        for square in squares:
            cells[square] = source.choice(codes)
        position = Position(bytes(cells), Colour(source.randrange(2)))
        if all(
            _has_pieces(position, side) and _can_stand(game, cells[square], square)
            for side in Colour
            for square in squares
        ):
            yield position


def _check_by_rules(tables: Tables, pieces: int, positions: int) -> None:
    game = tables.variant
    for position in islice(_placings(game, pieces, random.Random(f"tables {game.key}")), positions):
        assert tables.probe(position) == _following(game, tables, position), position


@pytest.mark.parametrize("key", VARIANTS)
def test_entries_follow_from_the_moves_of_the_rules(key: str, tmp_path: Path) -> None:
    _check_by_rules(_tables(key, tmp_path), 2, 100)


@needs_numba
@pytest.mark.long
@pytest.mark.parametrize("key", VARIANTS)
def test_a_thousand_entries_of_compiled_tables_follow_from_the_moves_of_the_rules(key: str, tmp_path: Path) -> None:
    _check_by_rules(_tables(key, tmp_path, 3, compiled=True), 3, 1_000)


def _lone_kings(game: Variant) -> list[Position]:
    """All positions of one king against one or two."""
    positions = []
    for white, black in ((1, 1), (2, 1), (1, 2)):
        for chosen in combinations(game.board.playable, white):
            for others in combinations(sorted(set(game.board.playable).difference(chosen)), black):
                cells = bytearray(len(game.start.cells))
                for square in chosen:
                    cells[square] = Piece.WHITE_KING
                for square in others:
                    cells[square] = Piece.BLACK_KING
                positions += [Position(bytes(cells), side) for side in Colour]
    return positions


DRAWN_LINES = (
    "a1 c1 e1", "g1 e1 c1", "b2 d2 f2", "a1 a3 a5", "a7 a5 a3", "b2 b4 b6",
    "h8 f8 d8", "b8 d8 f8", "g7 e7 c7", "h8 h6 h4", "h2 h4 h6", "g7 g5 g3",
)  # fmt: skip
"""The black king, then the white ones."""


def _placed(game: Variant, line: str) -> bytes:
    cells = bytearray(len(game.start.cells))
    pieces = (Piece.BLACK_KING, Piece.WHITE_KING, Piece.WHITE_KING)
    for name, piece in zip(line.split(), pieces, strict=True):
        cells[game.board.square(name)] = piece
    return bytes(cells)


def _threatens(game: Variant, position: Position) -> bool:
    """The side that is not to move could capture."""
    moves = legal_moves(game, Position(position.cells, position.side.other))
    return any(move.captures for move in moves)


@needs_numba
@pytest.mark.slow
def test_two_kings_beat_one_in_esperanto_draughts_but_in_twelve_positions(tmp_path: Path) -> None:
    """ "Two kings beat one, even on the long diagonal", wherever the lone king threatens nothing.

    The twelve: the three kings on one line along the edge, or beside that, with a square between each and the next. The two
    cover each other, and White has to move one of them.
    """
    game, tables = variant("esperanto"), _tables("esperanto", tmp_path, 3, compiled=True)
    positions = _lone_kings(game)
    solved = _solve(game, positions)
    ends = {position: tables.probe(position) for position in positions}
    against_one = [
        position
        for position in positions
        if position.side is Colour.WHITE
        and position.cells.count(Piece.WHITE_KING) == 2
        and not _threatens(game, position)
    ]
    long_diagonal = [game.board.square(name) for name in ("a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8")]
    drawn = [position for position in against_one if ends[position].value == "draw"]

    assert {position: ends[position] for position in positions if ends[position].plies is not None} == solved
    assert Counter(ends[position].value for position in against_one) == {"win": 7_886, "draw": 12}
    assert Counter(
        ends[position].value for position in against_one if position.cells.index(Piece.BLACK_KING) in long_diagonal
    ) == {"win": 1_794, "draw": 8}
    assert {position.cells for position in drawn} == {_placed(game, line) for line in DRAWN_LINES}


def test_the_file_is_found_again_and_has_a_byte_for_each_position(english: Tables, folder: Path) -> None:
    found = open_tables(variant("english"), folder)

    assert found is not None
    assert found.pieces == 2
    # 28 squares for a man, 32 for a king.
    assert len(english.words) * 8 == (28 + 32) ** 2
    assert open_tables(variant("anti"), folder) is None
    assert entries(variant("english"), 4) == 7_455_300


def test_the_search_sees_the_end_that_the_table_knows(english: Tables) -> None:
    game = Game.new(variant("english"), parse_fen(variant("english"), "W:WKc3:BKe5"))
    searcher = Searcher(game.variant, compiled=False, endgames=english)
    searcher.begin(game, Limits(depth=1))
    best = Deepening(searcher, searcher.root_moves(game, game.legal_moves()), {}).run(Limits(depth=1))

    assert english.probe(game.position) == Ending("loss", 6)
    assert best.score == 6 - MATE


def test_the_search_asks_no_table_of_a_man_that_should_be_a_king(english: Tables) -> None:
    """The man on b8 can never move, so any move of Black wins; no entry says so."""
    game = Game.new(english.variant, parse_fen(english.variant, "B:Wb8:BKe5"))
    searcher = Searcher(game.variant, compiled=False, endgames=english)
    searcher.begin(game, Limits(depth=2))
    best = Deepening(searcher, searcher.root_moves(game, game.legal_moves()), {}).run(Limits(depth=2))

    assert not english.knows(game.position)
    assert best.score == MATE - 1


@pytest.mark.parametrize(
    ("fen", "reason"),
    [("W:WKc3,e3:BKe7", "3 pieces"), ("W:WKc3:B", "both sides"), ("W:WKc3:Bb2,c1", "become a king")],
)
def test_what_the_tables_do_not_hold_is_refused(fen: str, reason: str, english: Tables) -> None:
    with pytest.raises(NoTables, match=reason):
        english.probe(parse_fen(variant("english"), fen))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")

    with pytest.raises(NoTables, match=r"taken.*cannot be written"):
        Builder(variant("english"), 2, compiled=False).save(tmp_path / "taken")


def test_tables_have_two_to_four_pieces() -> None:
    with pytest.raises(NoTables, match="2 to 4 pieces"):
        Builder(variant("english"), 5, compiled=False)
