"""Positions as text: FEN by field numbers or names, and placements. Hostile text ends in `BadPosition`, in linear time."""

from damludo.rules.errors import BadPosition, NoSuchSquare
from damludo.rules.position import Colour, Kind, Piece, Position, piece_of, read_placement, write_placement
from damludo.rules.traits import Variant

MAX_FEN = 1024
"""Longest FEN that is read, in characters; a full board of 64 stones takes about 300."""

MAX_TOKEN = 16
"""Longest word of a FEN."""

_PREFIX = {"K": Kind.KING, "P": Kind.PARACHUTIST}


def parse_fen(variant: Variant, text: str) -> Position:
    """Return the position of a FEN or of a placement with the side to move.

    Read are `W:W21,22,K5:B1-3`, `W:Wa1,Kc3:Bb8` (both for every game, ranges too) and `8/8/1b6/... w`; also with brackets,
    tag name, quotes or a full stop around it, in small letters, and with the side doubled.

    Raises:
        BadPosition: it cannot be read, or breaks a limit.
    """
    if len(text) > MAX_FEN:
        raise BadPosition(f"the position has {len(text)} characters, at most {MAX_FEN} are read")
    if not text.isascii():
        raise BadPosition("the position holds letters or digits that are not ASCII; write squares as c3 or 22")
    bare = _unwrapped(text)
    position = _from_placement(variant, bare) if "/" in bare else _from_fen(variant, bare)
    _check_kinds(variant, position)
    return position


def format_fen(variant: Variant, position: Position) -> str:
    """Return the FEN, by field numbers in games that write numbers, else by names."""
    board = variant.board
    order = board.numbers if board.numeric else board.playable
    sides = []
    for colour in Colour:
        fields = [
            _letter(position.at(square)) + board.own_name(square)
            for square in order
            if position.at(square).colour is colour
        ]
        sides.append(f"{_side_letter(colour)}{','.join(fields)}")
    return f"{_side_letter(position.side)}:{sides[0]}:{sides[1]}"


def format_placement(variant: Variant, position: Position) -> str:
    """Return the placement with the side to move, "8/8/1b6/... w"."""
    return f"{write_placement(variant.board.columns, position.cells)} {_side_letter(position.side).lower()}"


def _unwrapped(text: str) -> str:
    bare = text.strip().strip("[]").strip()
    if bare[:3].upper() == "FEN" and bare[3:4] in (" ", '"'):
        bare = bare[3:].strip()
    return bare.strip('"').strip().rstrip(".").strip()


def _from_placement(variant: Variant, text: str) -> Position:
    words = text.split()
    if len(words) != 2 or words[1].lower() not in ("w", "b"):
        raise BadPosition("a placement is followed by the side to move, one blank and 'w' or 'b'")
    cells = read_placement(variant.board.columns, variant.board.rows, words[0])
    playable = frozenset(variant.board.playable)
    for square, code in enumerate(cells):
        if code and square not in playable:
            raise BadPosition(f"{variant.board.name(square)} holds a piece but is not a square of {variant.key}")
    return Position(cells, Colour.WHITE if words[1].lower() == "w" else Colour.BLACK)


def _from_fen(variant: Variant, text: str) -> Position:
    parts = [part.strip() for part in text.split(":")]
    side = _colour(parts[0])
    parts = parts[1:]
    while parts and parts[0].upper() in ("W", "B") and len(parts) > 2:
        parts = parts[1:]  # older writers gave the side twice
    parts = [part for part in parts if part and not _counts_moves(part)]
    if len(parts) > 2:
        raise BadPosition(f"the FEN has {len(parts)} lists of pieces, at most two are possible")
    cells = bytearray(variant.board.columns * variant.board.rows)
    seen: set[Colour] = set()
    for part in parts:
        colour = _colour(part[:1])
        if colour in seen:
            raise BadPosition(f"the FEN lists the {colour.word} pieces twice")
        seen.add(colour)
        _place_list(variant, cells, colour, part[1:])
    return Position(bytes(cells), side)


def _counts_moves(part: str) -> bool:
    """Some programs append the moves without progress and the move's number, "H0" and "F1"; neither is a list of pieces."""
    return part[0] in "HF" and _is_number(part[1:])


def _colour(text: str) -> Colour:
    if text.upper() not in ("W", "B"):
        raise BadPosition(f"{text[:20]!r} should be W or B; a FEN looks like W:W21,22,K5:B1,2")
    return Colour.WHITE if text.upper() == "W" else Colour.BLACK


def _place_list(variant: Variant, cells: bytearray, colour: Colour, text: str) -> None:
    for word in text.split(","):
        token = word.strip()
        if not token:
            continue
        if len(token) > MAX_TOKEN:
            raise BadPosition(f"{token[:20]!r}... is longer than any square's name")
        # "B" and "b" are files or nothing here: only K and P are prefixes, and no board has a file k or p with a digit behind it
        # except the 12x12 board's file k, which is told apart by its small letter.
        kind = _prefix(variant, token)
        squares = _squares(variant, token[1:] if kind else token)
        code = piece_of(colour, kind or Kind.MAN)
        for square in squares:
            if cells[square]:
                raise BadPosition(f"square {variant.board.own_name(square)} is given twice")
            cells[square] = code


def _prefix(variant: Variant, token: str) -> Kind | None:
    kind = _PREFIX.get(token[0].upper())
    if token[0] == "k" and variant.board.columns > 10 and token[1:].isdigit():
        return None if len(token) <= 3 and int(token[1:]) <= variant.board.rows else kind
    return kind


def _squares(variant: Variant, token: str) -> tuple[int, ...]:
    try:
        if "-" not in token:
            return (read_square(variant, token),)
        first, _, last = token.partition("-")
        if not (_is_number(first) and _is_number(last)):
            raise BadPosition(f"{token!r} is not a range of field numbers like 1-12")
        # Both ends are checked before anything is expanded.
        low, high = variant.board.numbered(int(first)), variant.board.numbered(int(last))
    except NoSuchSquare as error:
        raise BadPosition(str(error)) from error
    if int(first) > int(last):
        raise BadPosition(f"the range {token!r} runs backwards; the smaller number comes first")
    numbers = variant.board.numbers
    return numbers[numbers.index(low) : numbers.index(high) + 1]


def read_square(variant: Variant, token: str) -> int:
    """Return the square of a field number or an algebraic name.

    Raises:
        NoSuchSquare: it is neither.
    """
    if _is_number(token):
        return variant.board.numbered(int(token))
    return variant.board.square(token)


def _is_number(token: str) -> bool:
    return token.isascii() and token.isdigit() and len(token) <= 9


def _check_kinds(variant: Variant, position: Position) -> None:
    for square in variant.board.playable:
        kind = position.at(square).kind
        if kind is not None and kind not in variant.movers:
            raise BadPosition(
                f"{variant.board.own_name(square)} holds a {kind.value}, which {variant.key} does not have"
            )


def _letter(piece: Piece) -> str:
    return {Kind.KING: "K", Kind.PARACHUTIST: "P"}.get(piece.kind or Kind.MAN, "")


def _side_letter(colour: Colour) -> str:
    return "WB"[colour]
