"""Our engine behind Hub 2: every line is answered, none ends it."""

import threading
import time
from collections.abc import Callable

import pytest

from damludo.engine import hub_server, memory
from damludo.engine.budget import Clock, most_seconds_for, seconds_for
from damludo.engine.hub_server import HubServer, Wishes
from damludo.engine.hub_text import find_move, read_line, write_position
from damludo.engine.memory import Searcher
from damludo.engine.port import Choice, Limits
from damludo.engine.program import Report, can_compile
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game
from damludo.rules.notation import move_text, parse_fen
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant

needs_numba = pytest.mark.skipif(not can_compile(), reason="numba is not installed here")


class Heard:
    """What a server said; `done` waits for an answer."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.answered = threading.Event()

    def __call__(self, text: str) -> None:
        self.lines.append(text)
        if text.startswith("done"):
            self.answered.set()

    @property
    def done(self) -> str:
        assert self.answered.wait(60.0)
        return self.lines[-1]


Talk = Callable[..., tuple[HubServer, Heard]]


@pytest.fixture
def talk() -> Talk:
    """Return a function that starts a dialogue and says some lines."""

    def say(*lines: str) -> tuple[HubServer, Heard]:
        heard = Heard()
        server = HubServer(heard, compiled=False)
        for line in lines:
            server.hear(line)
        return server, heard

    return say


def test_it_says_who_it_is_and_what_can_be_set(talk: Talk) -> None:
    _, heard = talk("hub")
    lines = [read_line(text) for text in heard.lines]

    assert [line.word for line in lines] == ["id", "param", "param", "param", "wait"]
    assert lines[0].values["name"] == "Damludo"
    assert lines[1].values["values"].split() == ["normal", *VARIANTS]


def test_ready_is_said_once_it_can_play(talk: Talk) -> None:
    assert talk("hub", "init")[1].lines[-1] == "ready"


@pytest.mark.parametrize(("level", "compiled"), [(10, True), (9, True), (6, False)])
def test_init_prepares_what_the_first_move_needs(level: int, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it runs compiled is asked once, so the move searches with what `init` has made ready."""
    asked: list[bool] = []
    real = memory._searcher

    def searcher(game: Variant, fast: bool, report: Report) -> memory.Searcher:
        asked.append(fast)
        return real(game, False, report)

    monkeypatch.setattr(memory, "_searcher", searcher)
    monkeypatch.setattr(memory, "can_compile", lambda: True)
    heard = Heard()
    server = HubServer(heard)
    for line in (f"set-param name=level value={level}", "init", "level nodes=6100", "go think"):
        server.hear(line)

    assert heard.done.startswith("done")
    assert asked == [compiled]


@pytest.mark.parametrize("game", VARIANTS.values(), ids=VARIANTS)
def test_every_game_is_played(talk: Talk, game: Variant) -> None:
    position = write_position(game, game.start)
    _, heard = talk(f"set-param name=variant value={game.key}", f"pos pos={position}", "level nodes=60", "go think")

    move = find_move(game, read_line(heard.done).values["move"], Game.new(game).legal_moves())

    assert move is not None
    assert read_line(heard.lines[-2]).values["nodes"] == "60"


def test_moves_after_the_position_count_for_repetitions(talk: Talk) -> None:
    """Each king goes away and comes back, once: the same moves again would be a draw."""
    position = "W" + "e" * 5 + "W" + "e" * 38 + "B" + "e" * 5
    server, heard = talk(f'pos pos={position} moves="6-1 45-50 1-6 50-45"', "level depth=2", "go think")

    assert heard.done.startswith("done move=6")
    server.hear(f'pos pos={position} moves="6-1 45-50 1-6 50-45 6-1 45-50 1-6 50-44"')
    assert "move 8 of the line, '50-44', is not legal" not in heard.lines[-1]


def test_the_expected_reply_is_told(talk: Talk) -> None:
    _, heard = talk("level depth=4", "go think")

    answer = read_line(heard.done).values
    assert set(answer) == {"move", "ponder"}


def test_an_endless_search_ends_when_it_is_told_to(talk: Talk) -> None:
    server, heard = talk("level infinite", "go analyze")
    server.hear("ping")
    assert heard.lines[-1] == "pong"

    server.hear("stop")

    assert heard.done.startswith("done move=")


