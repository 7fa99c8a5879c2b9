"""Between the match and the server: one text for all, and clocks that are never old."""

from typing import Any

from damludo.play.match.events import EventKind
from damludo.play.page.feed import CLOCK_STEP_S

Stage = Any  # conftest's


def _clocks(stage: Stage) -> None:
    clocks = {"white_s": 60.0, "black_s": 60.0, "running": "white"}
    stage.tell(EventKind.TURN, "Your move, white.", side="white", ply=1, claims=[], clocks=clocks)


def test_the_text_of_a_state_is_made_once_for_all_clients(stage: Stage) -> None:
    first = stage.feed.snapshot()
    assert stage.feed.snapshot() is first
    stage.tell(EventKind.NOTE, "Heard.")
    assert stage.feed.snapshot().n == first.n + 1


def test_clocks_that_run_are_shown_anew_but_not_for_each_client(stage: Stage) -> None:
    now_s = 1.0
    stage.feed.now_s = lambda: now_s
    _clocks(stage)
    first = stage.feed.snapshot()
    now_s += 0.5 * CLOCK_STEP_S
    assert stage.feed.snapshot() is first
    now_s = 11.0
    assert '"white_s":50.0' in stage.feed.snapshot().state


def test_a_change_without_an_event_is_a_new_version_of_the_same_event(stage: Stage) -> None:
    before = stage.feed.snapshot()
    stage.feed.show_table(speed=5.0)
    after = stage.feed.snapshot()
    assert (after.n, after.version) == (before.n, before.version + 1)
    assert '"events":[]' in after.message("e1", before.n)


def test_what_changed_is_told_to_the_server_at_once(stage: Stage) -> None:
    changes: list[int] = []
    stage.feed.changed = lambda: changes.append(1)
    stage.tell(EventKind.NOTE, "Heard.")
    stage.feed.show_overlay({"time_s": 1.0})
    stage.feed.show_table(speed=1.0)
    assert len(changes) == 3


def test_the_newest_overlay_alone_is_kept(stage: Stage) -> None:
    assert stage.feed.overlay() == (0, "")
    for number in range(5):
        stage.feed.show_overlay({"time_s": float(number)})
    assert stage.feed.overlay() == (5, '{"kind":"overlay","time_s":4.0}')
