"""Russian draughts. Sources: BrainKing's rules and table; federation rules for the draws."""

from damludo.rules.geometry import DIAGONALS, chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    LONE_KING,
    Event,
    Force,
    InCapture,
    Material,
    MoveLimit,
    Variant,
    crowning_on_last_rows,
    flying_king,
    man,
    no_progress,
    repetition,
    start,
)
from damludo.rules.variants.english import TWELVE_MEN

BOARD = chequered(8)

MAIN_ROAD = frozenset(BOARD.square(name) for name in ("a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"))

SMALL_ENDINGS = (
    # Federation: two pieces against a lone king, 5 moves.
    MoveLimit(
        5,
        frozenset({Event.CAPTURE}),
        claimed=False,
        material=Material(Force(pieces=(1, 2), kings=(1, 2)), LONE_KING),
        article="A king, alone or with one more piece, has 5 moves to win against a lone king.",
        name="small ending",
    ),
    # Federation: three pieces against a lone king that holds the main road, 5 moves.
    MoveLimit(
        5,
        frozenset({Event.CAPTURE}),
        claimed=False,
        material=Material(Force(pieces=(3, 3), kings=(1, 3)), Force((1, 1), (1, 1), within=MAIN_ROAD)),
        article="Three pieces have 5 moves to win against a lone king on the main road.",
        name="main road",
    ),
)


def _same_balance(pieces: tuple[int, int], moves: int) -> MoveLimit:
    with_king = Force(kings=(1, 999))
    return MoveLimit(
        moves,
        frozenset({Event.CAPTURE, Event.CROWNING}),
        claimed=False,
        material=Material(with_king, with_king, total=pieces),
        article=f"With {pieces[0]} or {pieces[1]} pieces and kings on both sides, "
        f"{moves} moves by each side without a change of balance are a draw.",
        name="same balance",
    )


RUSSIAN = Variant(
    key="russian",
    names={"en": "Russian draughts", "eo": "Rusaj damoj", "sl": "Ruska dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.WHITE),
    movers={
        Kind.MAN: man(captures=DIAGONALS),  # men capture forwards and backwards
        Kind.KING: flying_king(),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.GO_ON),  # "crowned in mid-capture and goes on as king"
    draws=(
        repetition(),
        no_progress(15),
        MoveLimit(
            15,
            frozenset({Event.CAPTURE, Event.CROWNING}),
            claimed=False,
            material=Material(Force(pieces=(3, 999), kings=(3, 999)), LONE_KING),
            article="Three or more kings have 15 moves to win against a lone king.",
            name="three kings",
        ),
        *SMALL_ENDINGS,
        _same_balance((4, 5), 30),
        _same_balance((6, 7), 60),
    ),
    source="BrainKing rules of Russian draughts; federation rules for the draws",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward and backward.",
        "A king moves and captures over any distance along diagonals.",
        "Capturing is compulsory; which capture is free, but the chosen one must be finished.",
        "A man that reaches the last row while capturing is crowned at once and goes on as a king.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="25,W,8,8,A0,0",
    capture_sign=":",
)
