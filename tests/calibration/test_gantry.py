"""Board to gantry: exact maps come back, bad measurements are refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.calibration.errors import BadFit
from damludo.calibration.gantry import Kind, PointPair, fit_gantry
from damludo.robot.frames import GantryMap

CORNERS = [(25.0, 25.0), (375.0, 25.0), (375.0, 375.0), (25.0, 375.0), (175.0, 225.0)]


Points = list[tuple[float, float]]


def measured(board: GantryMap, places: Points, errors: Points | None = None) -> list[PointPair]:
    """What a gantry with this map would measure, with errors added."""
    pairs = []
    for (x, y), (dx, dy) in zip(places, errors or [(0.0, 0.0)] * len(places), strict=True):
        point = board.to_gantry(x, y)
        pairs.append(PointPair(x, y, point.x_mm + dx, point.y_mm + dy))
    return pairs


def turned(angle: float, scale: float = 1.0, mirror: bool = False, x0: float = 100.0, y0: float = 50.0) -> GantryMap:
    """A similarity."""
    c, s = scale * math.cos(angle), scale * math.sin(angle)
    return GantryMap(c, s, s, -c, x0, y0) if mirror else GantryMap(c, -s, s, c, x0, y0)


@settings(max_examples=80, deadline=None)
@given(st.floats(-math.pi, math.pi), st.floats(0.95, 1.05), st.booleans(), st.floats(-200, 500), st.floats(-200, 500))
def test_three_points_give_any_similarity_back(angle: float, scale: float, mirror: bool, x0: float, y0: float) -> None:
    true = turned(angle, scale, mirror, x0, y0)
    fit = fit_gantry(measured(true, CORNERS[:3]), surface_z_mm=20.0)
    assert fit.kind is Kind.SIMILARITY
    assert fit.worst_mm < 1e-6
    assert fit.board.to_gantry(300.0, 40.0, 9.0).distance_mm(true.to_gantry(300.0, 40.0, 29.0)) < 1e-6


@settings(max_examples=50, deadline=None)
@given(st.floats(-3, 3), st.floats(-0.04, 0.04), st.floats(0.97, 1.03))
def test_five_points_give_an_out_of_square_machine_back(angle: float, shear: float, scale: float) -> None:
    base = turned(angle)
    true = GantryMap(base.xx, base.xy * scale + base.xx * shear, base.yx, base.yy * scale + base.yx * shear, 90.0, 60.0)
    fit = fit_gantry(measured(true, CORNERS))
    assert fit.kind is Kind.AFFINE
    assert fit.rms_mm < 1e-6
    assert fit.out_of_square_rad == pytest.approx(math.atan2(shear, scale), abs=1e-9)


def test_inverse_undoes_the_map() -> None:
    fit = fit_gantry(measured(turned(0.3, 1.01), CORNERS), surface_z_mm=20.0)
    assert fit.board.to_board(fit.board.to_gantry(123.0, 45.0, 18.0)) == pytest.approx((123.0, 45.0, 18.0))


def test_half_a_millimetre_of_error_stays_below_half_a_millimetre() -> None:
    errors = [(0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5), (0.3, 0.3)]
    true = turned(0.02)
    fit = fit_gantry(measured(true, CORNERS, errors))
    assert 0.1 < fit.rms_mm < 0.5
    assert fit.board.to_gantry(200.0, 200.0).distance_mm(true.to_gantry(200.0, 200.0)) < 0.5


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        pytest.param(measured(turned(0), CORNERS[:2]), "2 points were measured", id="too few"),
        pytest.param(
            measured(turned(0), [(0, 0), (100, 100), (300, 300), (400, 400)]), "on one line", id="on one line"
        ),
        pytest.param(measured(turned(0), [(25, 25), (25, 25), (25, 25)]), "on one line", id="the same"),
        pytest.param(
            measured(turned(0), CORNERS, [(0.0, 0.0)] * 4 + [(9.0, 0.0)]),
            r"point 5 misses the map by \d\.\d mm",
            id="outlier",
        ),
        pytest.param(measured(turned(0, 1.25), CORNERS), r"moves 1\.250 mm for each mm", id="scale"),
        pytest.param(measured(GantryMap(1, 0.1, 0, 1), CORNERS), r"5\.7 degrees out of square", id="shear"),
        pytest.param([PointPair(math.nan, 0, 0, 0)] * 3, "not a number", id="not a number"),
    ],
)
def test_bad_measurements_are_refused_with_their_figure(pairs: list[PointPair], words: str) -> None:
    with pytest.raises(BadFit, match=words):
        fit_gantry(pairs)


def test_a_similarity_can_be_asked_for() -> None:
    true = GantryMap(1.0, 0.004, 0.0, 1.0)
    assert fit_gantry(measured(true, CORNERS), kind=Kind.SIMILARITY).worst_mm == pytest.approx(0.7, abs=0.4)
