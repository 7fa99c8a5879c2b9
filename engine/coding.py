"""Positions and moves of `rules` as the kernels write them, and back."""

from dataclasses import dataclass

from damludo.engine.layout import HALF, KINDS, LOW, layout_of
from damludo.engine.writing import PLAIN, TWO_WORDS, Form, signed
from damludo.rules.position import PIECES, Colour, Position
from damludo.rules.traits import Variant

Word = int | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Coded:
    """A position for the kernels: pieces of the side to move, of the other; which are kings, which of the third kind; the
    side.
    """

    own: Word
    opp: Word
    kings: Word
    extra: Word
    side: int

    @property
    def sets(self) -> tuple[Word, Word, Word, Word]:
        """The four sets in the order of the kernels' arguments."""
        return self.own, self.opp, self.kings, self.extra


def word_of(squares: int, form: Form) -> Word:
    """Return a set as the kernels of a form take it."""
    if form is PLAIN:
        return squares
    return (squares & LOW, squares >> HALF) if form is TWO_WORDS else signed(squares)


def plain_word(word: tuple[int, ...] | int) -> Word:
    """Return a set that a kernel gave as numbers of Python's own."""
    return (int(word[0]), int(word[1])) if isinstance(word, tuple) else int(word)


def squares_of(word: Word) -> int:
    """Return a set as a whole number, the inverse of `word_of`."""
    return word[0] | word[1] << HALF if isinstance(word, tuple) else word if word >= 0 else word & (1 << 64) - 1


def code(variant: Variant, position: Position, form: Form) -> Coded:
    """Return a position as the kernels take it."""
    by_colour = [0, 0]
    by_kind = [0, 0, 0]
    bit_of = layout_of(variant.board).bit_of
    for square in variant.board.playable:
        piece = PIECES[position.cells[square]]
        if piece.colour is not None and piece.kind is not None:
            by_colour[piece.colour] |= 1 << bit_of[square]
            by_kind[KINDS.index(piece.kind)] |= 1 << bit_of[square]
    own, opp = by_colour[position.side], by_colour[Colour(position.side).other]
    words = [word_of(squares, form) for squares in (own, opp, by_kind[1], by_kind[2])]
    return Coded(words[0], words[1], words[2], words[3], int(position.side))