def test_a_stop_that_comes_at_once_is_not_forgotten(talk: Talk) -> None:
    for _ in range(5):
        _, heard = talk("level infinite", "go think", "stop")
        assert heard.lines[-1].startswith("done move=")


def test_stop_is_answered_at_once(talk: Talk) -> None:
    """Within 20 ms of this process's own time: what other processes take meanwhile is not ours."""
    server, heard = talk("init", "level infinite", "go analyze")
    time.sleep(0.2)

    before_s = time.process_time()
    server.hear("stop")

    assert heard.lines[-1].startswith("done")
    assert time.process_time() - before_s < 0.02


class Starved:
    """A player whose thread, once it was told to stop, gets no processor until it is let go."""

    def __init__(self, each_depth: Callable[[Choice], None] | None = None, **_: object) -> None:
        self._each_depth = each_depth
        self._free = threading.Event()

    def choose(self, game: Game) -> Choice:
        assert self._each_depth is not None
        first, second = (Choice(move, depth=depth) for depth, move in enumerate(game.legal_moves()[:2], 1))
        self._each_depth(first)
        assert self._free.wait(60.0)
        self._each_depth(second)
        return second

    def stop(self) -> None:
        """Hear nothing of it."""

    def let_go(self) -> None:
        self._free.set()


def test_stop_is_answered_though_the_search_gets_no_processor(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    players: list[Starved] = []

    def starved(*_: object, **named: object) -> Starved:
        players.append(Starved(named["each_depth"]))  # type: ignore[arg-type]
        return players[-1]

    server, heard = talk("init")
    monkeypatch.setattr(hub_server, "AlphaBeta", starved)
    server.hear("go analyze")
    server.hear("stop")

    assert [read_line(text).word for text in heard.lines] == ["ready", "info", "done"]
    assert read_line(heard.lines[-1]).values["move"] == read_line(heard.lines[-2]).values["pv"]

    # What it finds later is not told, and its memory is not used before it has left it.
    players[0].let_go()
    server.hear("pos start")
    assert len(heard.lines) == 3


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_numba)])
def test_after_a_stop_no_ten_further_positions_are_visited(compiled: bool) -> None:
    game = Game.new(variant("english"))
    searcher = Searcher(game.variant, compiled)
    player = AlphaBeta(Limits(), searcher=searcher, compiled=compiled)
    thread = threading.Thread(target=player.choose, args=(game,))
    thread.start()
    while searcher.nodes < 2_000:
        time.sleep(0.001)

    player.stop()
    visited = searcher.nodes
    thread.join(60.0)

    # One is being counted; and the other processor sees the flag a moment after this one has set it.
    assert searcher.nodes <= visited + 10


@pytest.mark.parametrize("depth", range(1, 8))
def test_a_search_that_is_stopped_between_two_depths_begins_no_further_one(depth: int) -> None:
    game = Game.new(variant("english"))
    told: list[Choice] = []

    def tell(choice: Choice) -> None:
        told.append(choice)
        if choice.depth == depth:
            player.stop()

    player = AlphaBeta(Limits(), each_depth=tell, compiled=False)
    answer = player.choose(game)

    assert (answer.depth, answer.nodes) == (depth, told[-1].nodes)


@pytest.mark.parametrize(
    "level",
    [
        pytest.param("move-time=0.01", id="it ends some time after the hit"),
        pytest.param("depth=1", id="it is done and waits for the hit"),
    ],
)
def test_pondering_is_answered_after_the_hit_and_not_before(talk: Talk, level: str) -> None:
    server, heard = talk(f"level {level}", "go ponder")
    time.sleep(0.2)
    assert not heard.answered.is_set()

    server.hear("ponder-hit")

    assert heard.done.startswith("done move=")


def test_of_a_clock_and_a_time_for_the_move_the_shorter_one_counts() -> None:
    clock = Clock(60.0)

    assert Wishes(move_s=0.5, clock=clock).seconds == 0.5
    assert Wishes(move_s=30.0, clock=clock).seconds == most_seconds_for(clock)


def test_every_depth_is_told_with_its_line(talk: Talk) -> None:
    _, heard = talk("level depth=4", "go think")
    assert heard.done
    told = [read_line(text).values for text in heard.lines[:-1]]

    assert [info["depth"] for info in told] == ["1", "2", "3", "4"]
    assert all({"score", "nodes", "time", "nps", "pv"} <= set(info) for info in told)
    assert told[-1]["pv"].split()[0] == read_line(heard.done).values["move"]


