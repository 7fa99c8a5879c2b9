"""`damludo calibrate report`: one page that says whether the calibration is good, where it is not, and what to do."""

import base64
import contextlib
import html
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from damludo.calibration.errors import CalibrationError, NoProfile
from damludo.calibration.overlay import overlay
from damludo.calibration.profile import CameraProfile, Record, camera_path, load_camera
from damludo.calibration.quality import CLEAR_NATS, MOST_ERROR_SQUARES, PoseQuality, pose_quality, require_good
from damludo.play.calibration.pictures import EyesChoice, taking
from damludo.play.calibration.steps import picture_path, tilt_deg
from damludo.play.console import CommandError, ExitCode, cannot_write
from damludo.rules.geometry import Board
from damludo.vision.errors import CameraError, VisionError
from damludo.vision.frame import Image
from damludo.vision.picture import load_picture
from damludo.vision.reading import MOST_NATS
from damludo.vision.sides import places_in_picture

STYLE = """
:root { color-scheme: light; --ink: #1d1b18; --soft: #6d665c; --line: #d9d2c5; --paper: #faf7f1; }
* { box-sizing: border-box; } body { margin: 0 auto; max-width: 1080px; padding: 28px 24px 60px; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; } h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 34px 0 10px; } .soft { color: var(--soft); } .verdict { border-radius: 10px; padding: 14px 18px;
  margin: 18px 0; font-size: 18px; border: 2px solid; } .good { background: #e7f4e4; border-color: #4c9a45; }
.bad { background: #fdeae6; border-color: #c8432b; } .verdict p { margin: 6px 0 0; }
img { width: 100%; border-radius: 8px; border: 1px solid var(--line); display: block; }
svg { width: 100%; max-width: 720px; height: auto; display: block; }
table { border-collapse: collapse; } td, th { padding: 4px 22px 4px 0; text-align: left; vertical-align: top;
  overflow-wrap: normal; }
th { font-weight: 600; color: var(--soft); } .scroll { overflow-x: auto; } .facts { display: grid; gap: 10px;
  grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)); } .fact { background: #fff; border: 1px solid var(--line);
  border-radius: 8px; padding: 10px 14px; } .fact b { display: block; font-size: 21px; }
.grid { display: grid; gap: 2px; } .cell { aspect-ratio: 1; min-width: 0; border-radius: 4px; display: flex;
  flex-direction: column; align-items: center; justify-content: center; font-size: 15px; line-height: 1.2; }
.cell small { font-size: 11px; opacity: .8; } .history td { border-top: 1px solid var(--line); }
@media (max-width: 600px) { body { padding: 18px 14px 40px; } h1 { font-size: 22px; }
  .verdict { font-size: 16px; padding: 12px 14px; }
  .facts { grid-template-columns: 1fr 1fr; gap: 8px; } .fact { padding: 8px 10px; font-size: 14px; } .fact b { font-size: 18px; }
  .cell { font-size: 12px; } .cell small { font-size: 9px; } td, th { padding-right: 10px; font-size: 14px; } }
"""

NOT_LOOKED = "–"
"""In the history: the step did not look at the squares."""


