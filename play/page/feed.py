"""Between the match's thread and the server's: the newest state, the numbered events, answers; all of it bounded.

The match never waits here: what it tells is reduced under a lock that nobody holds for longer than it takes to copy references.
"""

import json
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from damludo.play.match.events import MatchEvent
from damludo.play.page.shown import TableShown, as_json
from damludo.play.page.state import PageState, state_after

CLOCK_STEP_S = 0.2
"""Clocks in a state are at most so old when it is sent."""
KEPT_EVENTS = 400
"""Events kept for clients that missed some; who missed more has the whole state anyway."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a client may be sent, in one moment.

    Attributes:
        version: grows with every change of the state, also those without an event.
        n: number of the newest event.
        state: JSON text of the state.
        events: JSON texts of the newest events, with their numbers, rising.
    """

    version: int
    n: int
    state: str
    events: tuple[tuple[int, str], ...]

    def message(self, epoch: str, since: int) -> str:
        """Return the message for a client that has the events up to `since`."""
        missed = ",".join(text for number, text in self.events if number > since)
        return f'{{"kind":"state","epoch":"{epoch}","n":{self.n},"events":[{missed}],"state":{self.state}}}'


class Feed:
    """A `Listener` of matches, read by the server.

    Attributes:
        changed: called after every change, in the thread that changed something; must return at once.
        now_s: the time on the match's clock, None while there is no match.
    """

    def __init__(self, state: PageState, table: TableShown) -> None:
        self._lock = threading.Lock()
        self._state, self._table = state, table
        self._version, self._n = 1, 0
        self._events: deque[tuple[int, MatchEvent]] = deque(maxlen=KEPT_EVENTS)
        self._snapshot: Snapshot | None = None
        self._made_s = 0.0
        self._overlay: tuple[int, Mapping[str, Any]] = (0, {})
        self._overlay_text: tuple[int, str] = (0, "")
        self.changed: Callable[[], None] = lambda: None
        self.now_s: Callable[[], float] | None = None

    def __call__(self, event: MatchEvent) -> None:
        """Take in one event of the match."""
        with self._lock:
            self._state = state_after(self._state, event)
            self._n += 1
            self._version += 1
            self._events.append((self._n, event))
        self.changed()

    @property
    def version(self) -> int:
        """Grows with every change of what is shown."""
        return self._version

    @property
    def state(self) -> PageState:
        """The newest state."""
        return self._state

    @property
    def table(self) -> TableShown:
        """What is shown of the table."""
        return self._table

    def begin(self, state: PageState) -> None:
        """Show another match from now on."""
        with self._lock:
            self._state = state
            self._version += 1
        self.changed()

    def show_table(self, **changes: Any) -> None:
        """Change what is shown of the table."""
        with self._lock:
            self._table = replace(self._table, **changes)
            self._version += 1
        self.changed()

    def show_overlay(self, overlay: Mapping[str, Any]) -> None:
        """Show something else over the camera's picture; the mapping must not be changed afterwards."""
        self._overlay = (self._overlay[0] + 1, overlay)
        self.changed()

    def overlay(self) -> tuple[int, str]:
        """Return the number and the message of the newest overlay, (0, "") before the first. Called by the server."""
        number, overlay = self._overlay
        if number != self._overlay_text[0]:
            self._overlay_text = number, json.dumps({"kind": "overlay", **overlay}, separators=(",", ":"))
        return self._overlay_text

    def snapshot(self) -> Snapshot:
        """Return what clients may be sent now. Called by the server; made once for each version, or when its clocks are old."""
        with self._lock:
            version, n, state, table = self._version, self._n, self._state, self._table
            events = tuple(self._events)
        now_s = self.now_s() if self.now_s is not None else None
        made, age_s = self._snapshot, math.inf if now_s is None else abs(now_s - self._made_s)
        if made is not None and made.version == version and (state.clocks is None or age_s < CLOCK_STEP_S):
            return made
        texts = made.events if made is not None and made.n == n else tuple((k, _event_text(k, e)) for k, e in events)
        whole = json.dumps(as_json(state, table, now_s), ensure_ascii=False, separators=(",", ":"))
        self._made_s = now_s or 0.0
        self._snapshot = Snapshot(version, n, whole, texts)
        return self._snapshot


def _event_text(number: int, event: MatchEvent) -> str:
    document = {
        "n": number,
        "kind": event.kind.value,
        "time_s": round(event.time_s, 3),
        "text": event.text,
        "data": dict(event.data),
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
