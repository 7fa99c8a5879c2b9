"""Games as text: Portable Draughts Notation, read leniently and written canonically.

One bad game does not spoil a file: each game that is read carries its problems. The scanner goes once over the text; comments,
variations, move strengths and annotations are skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from textwrap import wrap

from damludo.rules.ending import Result
from damludo.rules.errors import BadMove, BadPosition, BadRecord, IllegalMove, RulesError
from damludo.rules.fen import format_fen, parse_fen
from damludo.rules.game import Game
from damludo.rules.moves import Move, all_routes, legal_moves, play
from damludo.rules.notation import matching_moves, move_notation, move_text, parse_move, parse_standing_move
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant

MAX_BYTES = 262_144
"""Longest file that is read, in bytes of UTF-8."""

MAX_GAMES = 5_000
"""Most games of one file; in so many bytes real games are fewer."""

MAX_DEPTH = 32
"""Deepest nesting of variations."""

MAX_PROBLEMS = 10
"""Most strange things that are told of one game."""

MAX_MOVES = 2_000
"""Most plies of one game."""

STANDS = "stands"
"""The comment on a missed or too small capture that the opponent let stand."""

RULING = "ruling:"
"""How a comment begins that holds a ruling."""

DEFAULT_GAME = "international"
"""What a file without GameType means, by the PDN standard."""

# The games of a collection share their openings, and five thousand of one move each are read in a fraction of the time.
_routes = lru_cache(maxsize=1_024)(all_routes)

# Every alternative begins with its own letter or class, and what repeats has one way to match: the scanner goes back at most to
# the beginning of a token, and no two tokens share what is read again. A comment without an end stops before the next tags.
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<line>;[^\n]*|(?:(?<=\n)|\A)%[^\n]*)
      | (?P<comment>\{[^}\n]*+(?:\n(?![ \t]*\[[ \t]*\w+[ \t]*")[^}\n]*+)*+\}?)
      | (?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\])
      | (?P<open>\()
      | (?P<close>\))
      | (?P<nag>\$\d*)
      | (?P<strength>[!?]+)
      | (?P<result>(?:1/2-1/2|[012]-[012](?!\d)|\*(?!\w)))
      | (?P<number>\d*\.+)
      | (?P<word>[A-Za-z0-9:×*–−-]+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


_DASHES = str.maketrans("–−", "--")
"""What word processors make of the sign between two squares."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be taken over.

    Attributes:
        game: which game of the file, counted from 1.
        ply: which ply of it, counted from 1; 0 for the head of the game.
        text: what stands there.
        reason: what is wrong, in a sentence.
    """

    game: int
    ply: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class PdnGame:
    """One game of a file.

    Attributes:
        game: the moves up to the first problem.
        tags: the tags in the order of the file.
        result: "1-0", "1/2-1/2", "*", ... as it stands in the file.
        problems: what could not be taken over; empty if all is well.
        rulings: what the referee ruled, by the ply it was about, counted from 1.
    """

    game: Game
    tags: Mapping[str, str]
    result: str
    problems: tuple[Problem, ...] = ()
    rulings: Mapping[int, str] = field(default_factory=dict)

    @property
    def ended(self) -> Result | None:
        """How the file says that the game ended; None if it does not say."""
        if self.result in ("*", "0-0"):
            return None
        winner = winner_of(self.game.variant, self.result)
        return Result(winner, "So the record says.")


@dataclass(slots=True)
class _Raw:
    """The parts of one game, not yet understood."""

    tags: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    strange: list[tuple[int, str, str]] = field(default_factory=list)
    rulings: dict[int, str] = field(default_factory=dict)
    standing: set[int] = field(default_factory=set)
    result: str = "*"

    def note(self, text: str, reason: str) -> None:
        """Keep something strange that stands behind the last word, if there is not enough of it already."""
        if len(self.strange) < MAX_PROBLEMS:
            self.strange.append((len(self.words), text, reason))

    def remark(self, comment: str) -> None:
        """Keep what a comment of ours says about the last word, or about the start."""
        if not comment.endswith("}"):
            self.note(comment[:20], "this comment has no end")
        said = comment[1:].rstrip("}").strip()
        if said == STANDS:
            self.standing.add(len(self.words))
        elif said.startswith(RULING):
            earlier = self.rulings.get(len(self.words))
            ruling = " ".join(said.removeprefix(RULING).split())
            self.rulings[len(self.words)] = f"{earlier}; {ruling}" if earlier else ruling


def decode_pdn(raw: bytes) -> str:
    """Return the text of a file: UTF-8, else Windows-1252 as older programs wrote it.

    Raises:
        BadRecord: the file is too long.
    """
    if len(raw) > MAX_BYTES:
        raise BadRecord(f"the file has {len(raw)} bytes, at most {MAX_BYTES} are read; cut it into smaller ones")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def read_pdn(text: str, game: Variant | None = None) -> tuple[PdnGame, ...]:
    """Return the games of a file.

    Args:
        text: the file.
        game: which game it is; None to find it from the tags GameType and Variant.

    Raises:
        BadRecord: the file is too long or holds too many games; anything smaller is a `Problem` of one game.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadRecord(f"the file has more than {MAX_BYTES} bytes; cut it into smaller ones")
    games = list(islice(_games(text), MAX_GAMES + 1))
    if len(games) > MAX_GAMES:
        raise BadRecord(f"the file has more than {MAX_GAMES} games; cut it into smaller ones")
    return tuple(_understood(number, raw, game) for number, raw in enumerate(games, 1))


