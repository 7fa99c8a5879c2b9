"""Endgame tables hold what the rules say: every value follows from its successors, and small ones agree with a slow twin."""

import random
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from damludo.engine.errors import NoTable
from damludo.engine.port import Limits
from damludo.engine.program import program_of
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta
from damludo.engine.table_build import Builder
from damludo.engine.table_index import index_of, pieces_on
from damludo.engine.table_player import TablePlayer
from damludo.engine.table_store import Entry, Tables, Value, entry_of
from damludo.rules.game import Game
from damludo.rules.moves import every_capture, legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.position import Colour, Kind, Position, piece_of
from damludo.rules.traits import Variant
from damludo.rules.variants import variant

SMALL = ("english", "anti", "esperanto", "alquerque")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the tables of this run."""
    return tmp_path_factory.mktemp("tables")


def _tables(folder: Path, key: str, pieces: int) -> Tables:
    tables = Tables(variant(key), folder)
    tables.build(pieces)
    return tables


def _position(key: str, fen: str) -> Position:
    return parse_fen(variant(key), fen)


def _all_positions(game: Variant, pieces: int) -> list[Position]:
    """Every position with so many pieces and White to move that the index has, made without it."""
    kinds = [piece_of(colour, kind) for colour in Colour for kind in Kind if kind in game.movers]
    found = []
    for squares in combinations(game.board.playable, pieces):
        for chosen in product(kinds, repeat=pieces):
            if len({piece.colour for piece in chosen}) == 2 and not any(
                _is_crowned_man(game, piece, square) for piece, square in zip(chosen, squares, strict=True)
            ):
                cells = bytearray(game.board.columns * game.board.rows)
                for piece, square in zip(chosen, squares, strict=True):
                    cells[square] = piece
                found.append(Position(bytes(cells), Colour.WHITE))
    return found


def _successors(game: Variant, position: Position) -> list[Position | None]:
    after = [play(game, position, move) for move in legal_moves(game, position)]
    black = {piece_of(Colour.BLACK, kind) for kind in Kind if kind in game.movers}
    return [_turned(p) if black & set(p.cells) else None for p in after]


def _is_crowned_man(game: Variant, piece: int, square: int) -> bool:
    promotion = game.promotions.get(Kind.MAN)
    if promotion is None:
        return False
    return any(piece == piece_of(colour, Kind.MAN) and square in promotion.squares[colour] for colour in Colour)


def _turned(position: Position) -> Position:
    """The same position with the colours and the board turned round."""
    cells = bytearray(len(position.cells))
    for square in range(len(cells)):
        piece = position.at(square)
        if piece.colour is not None and piece.kind is not None:
            cells[len(cells) - 1 - square] = piece_of(piece.colour.other, piece.kind)
    return Position(bytes(cells), position.side.other)


@pytest.mark.parametrize("key", SMALL)
def test_two_pieces_agree_with_a_slow_twin(folder: Path, key: str) -> None:
    """The twin repeats the definition on the positions of the rules until nothing changes: no un-moves, no numbers of places."""
    game = variant(key)
    tables = _tables(folder, key, 2)
    positions = _all_positions(game, 2)
    end: Value = "win" if game.stuck_player_wins else "loss"
    # None stands for a position in which the side to move has nothing left.
    successors = {position: _successors(game, position) for position in positions}
    found: dict[Position | None, Entry] = {None: Entry(end, 0)}
    found |= {position: Entry(end, 0) for position in positions if not successors[position]}
    for step in range(1, 60):
        new: dict[Position | None, Entry] = {}
        for position in (p for p in positions if p not in found):
            values = [found.get(after) for after in successors[position]]
            if Entry("loss", step - 1) in values:
                new[position] = Entry("win", step)
            elif all(value is not None and value.value == "win" for value in values):
                new[position] = Entry("loss", step)
        if not new:
            break
        found |= new
    assert {p: tables.probe(p) for p in positions} == {p: found.get(p, Entry("draw", None)) for p in positions}


def test_a_position_turned_round_is_worth_the_same(folder: Path) -> None:
    tables = _tables(folder, "anti", 2)

    for position in _all_positions(variant("anti"), 2)[::40]:
        assert tables.probe(_turned(position)) == tables.probe(position)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["parachute", "oneway", "thai", "turkish"])
def test_other_games_have_tables_too(folder: Path, key: str) -> None:
    values = _tables(folder, key, 2).values(2)

    assert values is not None
    assert len(values) == index_of(variant(key), 2).classes[-1].stop


def test_places_of_the_kernel_and_of_its_twin_are_the_same() -> None:
    for key in ("english", "parachute", "turkish", "dameo"):
        game = variant(key)
        index = index_of(game, 3)
        program = program_of(game, False, ("moves", "tables"))
        memory = index.memory(program.form)
        chance, places = random.Random(4), set()
        for class_ in chance.sample(index.classes, 12):
            for place in [chance.randrange(class_.start, class_.stop) for _ in range(20)]:
                sets = program.module["tables"].position_at(place - class_.start, class_.key, memory)
                if sets[0]:
                    assert program.module["tables"].place_of(*sets, 0, memory) == place
                    places.add(place)
        assert len(places) > 100


def test_two_kings_beat_one_in_esperanto_draughts_even_on_the_long_diagonal(folder: Path) -> None:
    """The article: two kings win against one. They do unless the one takes one of them first, but for 12 odd placings."""
    game = variant("esperanto")
    tables = _tables(folder, "esperanto", 3)
    values, on_the_diagonal = Counter[str](), Counter[str]()
    for lone in game.board.playable:
        for pair in combinations([square for square in game.board.playable if square != lone], 2):
            cells = bytearray(64)
            cells[lone] = piece_of(Colour.BLACK, Kind.KING)
            for square in pair:
                cells[square] = piece_of(Colour.WHITE, Kind.KING)
            if not every_capture(game, Position(bytes(cells), Colour.BLACK)):
                entry = tables.probe(Position(bytes(cells), Colour.WHITE))
                assert entry is not None
                values[entry.value] += 1
                on_the_diagonal[entry.value] += lone % 9 == 0

    assert values == {"win": 7_886, "draw": 12}
    assert on_the_diagonal == {"win": 1_794, "draw": 8}


@pytest.mark.slow
def test_in_russian_draughts_the_long_diagonal_saves_a_lone_king(folder: Path) -> None:
    """The contrast: kings that do not take along rows and files cannot do it."""
    tables = _tables(folder, "russian", 3)

    assert tables.look_up(_position("russian", "W:WKb8,Kd8:BKa1")).value == "draw"


@pytest.mark.parametrize(
    ("key", "fen", "entry"),
    [
        pytest.param("english", "W:WKc3,Kg7:BKa1", Entry("win", 3), id="the last king leaves its corner"),
        pytest.param("english", "B:WKc3,Kg7:BKa1", Entry("loss", 2), id="with the other side to move"),
        pytest.param("english", "W:WKc3:BKa1", Entry("draw", None), id="king against king"),
        pytest.param("english", "W:Wc3:Bd4", Entry("win", 1), id="the last man is taken"),
        pytest.param("anti", "W:Wc3:Bb8", Entry("loss", 5), id="who is left with the others has lost"),
    ],
)
def test_known_endings(folder: Path, key: str, fen: str, entry: Entry) -> None:
    position = _position(key, fen)

    assert _tables(folder, key, pieces_on(position)).look_up(position) == entry


def test_the_search_agrees_with_the_table(folder: Path) -> None:
    game = variant("english")
    tables = _tables(folder, "english", 3)
    index, chance, compared = index_of(game, 3), random.Random(5), 0
    positions = [p for p in (_placed(game, chance) for _ in range(400)) if index.place_of(p) is not None]
    for position in positions:
        if not legal_moves(game, position):
            continue
        entry = tables.look_up(position)
        if entry.plies is not None and entry.plies <= 3:
            choice = AlphaBeta(Limits(depth=5), compiled=False).choose(Game.new(game, position))
            assert choice.mate == (entry.plies if entry.value == "win" else -entry.plies)
            compared += 1
    assert compared > 5


def _placed(game: Variant, chance: random.Random) -> Position:
    cells = bytearray(64)
    pieces = (piece_of(Colour.WHITE, Kind.KING), piece_of(Colour.BLACK, Kind.MAN), piece_of(Colour.WHITE, Kind.MAN))
    for piece, square in zip(pieces, chance.sample(game.board.playable, 3), strict=True):
        cells[square] = piece
    return Position(bytes(cells), chance.choice(list(Colour)))


def test_a_wrong_value_is_found() -> None:
    builder = Builder(variant("english"), 2, compiled=False)
    builder.build({})
    (pair, *_) = index_of(variant("english"), 2).pairs(2)
    place = pair[0].start + 100
    builder._values[place] = builder._values[place] + 2 if builder._values[place] else 9

    with pytest.raises(NoTable, match="wrong values"):
        builder._check(pair)


def test_compiled_and_plain_make_the_same_table(folder: Path) -> None:
    plain = Builder(variant("english"), 2, compiled=False).build({})[2]

    assert np.array_equal(_tables(folder, "english", 2).values(2), plain)  # type: ignore[arg-type]


def test_what_is_there_is_not_made_again(folder: Path) -> None:
    path = _tables(folder, "english", 2).path(2)
    before = path.stat().st_mtime_ns

    _tables(folder, "english", 3)

    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x93NUMPY\x01\x00"])
def test_a_damaged_file_counts_as_not_there(tmp_path: Path, content: bytes) -> None:
    tables = Tables(variant("english"), tmp_path)
    tables.path(2).write_bytes(content)

    assert tables.probe(_position("english", "W:WKc3:BKa1")) is None
    with pytest.raises(NoTable, match="make it with 'damludo tables build --game english --pieces 2'"):
        tables.look_up(_position("english", "W:WKc3:BKa1"))
    tables.build(2)
    assert tables.look_up(_position("english", "W:WKc3:BKa1")) == Entry("draw", None)


@pytest.mark.parametrize(("key", "pieces"), [("english", 5), ("english", 1), ("turkish", 4), ("canadian", 3)])
def test_tables_that_there_are_not(tmp_path: Path, key: str, pieces: int) -> None:
    with pytest.raises(NoTable, match=f"{key} has no endgame tables with {pieces} pieces"):
        Tables(variant(key), tmp_path).build(pieces)


def test_a_player_with_tables_wins_in_as_many_plies_as_they_say(folder: Path) -> None:
    tables = _tables(folder, "english", 3)
    player, other = TablePlayer(RandomPlayer(1), tables), TablePlayer(RandomPlayer(2), tables)
    game = Game.new(variant("english"), _position("english", "W:WKa1,Kc1:BKh8"))
    plies = tables.look_up(game.position).plies
    assert plies is not None

    while game.result() is None:
        game = game.make((player if game.position.side is Colour.WHITE else other).choose(game).move)

    assert len(game.moves) == plies
    result = game.result()
    assert result is not None
    assert result.winner is Colour.WHITE


def test_values_are_read_by_their_parity() -> None:
    assert entry_of(variant("english"), 1) == Entry("loss", 0)
    assert entry_of(variant("english"), 2) == Entry("win", 1)
    assert entry_of(variant("anti"), 1) == Entry("win", 0)
