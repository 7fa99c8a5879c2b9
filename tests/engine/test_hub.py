"""Foreign engines play as long as they can, and never stop the game when they cannot: all in real processes."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from damludo.engine.errors import ForeignFailed, ForeignGone, ForeignIllegal, ForeignSilent, GameOver
from damludo.engine.hub import ForeignEngine, Guarded, Hub1, Hub2, Patience, lasting
from damludo.engine.port import Limits
from damludo.engine.process import LineProcess
from damludo.engine.random_player import RandomPlayer
from damludo.rules.game import Game
from damludo.rules.notation import move_text, parse_fen, parse_move
from damludo.rules.variants import variant

IMPATIENT = Patience(start_s=20.0, ready_s=20.0, answer_s=20.0, grace_s=0.3, check_s=20.0)
"""A busy machine starts a process in seconds; only what is never to come is waited for shortly."""
OWN = f"{sys.executable} -m damludo.play.cli engine"

Script = Callable[..., str]


def _foreign(command: str, limits: Limits | None = None, patience: Patience = IMPATIENT) -> ForeignEngine:
    return ForeignEngine(command, Hub2(), limits or Limits(seconds=0.2), patience)


def _start(key: str = "international") -> Game:
    return Game.new(variant(key))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def own_engine(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The command of our own engine, from this checkout, without waiting for a compiler."""
    monkeypatch.setenv("PYTHONPATH", str(root / ".names"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    return OWN


def test_a_foreign_engine_plays_and_tells_its_line(engine_script: Script) -> None:
    go = "print('info depth=7 score=0.25 nodes=99 pv=\"32-28 19-23 28x19x23\"'); print('done move=32-28')"
    with _foreign(engine_script(go)) as engine:
        choice = engine.choose(_start())

    assert engine.name == "Test engine"
    assert (choice.score, choice.depth, choice.nodes) == (0.25, 7, 99)
    assert [move_text(variant("international"), move) for move in choice.pv] == ["d4-e5", "g7-f6", "e5xg7"]


def test_our_own_engine_is_a_foreign_engine_too(own_engine: str) -> None:
    patience = Patience(start_s=100.0, ready_s=100.0, answer_s=100.0, check_s=100.0)
    game = Game.new(variant("russian"), parse_fen(variant("russian"), "W:Wc3,e3:Bd4,f6,h8"))
    with ForeignEngine(own_engine, Hub2(), Limits(nodes=2_000), patience) as engine:
        choice = engine.choose(game)

    assert move_text(game.variant, choice.move) == "c3xe5xg7"
    assert len(choice.pv) == 5


@pytest.mark.parametrize(
    ("go", "error"),
    [
        pytest.param("print('done move=1-2')", ForeignIllegal, id="a move that is not legal"),
        pytest.param("print('done move=32x28x99')", ForeignIllegal, id="a capture of nothing"),
        pytest.param("print('done')", ForeignIllegal, id="no move at all"),
        pytest.param("print('done move=\"')", ForeignIllegal, id="a line that is no line"),
        pytest.param("sys.exit(1)", ForeignGone, id="it ends"),
        pytest.param("import os; os.abort()", ForeignGone, id="it crashes"),
        pytest.param("import time; time.sleep(60)", ForeignSilent, id="it hangs"),
        pytest.param("print('nonsense ' * 50)", ForeignSilent, id="it talks nonsense"),
        pytest.param("[print('info depth=1') for _ in iter(int, 1)]", ForeignSilent, id="it never stops talking"),
        pytest.param("sys.stdout.write('x' * 3_000_000)", ForeignSilent, id="a line without an end"),
        pytest.param("sys.stdout.buffer.write(bytes(range(256)) * 9)", ForeignSilent, id="bytes that are no text"),
    ],
)
def test_what_a_bad_engine_does_is_named(engine_script: Script, go: str, error: type[ForeignFailed]) -> None:
    with _foreign(engine_script(go)) as engine:
        with pytest.raises(error):
            engine.choose(_start())

        assert engine._process is None


def test_an_engine_that_cannot_be_started_is_gone() -> None:
    with pytest.raises(ForeignGone, match="cannot be started"):
        _foreign("/no/such/engine hub").choose(_start())


@pytest.mark.parametrize("command", ["", "  ", "'unfinished"])
def test_a_command_that_is_none_is_said(command: str) -> None:
    with pytest.raises(ForeignGone):
        _foreign(command).choose(_start())


def test_an_engine_that_never_greets_is_given_up(engine_script: Script) -> None:
    silent = engine_script(source="import time\ntime.sleep(60)\n")

    with pytest.raises(ForeignSilent, match=r"'wait' within 0\.3 s"):
        _foreign(silent, patience=Patience(start_s=0.3)).choose(_start())


def test_a_slow_start_is_waited_for(engine_script: Script) -> None:
    slow = engine_script("print('done move=32-28')").split()[-1]
    path = Path(slow)
    path.write_text("import time\ntime.sleep(0.5)\n" + path.read_text("utf-8"), encoding="utf-8")

    with _foreign(f"{sys.executable} -I {path}") as engine:
        assert engine.choose(_start()).move == parse_move(variant("international"), _start().position, "32-28")


def test_a_game_that_an_engine_does_not_play_is_refused(engine_script: Script) -> None:
    with pytest.raises(ForeignGone, match="does not play turkish"):
        _foreign(engine_script()).choose(_start("turkish"))


def test_an_answer_to_an_earlier_position_is_no_answer_to_this(engine_script: Script) -> None:
    """It answers twice: what is left over from the first move must not be taken for the second one."""
    go = "print('done move=32-28'); print('done move=31-27')"
    game = _start("international")
    with _foreign(engine_script(go)) as engine:
        first = engine.choose(game).move
        after = game.make(first).make(parse_move(game.variant, game.make(first).position, "19-23"))
        with pytest.raises(ForeignIllegal, match="'32-28'"):
            engine.choose(after)


def test_closing_ends_the_process_and_what_it_started(engine_script: Script, tmp_path: Path) -> None:
    note = tmp_path / "child.pid"
    child = f"{sys.executable!r}, '-c', 'import time; time.sleep(60)'"
    source = (
        "import subprocess, time\n"
        f"open({str(note)!r}, 'w').write(str(subprocess.Popen([{child}]).pid) + ' ')\n"
        "print('up', flush=True)\ntime.sleep(60)\n"
    )
    process = LineProcess(engine_script(source=source))
    assert process.receive(time.monotonic() + 60.0, "up", 60.0) == "up"
    grandchild = int(note.read_text())

    process.close()
    process.close()

    assert not _is_running(process.pid)
    for _ in range(500):  # whose parent is gone is collected by the system, in its own time
        if not _is_running(grandchild) or "Z" in Path(f"/proc/{grandchild}/stat").read_text().split()[2]:
            break
        time.sleep(0.02)
    else:
        os.kill(grandchild, signal.SIGKILL)
        pytest.fail("what the engine had started still runs")


def test_a_failing_engine_is_started_again_and_then_replaced(engine_script: Script) -> None:
    said: list[str] = []
    game = _start()
    guarded = Guarded(_foreign(engine_script("print('done move=1-2')")), RandomPlayer(1), said.append)

    moves = []
    for _ in range(3):
        moves.append(guarded.choose(game).move)
        game = game.make(moves[-1])
    guarded.close()

    assert guarded.faults == {"illegal": 3}
    assert guarded.replaced
    assert [sentence.rsplit(". ", 1)[1] for sentence in said] == [
        "It is started again.",
        "Damludo's own engine makes this move.",
        "Damludo's own engine plays on in its place.",
    ]
    assert "answered '1-2', which is no legal move in W:W" in said[0]


def test_an_engine_that_crashes_once_plays_on(engine_script: Script, tmp_path: Path) -> None:
    mark = tmp_path / "crashed"
    go = f"import os; (print('done move=32-28') if os.path.exists({str(mark)!r}) else (open({str(mark)!r}, 'w'), os.abort()))"
    said: list[str] = []
    guarded = Guarded(_foreign(engine_script(go)), RandomPlayer(1), said.append)

    choice = guarded.choose(_start())
    guarded.close()

    assert move_text(variant("international"), choice.move) == "d4-e5"
    assert len(said) == 1
    assert said[0].endswith("has ended; try its command in a terminal. It is started again.")
    assert not guarded.replaced


def test_the_end_of_a_game_is_no_failure(engine_script: Script) -> None:
    game = Game.new(variant("international"), parse_fen(variant("international"), "W:W:BK1"))

    with pytest.raises(GameOver):
        _foreign(engine_script()).choose(game)


HUB_1 = """
import sys
for line in sys.stdin:
    words = line.split()
    if words == ["hub"]:
        print("name Old engine"); print("author somebody"); print("wait")
    elif words == ["init"]:
        print("ready")
    elif words == ["ping"]:
        print("pong")
    elif words[:1] == ["pos"] and words[1][0] not in "wb":
        print("error bad position")
    elif words[:1] == ["pos"]:
        side = words[1][0]
    elif words == ["go"]:
        print("info 9 11.2 35 1234 0.1 2.0 31-27"); print("move " + ("31-27 19-23" if side == "w" else "19-23"))
    elif words == ["quit"]:
        break
    sys.stdout.flush()
"""


def test_hub_1_is_spoken_too(engine_script: Script) -> None:
    with ForeignEngine(engine_script(source=HUB_1), Hub1(), Limits(seconds=0.1), IMPATIENT) as engine:
        choice = engine.choose(_start())

    assert engine.name == "Old engine"
    assert move_text(variant("international"), choice.move) == "b4-c5"
    assert (choice.score, choice.depth, choice.nodes) == (0.35, 9, 1234)


def test_hub_1_knows_no_other_game(engine_script: Script) -> None:
    with pytest.raises(ForeignGone, match="does not play english"):
        ForeignEngine(engine_script(source=HUB_1), Hub1(), Limits(seconds=0.1), IMPATIENT).choose(_start("english"))


def test_only_the_moves_of_kings_are_told_with_a_position() -> None:
    rules = variant("international")
    game = Game.new(rules, parse_fen(rules, "W:W32,K6:B7,K45"))
    for text in ("32-28", "45-40", "6-1", "40-45"):
        game = game.make(parse_move(rules, game.position, text))

    start, moves = lasting(game)

    assert start.position == game.positions[1]
    assert moves == game.moves[1:]