def write_pdn(
    game: Game,
    tags: Mapping[str, str] | None = None,
    result: Result | None = None,
    rulings: Mapping[int, str] | None = None,
) -> str:
    """Return a game as PDN, moves in the game's own notation, lines of at most 80 characters.

    Comments of two forms follow a move: `{stands}`, a missed or too small capture that the opponent let stand, and
    `{ruling: ...}`, what the referee ruled on the way to this move.

    Args:
        game: the game.
        tags: further tags (Event, White, Black, ...), written in the given order.
        result: how it ended; None for what the rules say, "*" if it goes on.
        rulings: what the referee ruled, by the ply it was about, counted from 1; 0 for what was ruled before the first.
    """
    ended = result or game.result()
    token = result_token(game.variant, ended)
    # What the game itself says is taken from the game: a tag about another start or another game would make it unreadable.
    heads = {name: value for name, value in (tags or {}).items() if name not in ("GameType", "Variant", "SetUp", "FEN")}
    heads["Result"] = token
    if game.variant.pdn_game_type:
        heads["GameType"] = game.variant.pdn_game_type
    else:
        heads["Variant"] = game.variant.key
    if game.start != game.variant.start or not game.variant.pdn_game_type:
        heads["SetUp"], heads["FEN"] = "1", format_fen(game.variant, game.start)
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in heads.items()]
    text = " ".join([*_numbered(game, rulings or {}), token])
    # A long capture has more than 80 characters: it stays in one piece.
    return "\n".join([*lines, "", *wrap(text, 80, break_on_hyphens=False, break_long_words=False), ""])


def result_token(game: Variant, result: Result | None) -> str:
    """Return the result as PDN writes it: two points for a win in International and Canadian, one elsewhere.

    The first number belongs to the side that begins: in English records "1-0" is a win of Black.
    """
    if result is None:
        return "*"
    win, draw = ("2", "1") if game.board.columns > 8 else ("1", "1/2")
    if result.winner is None:
        return f"{draw}-{draw}"
    return f"{win}-0" if result.winner is game.start.side else f"0-{win}"


def winner_of(game: Variant, token: str) -> Colour | None:
    """Return who won by a PDN result, "1-0" as well as "2-0"; None for a draw and for a game without a result."""
    if token in ("1-0", "2-0"):
        return game.start.side
    return game.start.side.other if token in ("0-1", "0-2") else None


def _numbered(game: Game, rulings: Mapping[int, str]) -> Iterator[str]:
    first = game.start.side
    if 0 in rulings:
        yield _ruling(rulings[0])
    for ply, (position, move) in enumerate(zip(game.positions, game.moves, strict=False)):
        if position.side is first:
            yield f"{ply // 2 + 1}."
        stands = all(move.identity != legal.identity for legal in legal_moves(game.variant, position))
        # A removal has no origin to go from: written by its square alone. What stands is written in full: the short form looks
        # only at legal moves.
        text = move_text(game.variant, move) if stands else move_notation(game.variant, position, move)
        yield text.removeprefix("remove:")
        if stands:
            yield "{" + STANDS + "}"
        if ply + 1 in rulings:
            yield _ruling(rulings[ply + 1])