def test_meanwhile_nothing_else_is_begun(talk: Talk) -> None:
    server, heard = talk("level infinite", "go think")
    for line in ("go think", "pos start", "level depth=1", "new-game", "set-param name=level value=1", "init"):
        server.hear(line)
        assert heard.lines[-1].startswith('error message="a search is running')
    server.hear("stop")


def test_the_end_of_the_input_ends_the_search() -> None:
    heard = Heard()

    HubServer(heard, compiled=False).serve(["level infinite", "go think"])

    assert heard.lines[-1].startswith("done")


def test_quit_is_the_last_line_read() -> None:
    heard = Heard()

    HubServer(heard, compiled=False).serve(["ping", "quit", "ping"])

    assert heard.lines == ["pong"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("dance", "is not a command"),
        ('pos pos="', "is not name=value"),
        ("pos", "pos needs"),
        ("pos pos=W", "has 1 characters"),
        ('pos pos=""', "has 0 characters"),
        ('pos start moves="1-2"', "is not legal"),
        ("pos pos=B" + "e" * 50 + ' moves="' + "1-2 " * 6_000 + '"', "too many"),
        ("level depth=0", "whole number"),
        ("level nodes=many", "whole number"),
        ("level move-time=nan", "number of seconds"),
        ("level time=-1", "number of seconds"),
        ("level time=1 moves=x", "whole number"),
        ("go backwards", "is unknown"),
        ("set-param name=colour value=red", "there is no parameter"),
        ("set-param name=variant value=chess", "there is no game"),
        ("set-param name=level value=11", "whole number from 1 to 10"),
        ("\x00\xff", "is not a command"),
    ],
)
def test_a_bad_line_is_answered_with_an_error(talk: Talk, line: str, reason: str) -> None:
    server, heard = talk(line)

    assert len(heard.lines) == 1
    assert read_line(heard.lines[0]).word == "error"
    assert reason in read_line(heard.lines[0]).values["message"]
    server.hear("ping")
    assert heard.lines[-1] == "pong"


def test_a_position_that_was_not_understood_is_not_searched(talk: Talk) -> None:
    _, heard = talk("pos pos=nonsense", "go think")

    assert "there is no position" in heard.lines[-1]


def test_a_game_that_is_over_is_not_searched(talk: Talk) -> None:
    _, heard = talk("pos pos=W" + "e" * 49 + "b", "go think")

    assert "the game is over" in heard.lines[-1]


def test_a_low_level_answers_without_a_limit(talk: Talk) -> None:
    _, heard = talk("set-param name=level value=1", "level infinite", "go think")

    assert read_line(heard.done).word == "done"
    assert int(read_line(heard.lines[-2]).values["nodes"]) <= 150


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        pytest.param(Clock(60.0), 1.97, id="a thirtieth of the game's time"),
        pytest.param(Clock(60.0, increment_s=1.0), 2.77, id="and most of the increment"),
        pytest.param(Clock(60.0, moves=4), 14.97, id="an even share of a period"),
        pytest.param(Clock(10.0, moves=1), 9.47, id="nearly all of it for the last move"),
        pytest.param(Clock(0.0), 0.005, id="hardly anything where nothing is left"),
        pytest.param(Clock(0.1, increment_s=10.0), 0.06, id="never more than there is"),
    ],
)
def test_a_clock_is_shared_among_moves(clock: Clock, seconds: float) -> None:
    assert seconds_for(clock) == pytest.approx(seconds)


def test_moves_are_written_for_the_game_that_was_chosen(talk: Talk) -> None:
    rules = variant("russian")
    position = write_position(rules, parse_fen(rules, "W:Wc3,e3:Bd4,f6,h8"))
    _, heard = talk("set-param name=variant value=russian", f"pos pos={position}", "level nodes=2000", "go think")

    legal = Game.new(rules, parse_fen(rules, "W:Wc3,e3:Bd4,f6,h8")).legal_moves()
    move = find_move(rules, read_line(heard.done).values["move"], legal)
    assert move is not None
    assert move_text(rules, move) == "c3xe5xg7"
