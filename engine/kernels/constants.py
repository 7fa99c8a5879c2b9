"""The names of a game's constants. `damludo.engine.layout` makes the values from the game's traits.

A set of squares has one bit for each square. A *way* is a direction by number. Sides are 0 (White) and 1 (Black), 2
stands for either. Kinds are 0 (man), 1 (king), 2 (another kind, such as a parachutist); a mask of kinds has bit `1 <<
kind`, and 0 stands for all kinds.
"""

from typing import TypeAlias

Set: TypeAlias = int
"""A set of squares; two machine words where one does not hold the board."""
Ints: TypeAlias = "list[int]"
"""A flat array of whole numbers that a kernel may write to."""
Smalls: TypeAlias = "list[int]"
"""A flat array of weights; short numbers."""
Pair: TypeAlias = tuple[int, int]
"""A set in two machine words."""

WIDTH: int
"""Number of bits, unused ones among them included."""
BOARD: Set
"""All squares."""
EMPTY: Set
"""No square."""
HAS_KINGS: bool
HAS_EXTRA: bool
"""The game has a third kind of piece."""
AT_ONCE: bool
"""Captured pieces leave as soon as they are jumped; otherwise after the move."""
MAY_STOP: bool
"""A capture may stop after any jump."""
NO_REVERSAL: bool
STRAIGHT: bool
"""How the direction may change between two jumps of one move: not straight back, not at all; otherwise freely."""
PREFERENCE: tuple[int, ...]
"""The properties by which captures are ranked, as numbers of `rules.traits.Preference`."""
RANKS_KINGS: bool
"""Which captures are legal depends on the kings they take."""
SELECTIVE: bool
"""Some piece may not take every kind."""
OPENING: bool
"""On a full board and with one hole each side takes a piece of its own off."""
OPENING_FIRST: Set
"""Where the first of them may be."""
NEIGHBOUR_WAYS: tuple[int, ...]
STUCK_WINS: bool
"""Who has no legal move wins."""
CROWN_STOPS: tuple[int, ...]
CROWN_GOES_ON: tuple[int, ...]
"""For each kind: its move ends where it is crowned; it is crowned in mid-capture and goes on as what it has become."""
CROWNING_GOES_ON: bool
"""Some kind does the latter."""
BECOMES: tuple[int, ...]
"""The kind after landing; index (side * 3 + kind) * WIDTH + bit."""
NEXT: tuple[int, ...]
"""The next bit of a way, -1 at the rim; index way * WIDTH + bit."""
OPPOSITE: tuple[int, ...]
"""The way back of a way."""
SHORT_STEPS: tuple[tuple[int, int, tuple[tuple[int, Set, bool], ...]], ...]
"""(side, kind, ((shift, squares with such a step, may also leap a line of own men), ...)) for pieces that move one square."""
SLIDES: tuple[tuple[int, int, tuple[int, ...]], ...]
"""(side, kind, ways) for pieces that move any distance."""
SHORT_JUMPS: tuple[tuple[int, int, tuple[tuple[int, Set, int], ...]], ...]
"""(side, kind, ((shift, squares with such a jump, victims), ...)) for first jumps over a neighbour."""
FOLLOWED_JUMPS: tuple[tuple[int, int, tuple[tuple[int, Set, int], ...], tuple[tuple[int, Set, int], ...]], ...]
"""The same, each with the jumps that such a piece has after the first."""
AFAR_JUMPS: tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]
"""(side, kind, ((way, victims), ...)) for first jumps from any distance."""
LINES_FROM: tuple[int, ...]
"""Where in LINES the lines of a piece begin; index (later * 2 + side) * 3 + kind, `later` is 1 after the first jump."""
LINES: tuple[int, ...]
LINE_WAY: tuple[int, ...]
LINE_AFAR: tuple[int, ...]
"""Over the first piece at any distance; otherwise over the neighbour only."""
LINE_FAR: tuple[int, ...]
"""Landing at any distance; otherwise directly behind only."""
LINE_VICTIMS: tuple[int, ...]
HAS_STEPS: bool
"""There are moves without capture."""
USES_FREEDOM: bool
"""Freedom to move is what the game is about."""
DRAWISH: int
"""So many pieces do not beat a lone king by themselves; 0 where two are enough."""
KINGS_HOLD: bool
"""Kings escape from kings: a lead is worth less where both sides have one."""
PHASE_FROM: tuple[int, ...]
"""Where the weights for so many pieces begin."""
BLOCKS: tuple[tuple[int, int, int], ...]
"""(first weight, bit of the first four squares, bit of the other four) of each block."""
TERNARY: tuple[int, ...]
"""The number in base 3 whose digits are the bits of an index of 8 bits."""
RULES: tuple[tuple[int, int, int, bool, int, int, int, int, int, int, int, int, int, int, Set, Set], ...]
"""The rules that make a draw of moves without progress:
(number, plies, events that restart it, strong side's moves alone, has a balance, pieces on the board from, to, strong
pieces from, to, strong kings from, to, weak pieces from, to, weak kings from, squares of the strong, squares of the
weak)."""
BARE: tuple[tuple[int, int, int, int], ...]
"""Draws at once: (strong pieces from, to, weak pieces from, to)."""
MAN_RETURNS: bool
"""Moves of men may be taken back by other moves: a position can come again though men moved."""
SQUARES: int
"""Number of squares."""
SYMMETRIC: bool
"""Turned by half a turn, with the colours swapped, the game is the same."""
NUMBERS: tuple[int, ...]
"""The number of a bit's square within a group of squares, -1 if it is not in it; index group * WIDTH + bit."""
PLACE_OF: tuple[int, ...]
"""The bit of the square with a number within a group; index group * SQUARES + number."""
WAYS: tuple[int, ...]
"""In how many ways so many squares of a group are chosen; index 8 * group + size."""
BINOMIAL: tuple[int, ...]
"""Binomial coefficients; index 8 * n + k for n over k."""
BALANCE_FROM: tuple[int, ...]
"""The first entry of a balance of pieces, -1 if there are none; index 256 * side + balance."""