def _ruling(text: str) -> str:
    return "{" + RULING + " " + " ".join(text.replace("}", ")").split()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _games(text: str) -> Iterator[_Raw]:
    """Cut a file into games: a result ends one, and so does a tag behind moves."""
    raw, depth = _Raw(), 0
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if match["tag"] is not None:
            if depth:
                raw.note("(", "this variation has no end")
            if raw.words:
                yield raw
                raw = _Raw()
            depth = 0
            raw.tags[match["name"]] = match["value"].replace('\\"', '"').replace("\\\\", "\\")
        elif kind == "open":
            depth += 1
            if depth > MAX_DEPTH:
                raw.note(token, f"variations are nested deeper than {MAX_DEPTH}")
        elif kind == "close":
            if not depth:
                raw.note(token, "this bracket closes nothing")
            depth = max(0, depth - 1)
        elif kind == "comment" and not depth:
            raw.remark(token)
        elif depth or kind in ("blank", "line", "nag", "strength", "number"):
            continue
        elif kind == "result":
            raw.result = token
            if raw.tags or raw.words or raw.strange:
                yield raw
            raw = _Raw()
        elif kind == "word":
            _append_word(raw, token)
        else:
            raw.note(token, "this is neither a move nor a comment")
    if depth:
        raw.note("(", "this variation has no end")
    if raw.words or raw.tags or raw.strange:
        yield raw


def _append_word(raw: _Raw, word: str) -> None:
    """Add a move. "8x 15" and "8 x15" are one; a star behind a move says that it was forced."""
    word = word.translate(_DASHES).rstrip("*") or word
    if raw.words and (raw.words[-1][-1] in "-x:×" or word[0] in "-x:×"):
        raw.words[-1] += word
    else:
        raw.words.append(word)


def _understood(number: int, raw: _Raw, given: Variant | None) -> PdnGame:
    problems = [Problem(number, ply + 1, text, reason) for ply, text, reason in raw.strange]
    game_variant = given or VARIANTS[DEFAULT_GAME]
    try:
        game_variant = given or _variant_of(raw.tags)
        start = parse_fen(game_variant, raw.tags["FEN"]) if raw.tags.get("FEN") else game_variant.start
        _routes(game_variant, start)  # refuses what no game leads to, before anything rests on it
    except RulesError as error:
        problems.append(Problem(number, 0, raw.tags.get("FEN", ""), str(error)))
        return PdnGame(Game.new(game_variant), raw.tags, raw.result, tuple(problems))
    game, stopped = _played(Game.new(game_variant, start), number, raw)
    return PdnGame(game, raw.tags, raw.result, (*problems, *stopped), raw.rulings)


def _played(game: Game, number: int, raw: _Raw) -> tuple[Game, tuple[Problem, ...]]:
    positions, moves, words = list(game.positions), list(game.moves), raw.words
    problem: tuple[Problem, ...] = ()
    for ply, word in enumerate(words, 1):
        try:
            if ply > MAX_MOVES:
                raise BadMove(f"the game has more than {MAX_MOVES} plies")
            move = _standing(game.variant, positions[-1], word) if ply in raw.standing else None
            move = move or _move(game.variant, positions[-1], word, words[ply : ply + 1])
        except RulesError as error:
            problem = (Problem(number, ply, word[:40], str(error)),)
            break
        moves.append(move)
        positions.append(play(game.variant, positions[-1], move))
    return Game(game.variant, tuple(positions), tuple(moves)), problem


def _standing(game: Variant, position: Position, word: str) -> Move | None:
    """Return the move of a word of which a comment says that it was let stand; None if the comment meant something else."""
    try:
        return parse_standing_move(game, position, word) if game.missed_capture_may_stand else None
    except IllegalMove:
        return None


def _move(game: Variant, position: Position, word: str, following: Sequence[str]) -> Move:
    """Return the move of a word. Old records shorten too much: of several meanings the first that the next word fits is taken.

    Raises:
        RulesError: it means no move.
    """
    meant = matching_moves(game, word, _routes(game, position))
    for move in meant if len(meant) > 1 else ():
        after = play(game, position, move)
        if all(matching_moves(game, next_word, _routes(game, after)) for next_word in following):
            return move
    if not meant and game.missed_capture_may_stand:
        return parse_standing_move(game, position, word)
    return meant[0] if meant else parse_move(game, position, word)


def _variant_of(tags: Mapping[str, str]) -> Variant:
    """Return the game that the tags name. Where other programs write their own word into Variant, the number decides.

    Raises:
        UnknownGame: the tag Variant names none, and there is no GameType.
        BadPosition: the number in GameType is none of our games.
    """
    number = tags.get("GameType", "").split(",")[0].strip()
    named = tags.get("Variant", "").lower()
    if named in VARIANTS or (named and not number):
        return variant(named)
    if not number:
        return VARIANTS[DEFAULT_GAME]
    for game in VARIANTS.values():
        if (game.pdn_game_type or "").split(",")[0] == number:
            return game
    raise BadPosition(f"GameType {number[:20]} is none of the games of this program")
