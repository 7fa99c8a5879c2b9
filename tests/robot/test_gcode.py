"""Lines to values and values to lines."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import RobotError
from damludo.robot.gcode import Alarm, Answer, Banner, Error, Message, Ok, Setting, Status, Unknown, number, parse


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("ok", Ok()),
        ("ok\r", Ok()),
        ("error:22", Error(22)),
        ("ALARM:9", Alarm(9)),
        ("[MSG:Reset to continue]", Message("MSG:Reset to continue")),
        ("[VER:1.1h.20190830:]", Message("VER:1.1h.20190830:")),
        ("$110=12000.000", Setting(110, "12000.000")),
        ("$110=12000.000 (x max rate, mm/min)", Setting(110, "12000.000")),
        ("Grbl 1.1h ['$' for help]", Banner("Grbl 1.1h ['$' for help]")),
        ("GrblHAL 1.1f ['$' or '$HELP' for help]", Banner("GrblHAL 1.1f ['$' or '$HELP' for help]")),
        ("Grbl 4.0 [whatever]", Banner("Grbl 4.0 [whatever]")),
        (
            "<Idle|MPos:0.000,-1.500,2.000|FS:0,1000|WCO:1.000,0.000,0.000>",
            Status("Idle", None, (0.0, -1.5, 2.0), None, (1.0, 0.0, 0.0), 1000.0),
        ),
        (
            "<Hold:1|WPos:1.000,2.000,3.000|FS:0,0|Pn:XZ|Ov:100,100,100>",
            Status("Hold", 1, None, (1, 2, 3), None, 0.0, "XZ"),
        ),
        ("<Idle|MPos:1.000,2.000,3.000,4.000|F:0>", Status("Idle", None, (1.0, 2.0, 3.0))),
        ("<Run|MPos:1.0,2.0<Idle|MPos:1.000,2.000,3.000|FS:0,0>", Status("Idle", None, (1.0, 2.0, 3.0), spindle=0.0)),
        ("<Run|MPos:1.000,2.000,3.000|FS:0,0>ok", Status("Run", None, (1.0, 2.0, 3.0), spindle=0.0)),
        ("<Idle|MPos:1.0\ufffd0,2.000,3.000|FS:0,0>", Status("Idle", spindle=0.0)),
        ("<Idle|MPos:nan,inf,1e9|FS:0,0>", Status("Idle", spindle=0.0)),
        (">G0X0:ok", Unknown(">G0X0:ok")),
        (">:error:7", Unknown(">:error:7")),
        ("okok", Unknown("okok")),
        ("error:\ufffd", Unknown("error:\ufffd")),
        ("", Unknown("")),
    ],
)
def test_every_line_is_sorted_by_its_kind(line: str, answer: Answer) -> None:
    assert parse(line, GRBL) == answer


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_the_parser_raise(data: bytes) -> None:
    parse(data.decode("ascii", errors="replace"), GRBL)


@settings(max_examples=300, deadline=None)
@given(st.text("<>|:,.-0123456789IdleRunMPosWCFSALRMerok$=[]() \ufffd", max_size=60))
def test_no_torn_line_makes_the_parser_raise_or_invent_numbers(line: str) -> None:
    answer = parse(line, GRBL)
    if isinstance(answer, Status):
        for triple in (answer.machine, answer.work, answer.offset):
            assert triple is None or all(map(math.isfinite, triple))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (-0.0004, "0.000"),
        (1e-7, "0.000"),
        (12.3456, "12.346"),
        (-599.0, "-599.000"),
        (1e6, "1000000.000"),
    ],
)
def test_numbers_are_written_in_fixed_point(value: float, text: str) -> None:
    assert number(value) == text


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.integers(1, 3))
def test_written_numbers_are_plain_and_close(value: float, decimals: int) -> None:
    text = number(value, decimals)
    assert re.fullmatch(r"-?\d+\.\d+", text)
    assert abs(float(text) - value) <= 0.5 * 10**-decimals + 1e-9


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_written(value: float) -> None:
    with pytest.raises(RobotError, match="no number"):
        number(value)


def test_every_error_and_alarm_has_a_sentence_and_unknown_ones_their_number() -> None:
    assert sorted(GRBL.errors) == [*range(1, 18), *range(20, 39)]
    assert sorted(GRBL.alarms) == list(range(1, 11))
    assert [n for n in GRBL.alarms if GRBL.alarm(n).needs_reset] == [1, 2]
    assert "alarm 99" in GRBL.alarm(99).text
    assert "does not know" in GRBL.error_text(99)