def write_report_page(
    choice: EyesChoice, output: Path | None, tell: Callable[[str], None] = lambda _: None
) -> dict[str, object]:
    """Write the page and its JSON beside it; return the JSON document.

    The picture is a fresh one if a source is named, else the one that the calibration kept.

    Args:
        tell: told what is being done, in a few words.

    Raises:
        NoProfile: nothing was calibrated.
        CommandError: the page cannot be written, or would take the profile's place.
    """
    tell(choice.doing)
    path, images, doubt = _profile_and_pictures(choice)
    profile = load_camera(path)
    tell("Measuring how well the squares' crossings fit ...")
    pose = pose_quality(profile.view, images) if images else None
    page = output or path.parent / "reports" / path.with_suffix(".html").name
    same_as_json = _json_beside(page, path)
    answer = _document(profile, path, page, pose, choice.variant.board, doubt or _not_good(pose))
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_page(profile, choice, pose, images, answer), encoding="utf-8")
        same_as_json.write_text(json.dumps(answer, ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise cannot_write(page, error) from error
    return answer


def _json_beside(page: Path, profile: Path) -> Path:
    """Name the JSON of `page`; it must be neither the page itself nor the profile, which is JSON as well."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise CommandError(f"{page} does not end in .html; name the page so", ExitCode.USAGE)
    beside = page.with_suffix(".json")
    if beside.resolve() == profile.resolve():
        raise CommandError(
            f"{beside}, the JSON of the page, would overwrite the profile; name another page", ExitCode.USAGE
        )
    return beside


def _profile_and_pictures(choice: EyesChoice) -> tuple[Path, list[Image], str | None]:
    """Return the profile, the pictures to draw on, and why the profile cannot be good for what the camera gives today."""
    if not (choice.pictures or choice.seed is not None or choice.source):
        path = choice.file or _newest(choice.where.calibration)
        return path, _kept(path), None
    with taking(choice) as taken:
        path = choice.file or camera_path(choice.where.data, taken.camera, choice.board_name)
        images = taken.images
    if not path.exists():
        raise NoProfile(f"there is no profile {path}; make it with 'damludo calibrate pieces'")
    height, width = images[0].shape[:2]
    size = load_camera(path).image_size
    if size == (width, height):
        return path, images, None
    return (
        path,
        _kept(path),
        f"the pictures have {width} x {height} px, the profile was made with {size[0]} x {size[1]}; set the camera back, or make "
        f"the profile anew with 'damludo calibrate pieces' (the picture below is the one that was kept)",
    )


def _newest(folder: Path) -> Path:
    paths = [path for path in folder.glob("*.json") if "--" in path.name]
    if not paths:
        raise NoProfile(f"there is no camera profile in {folder}; make one with 'damludo calibrate pieces'")
    return max(paths, key=lambda path: path.stat().st_mtime_ns)


def _kept(path: Path) -> list[Image]:
    with contextlib.suppress(VisionError, CameraError):
        return [load_picture(picture_path(path))]
    return []


def _document(
    profile: CameraProfile, path: Path, page: Path, pose: PoseQuality | None, board: Board, why_not: str | None
) -> dict[str, object]:
    def number(value: float) -> float | None:
        return round(value, 4) if np.isfinite(value) else None

    margins = {
        board.name(place): margin for place, margin in enumerate(profile.margins) if place in profile.grid.playable
    }
    return {
        "html": str(page),
        "file": str(path),
        "camera": profile.camera,
        "board": profile.board,
        "white_at": profile.white_at,
        "focal_px": round(profile.focal_px, 1),
        "k1": round(profile.k1, 4),
        "tilt_deg": round(tilt_deg(profile.view), 1),
        "error_px": None if pose is None else number(pose.error_px),
        "error_mm": None if pose is None else number(pose.error_mm),
        "error_squares": None if pose is None else number(pose.error_squares),
        "limit_squares": MOST_ERROR_SQUARES,
        "crossings": None if pose is None else pose.seen,
        "crossings_expected": None if pose is None else pose.expected,
        "good": why_not is None,
        "reason": why_not,
        "margins_nats": margins or None,
        "blind": {board.name(int(place)): why for place, why in profile.blind.items()},
        "settings": dict(profile.settings),
        "history": [
            {
                "time": record.time,
                "step": record.step,
                "error_px": record.error_px,
                "error_mm": record.error_mm,
                "error_squares": record.error_squares,
                "least_margin": record.least_margin,
                "blind": record.blind,
            }
            for record in profile.history
        ],
    }


def _page(
    profile: CameraProfile,
    choice: EyesChoice,
    pose: PoseQuality | None,
    images: Sequence[Image],
    answer: dict[str, object],
) -> str:
    board = choice.variant.board
    parts = [
        f"<h1>Calibration of {html.escape(profile.camera)} over {html.escape(profile.board)}</h1>",
        f'<p class="soft">{html.escape(choice.variant.names["en"])}; White\'s first rank is at the {profile.white_at} of the '
        f"picture; profile {html.escape(str(answer['file']))}</p>",
        _verdict(pose, None if answer["good"] else str(answer["reason"]), _unclear_words(profile, board)),
        _facts(profile, pose),
    ]
    if images:
        blind = {int(place): why for place, why in profile.blind.items()}
        same = profile.grid.columns == board.columns and profile.grid.lines == board.lines
        content = choice.start if same and profile.margins else None
        drawn = overlay(images[0], profile.view, pose, content, blind)
        parts += [
            "<h2>What the camera sees</h2>",
            f'<img alt="The board with the grid that was found" src="{_data_url(drawn)}">',
            '<p class="soft">Green: the grid. Circles: where the discs of the start position should be. Red: the crossings, and '
            "by how much they miss, ten times enlarged. Orange crosses: blind squares.</p>",
        ]
    if profile.margins:
        about = (
            f'<p class="soft">In nats (natural logarithms of how much likelier the truth is than the next best): '
            f"{CLEAR_NATS:.0f} and more is clear, {MOST_NATS:.0f} is the most that is counted. "
            "The board lies as in the picture.</p>"
        )
        parts += ["<h2>How surely each square is read</h2>", _margins(profile), about, _weak_words(profile, board)]
    parts += _settings(profile)
    if profile.history:
        parts += ["<h2>History</h2>", _curve(profile.history), _history(profile.history)]
    body = "\n".join(parts)
    title = f"Calibration of {html.escape(profile.camera)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body>\n{body}\n</body></html>\n"
    )


def _not_good(pose: PoseQuality | None) -> str | None:
    """Return why a profile is not good, with what to do; None if it is."""
    if pose is None:
        return "there is no picture to check the profile with; name a camera or a picture"
    try:
        require_good(pose)
    except CalibrationError as error:
        return str(error)
    return None


def _verdict(pose: PoseQuality | None, why_not: str | None, unclear: str) -> str:
    """Say first whether it is good, then which squares are not, and what to do."""
    if why_not is not None or pose is None:
        sentence = why_not or ""
        return f'<div class="verdict bad"><b>Not good.</b> {html.escape(sentence[:1].upper() + sentence[1:])}.</div>'
    limit = MOST_ERROR_SQUARES * pose.square_mm
    words = f"The crossings miss by {pose.error_mm:.2f} mm; up to {limit:.1f} mm would do."
    return f'<div class="verdict good"><b>Good.</b> {words}{unclear}</div>'


def _unclear_words(profile: CameraProfile, board: Board) -> str:
    """Name the squares that cannot be trusted; empty if there are none."""
    blind = [board.name(int(place)) for place in profile.blind]
    weak = [board.name(place) for place in _weak(profile)]
    sentences = []
    if blind:
        sentences.append(
            f"<p><b>Blind: {', '.join(blind)}.</b> What stands there cannot be told; the reasons are below.</p>"
        )
    if weak:
        sentences.append(f"<p>Hard to read: {', '.join(weak)}.</p>")
    return "".join(sentences)


def _weak(profile: CameraProfile) -> list[int]:
    """Return the places that are read by less than is clear although they are not blind."""
    return [
        place
        for place, margin in enumerate(profile.margins)
        if place in profile.grid.playable and margin < CLEAR_NATS and str(place) not in profile.blind
    ]


def _facts(profile: CameraProfile, pose: PoseQuality | None) -> str:
    facts = []
    if pose is not None:
        facts += [
            (
                f"{pose.error_mm:.2f} mm",
                f"error of the crossings ({pose.error_px:.2f} px, {pose.error_squares:.3f} square)",
            ),
            (f"{pose.seen} of {pose.expected}", "crossings seen"),
            (f"{pose.square_px:.0f} px", f"side of a square ({pose.square_mm:g} mm)"),
        ]
    distance = float(np.linalg.norm(profile.translation_mm))
    facts += [
        (f"{tilt_deg(profile.view):.0f}°", f"slant of the camera, {distance / 10:.0f} cm away"),
        (f"{profile.focal_px:.0f} px", f"focal length, lens bend k1 {profile.k1:+.3f}"),
        (
            f"{profile.sizes.disc_diameter_mm:g} x {profile.sizes.disc_height_mm:g} mm",
            "diameter and height of a disc, as told",
        ),
    ]
    if profile.margins:
        played = [margin for place, margin in enumerate(profile.margins) if place in profile.grid.playable]
        facts.append((f"{min(played):.0f} nats", f"least margin of a square ({CLEAR_NATS:.0f} and more is clear)"))
        facts.append((str(len(profile.blind)), "blind squares"))
    cells = (f'<div class="fact"><b>{html.escape(value)}</b>{html.escape(words)}</div>' for value, words in facts)
    return f'<div class="facts">{"".join(cells)}</div>'


def _margins(profile: CameraProfile) -> str:
    """Draw the board as it lies in the picture, a colour for each margin."""
    places = places_in_picture(profile.grid, profile.white_at)
    cells = []
    for place in (int(p) for p in places.ravel()):
        name = f"{chr(ord('a') + place % profile.grid.columns)}{place // profile.grid.columns + 1}"
        if place not in profile.grid.playable:
            cells.append('<div class="cell" style="background:#efe9dd"></div>')
            continue
        margin = profile.margins[place]
        blind = str(place) in profile.blind
        words = html.escape(str(profile.blind[str(place)]) if blind else f"{margin:.1f} nats")
        shown = "blind" if blind else f"{margin:.0f}"
        cells.append(
            f'<div class="cell" title="{words}" style="background:{_colour(margin, blind)}">{shown}<small>{name}</small></div>'
        )
    columns = places.shape[1]
    style = f"grid-template-columns:repeat({columns},minmax(0,1fr));max-width:{58 * columns}px"
    return f'<div class="grid" style="{style}">{"".join(cells)}</div>'


def _colour(margin: float, blind: bool) -> str:
    """From red (0 nats and less) over yellow to green (twice what is clear, and more)."""
    if blind:
        return "#f2a154"
    hue = 120 * min(max(margin / (2 * CLEAR_NATS), 0.0), 1.0)
    return f"hsl({hue:.0f} 60% 78%)"


def _weak_words(profile: CameraProfile, board: Board) -> str:
    weak = [board.name(place) for place in _weak(profile)]
    lines = []
    for reason in dict.fromkeys(profile.blind.values()):
        places = ", ".join(board.name(int(place)) for place, why in profile.blind.items() if why == reason)
        lines.append(f"<b>{places}</b>: {html.escape(str(reason))}.")
    if weak:
        lines.append(
            f"<b>{', '.join(weak)}</b>: hard to read, because disc and square look nearly alike there; more light from the side "
            "helps. In a game the changes from move to move are watched, which needs less."
        )
    if not lines:
        lines.append("Every square is read clearly.")
    return "".join(f"<p>{line}</p>" for line in lines)


def _settings(profile: CameraProfile) -> list[str]:
    if not profile.settings:
        return []
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(told))}</td></tr>"
        for name, told in profile.settings.items()
    )
    return ["<h2>The camera's automatics</h2>", f"<table>{rows}</table>"]


def _history(records: Sequence[Record]) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(record.time.replace('T', ' ').removesuffix('+00:00'))}</td><td>{html.escape(record.step)}</td>"
        f"<td>{record.error_mm:.2f} mm = {record.error_px:.2f} px</td>"
        f"<td>{NOT_LOOKED if record.least_margin is None else f'{record.least_margin:.0f} nats'}</td>"
        f"<td>{NOT_LOOKED if record.least_margin is None else record.blind}</td></tr>"
        for record in reversed(records)
    )
    head = "<tr><th>time (UTC)</th><th>step</th><th>error</th><th>least margin</th><th>blind</th></tr>"
    return f'<div class="scroll"><table class="history">{head}{rows}</table></div>'


def _curve(records: Sequence[Record]) -> str:
    """Draw the error over the calibrations, with its limit, as SVG."""
    if len(records) < 2:
        return ""
    width, height, most = 720, 120, max(1.3 * MOST_ERROR_SQUARES, *(min(r.error_squares, 0.3) for r in records))
    points = [
        (20 + (width - 40) * k / (len(records) - 1), height - 15 - (height - 30) * min(r.error_squares, most) / most)
        for k, r in enumerate(records)
    ]
    limit = height - 15 - (height - 30) * MOST_ERROR_SQUARES / most
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#3b6ea5"/>' for x, y in points)
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="error over time">'
        f'<line x1="20" x2="{width - 20}" y1="{limit:.1f}" y2="{limit:.1f}" stroke="#c8432b" stroke-dasharray="5 4"/>'
        f'<text x="20" y="{limit - 4:.1f}" font-size="12" fill="#c8432b">limit {MOST_ERROR_SQUARES} square</text>'
        f'<polyline points="{line}" fill="none" stroke="#3b6ea5" stroke-width="2"/>{dots}</svg>'
    )


def _data_url(image: Image) -> str:
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 88])
    return "data:image/jpeg;base64," + base64.b64encode(packed.tobytes()).decode("ascii")
