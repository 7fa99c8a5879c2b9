"""The places of the kernels' memory, and other numbers that they share with the rest of the engine."""

MOVE = 0
SCORE = 1
TAKEN = 2
STRIDE = 4
"""The places of a move."""

END = 0
"""The place behind the last move written."""
BEST = 1
"""Rank of the captures written."""
ORIGIN_FROM = 2
"""Where the captures of the piece in hand begin."""
START = 3
"""Where the writing began."""
COUNTING = 4
LIMIT = 5
"""Moves are written below this place only."""

UNIQUE = 0
SEQUENCES = 1
PATHS = 2
"""How captures are told apart: by identity, also by order of capture, also by landing squares."""

MAN_WORTH = 0
TURN = 1
FREEDOM = 2
AHEAD = 3
BY_SQUARE = 8
SCALE = 3
"""Weights count 2 ** SCALE to a hundredth of a man."""

STOP = 16
"""Not 0: the search is to end; its results since then mean nothing."""
NODES = 17
NODE_LIMIT = 18
ROOT = 19
"""How many positions of the game precede the root."""
ENTRIES = 20
"""Entries of the table, a power of two."""
GENERATION = 21
"""Number of the search, 0 to 255."""
FIRST_SCORE = 26
"""The true score of the best first move."""
WHOLE = 27
"""Not 0: nothing is searched less deep than the rest, and nothing taken from searches that did; then the length of a win is
exact.
"""
KILLERS = 1024
"""Two moves for each ply."""
PATH = 2048
"""Keys of the positions of the game and of the line being searched, the root at PATH + ROOT."""
COUNTERS = 4096
"""For each ply eight places: what the draw rules have counted; in the last one the plies since a move that cannot be taken
back, in the one before how many plies are left to the nearest draw.
"""
COMING = 6144
"""For each ply the move that led there."""
ENDS = 7168
"""For each ply the place behind its moves."""
REDUCTIONS = 7680
"""By how much less deep a late move is searched; index 256 * (narrow window) + 16 * depth + number of the move, both at most
15.
"""
HISTORY = 8192
"""What quiet moves were worth so far, index (side * 128 + origin) * 128 + target."""
ZOBRIST = 40960
"""Numbers of the pieces on the squares, index (side * 3 + kind) * WIDTH + bit; the last one of 512 is that of Black to
move.
"""
MOVES = 49152
"""From here on the moves of the line being searched."""
TABLE = 524288
"""From here on the table, two places for each entry: the key; and move, depth, bound, score and generation in one."""

MATE = 30000
PROVED = 29000
DEEPEST = 120
"""No line is followed further."""
EXACT = 1
AT_LEAST = 2
AT_MOST = 3
UNKNOWN = 1048576
"""No score."""

ENDGAMES = 22
"""Where endgame tables begin, 0 if there are none; the place after it says for how many pieces they are."""
LATEST = 32
"""While tables are made: the greatest value given out so far."""
