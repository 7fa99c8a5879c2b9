"""What a step of the calibration says as JSON."""

import numpy as np

from damludo.calibration.quality import MOST_ERROR_SQUARES, SquareQuality
from damludo.play.calibration.steps import Calibrated, is_good, tilt_deg
from damludo.rules.traits import Variant
from damludo.vision.sides import corners_of


def document(done: Calibrated, variant: Variant) -> dict[str, object]:
    """Return the JSON document of a step."""
    profile, pose = done.profile, done.pose
    view = profile.view
    corners = view.project(corners_of(view.grid, view.sizes, profile.white_at))
    answer: dict[str, object] = {
        "step": done.step,
        "file": str(done.path),
        "camera": profile.camera,
        "board": profile.board,
        "game": variant.key,
        "white_at": profile.white_at,
        "method": done.method,
        "frames": done.frames,
        "image_size": list(profile.image_size),
        "corners": np.round(corners, 2).tolist(),
        "focal_px": round(profile.focal_px, 1),
        "k1": round(profile.k1, 4),
        "tilt_deg": round(tilt_deg(view), 1),
        "distance_mm": round(float(np.linalg.norm(profile.translation_mm)), 0),
        "square_mm": view.sizes.square_mm,
        "crossings": pose.seen,
        "crossings_expected": pose.expected,
        "error_px": _number(pose.error_px, 3),
        "error_mm": _number(pose.error_mm, 3),
        "error_squares": _number(pose.error_squares, 4),
        "limit_squares": MOST_ERROR_SQUARES,
        "good": is_good(done),
        "settings": dict(profile.settings),
        "notes": list(done.notes),
        "cpu_ms": done.cpu_ms,
    }
    return answer | _squares_document(done.squares, variant)


def _squares_document(squares: SquareQuality | None, variant: Variant) -> dict[str, object]:
    if squares is None:
        return {"least_margin_nats": None, "margins_nats": None, "blind": None, "weak": None, "wrong": None}
    name = variant.board.name
    return {
        "least_margin_nats": round(squares.least, 2),
        "margins_nats": {name(place): round(margin, 2) for place, margin in squares.margins.items()},
        "blind": {name(place): why for place, why in squares.blind.items()},
        "weak": [name(place) for place in squares.weak],
        "wrong": [name(place) for place in squares.wrong],
    }


def _number(value: float, digits: int) -> float | None:
    return round(value, digits) if np.isfinite(value) else None
