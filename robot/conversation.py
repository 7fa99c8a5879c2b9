"""The dialogue with one controller: counts unanswered lines, keeps the last report, notices resets. Knows no motion."""

from dataclasses import dataclass, replace

from damludo.robot.clock import Clock
from damludo.robot.dialect import Dialect
from damludo.robot.errors import LineError, LineSilent
from damludo.robot.gcode import Alarm, Answer, Banner, Error, Ok, Status, Unknown, parse
from damludo.robot.line import Line
from damludo.robot.machine import Triple


@dataclass(slots=True)
class LineCounters:
    """How trustworthy the cable is; grows for the life of the connection."""

    unknown_lines: int = 0
    stray_answers: int = 0
    lost_answers: int = 0
    resets: int = 0


class Conversation:
    """Lines out, answers in, sorted by kind and never by order.

    Attributes:
        pending: lines sent and not answered.
        report: the last status report with its machine position filled in; None since the last reset.
        reports: how many reports came; tells an old one from a new one.
        unanswered_queries: status queries since the last report.
        alarm: number of the last alarm, None after `forget_faults`.
        error: number of the last refusal of a line, None after `forget_faults`.
    """

    def __init__(self, line: Line, dialect: Dialect, clock: Clock) -> None:
        self.dialect = dialect
        self.counters = LineCounters()
        self.pending = 0
        self.report: Status | None = None
        self.reports = 0
        self.unanswered_queries = 0
        self.alarm: int | None = None
        self.error: int | None = None
        self._line = line
        self._clock = clock
        self._offset: Triple | None = None

    def send(self, text: str) -> None:
        """Send one line that will be answered.

        Raises:
            LineError: the line is longer than the controller can take, or the `Line` refuses it.
        """
        if len(text) > self.dialect.line_limit:
            raise LineError(
                f"a line of {len(text)} characters is longer than the controller's {self.dialect.line_limit}; nothing was sent"
            )
        self._line.send(text)
        self.pending += 1

    def realtime(self, byte: int) -> None:
        """Send a real-time byte; allowed from any thread."""
        self._line.realtime(byte)

    def query(self) -> None:
        """Ask for a report."""
        self.unanswered_queries += 1
        self._line.realtime(self.dialect.status_byte)

    def receive(self, timeout_s: float) -> Answer | None:
        """Return the next answer, None if nothing came within `timeout_s`."""
        try:
            answer = parse(self._line.receive(max(timeout_s, 0.0)), self.dialect)
        except LineSilent:
            return None
        return self._note(answer)

    def drain(self, quiet_s: float = 0.0, limit_s: float = 5.0) -> list[Answer]:
        """Read until nothing comes for `quiet_s`, at most for `limit_s`; return what came."""
        answers: list[Answer] = []
        until_s = self._clock.now_s() + limit_s
        while (answer := self.receive(quiet_s)) is not None:
            answers.append(answer)
            if self._clock.now_s() > until_s:
                break
        return answers

    def forget_faults(self) -> None:
        """Begin anew: alarms and refusals of before were dealt with, and no line is waited for."""
        self.alarm = self.error = None
        self.report = None
        self.pending = 0

    def forgive(self) -> None:
        """Count the pending line as answered: its `ok` got lost on the way."""
        self.counters.lost_answers += 1
        self.pending = 0

    def close(self) -> None:
        """Let go of the line."""
        self._line.close()

    def _note(self, answer: Answer) -> Answer:
        if isinstance(answer, Ok | Error):
            if self.pending:
                self.pending -= 1
            else:
                self.counters.stray_answers += 1
                # The answer to nothing that was sent (an `error:7` of a blank memory): must not fail what is sent next.
                return Unknown("stray answer")
            if isinstance(answer, Error):
                self.error = answer.number
        elif isinstance(answer, Alarm):
            self.alarm = answer.number
        elif isinstance(answer, Banner):
            self.counters.resets += 1
            self.pending = 0
            self.unanswered_queries = 0
            self.report = self._offset = None
        elif isinstance(answer, Status):
            return self._note_report(answer)
        elif isinstance(answer, Unknown) and answer.text:
            self.counters.unknown_lines += 1
        return answer

    def _note_report(self, report: Status) -> Status:
        if report.offset is not None:
            self._offset = report.offset
        if report.machine is None and report.work is not None and self._offset is not None:
            x, y, z = (work + offset for work, offset in zip(report.work, self._offset, strict=True))
            report = replace(report, machine=(x, y, z))
        self.report = report
        self.reports += 1
        self.unanswered_queries = 0
        return report
