"""What a quiet position is worth: a sum of weights, so that the weights can be learnt.

Seen by White. The men are looked at in blocks of eight squares, each block as a number in base 3 (0 empty, 1 White, 2
Black; the square of the block's bit n counts 3 ** n); other pieces one by one by kind and square. All weights stand once
for each phase of the game:

    place            number of weights     what is multiplied
    MAN_WORTH        1                     men more than the opponent's
    TURN             1                     1 for the side to move
    FREEDOM          1                     moves more than the opponent has (only where the game USES_FREEDOM)
    AHEAD            1                     material balance / (pieces on the board + 4), in 64ths
    BY_SQUARE        2 * 3 * WIDTH         1 for each piece that is no man, index (colour * 3 + kind) * WIDTH + bit
    BLOCKS[n][0]     3 ** 8                1 at the number of the block
"""

from damludo.engine.kernels.constants import (
    BLOCKS,
    DRAWISH,
    HAS_EXTRA,
    HAS_KINGS,
    HAS_STEPS,
    KINGS_HOLD,
    PHASE_FROM,
    STUCK_WINS,
    TERNARY,
    USES_FREEDOM,
    WIDTH,
    Set,
    Smalls,
)
from damludo.engine.kernels.moves import capturers, count_quiet, kind_at
from damludo.engine.kernels.places import AHEAD, BY_SQUARE, FREEDOM, MAN_WORTH, SCALE, TURN
from damludo.engine.kernels.whole import count, first, has, rest, some, window


def freedom(own: Set, opp: Set, kings: Set, extra: Set, side: int) -> int:
    """How many pieces can capture, or how many moves there are without capture."""
    able = count(capturers(own, opp, kings, extra, side))
    if HAS_STEPS:
        able += count_quiet(own, opp, kings, extra, side)
    return able


def evaluate(own: Set, opp: Set, kings: Set, extra: Set, side: int, weights: Smalls) -> int:
    """The worth for the side to move, in hundredths of a man."""
    white = own
    black = opp
    if side == 1:
        white = opp
        black = own
    others = kings | extra
    white_men = white & ~others
    black_men = black & ~others
    base = PHASE_FROM[count(white | black)]
    balance = (count(white_men) - count(black_men)) * weights[base + MAN_WORTH]
    score = 0
    for place, low, high in BLOCKS:
        whites = window(white_men, low) | (window(white_men, high) << 4)
        blacks = window(black_men, low) | (window(black_men, high) << 4)
        score += weights[base + place + TERNARY[whites] + 2 * TERNARY[blacks]]
    if HAS_KINGS or HAS_EXTRA:
        while some(others):
            at = first(others)
            others = rest(others)
            colour = 0 if has(white, at) else 3
            balance += weights[base + BY_SQUARE + (colour + kind_at(at, kings, extra)) * WIDTH + at]
    score += balance
    score += (balance * weights[base + AHEAD]) // (64 * (count(white | black) + 4))
    if side == 1:
        score = -score
    if USES_FREEDOM:
        more = freedom(own, opp, kings, extra, side) - freedom(opp, own, kings, extra, 1 - side)
        score += more * weights[base + FREEDOM]
    score = (score + weights[base + TURN]) >> SCALE
    if KINGS_HOLD and some(own & kings) and some(opp & kings):
        # Who has a king holds out against more: a lead is worth half, and against a lone king little unless it is great.
        if min(count(own), count(opp)) > 1:
            score = score >> 1
        elif count(own | opp) <= DRAWISH + 1:
            score = score >> 3
    if STUCK_WINS:
        score = -score
    return score
