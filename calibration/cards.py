"""Corner cards on paper: one page with four markers, as SVG or PDF, to be printed at full size."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from damludo.vision.cards import CORNERS, DICTIONARY, OUTWARD, CardSize

PAGE_MM = (210.0, 297.0)
"""A4; the cards also fit on US Letter."""
MODULES = 6
"""Fields along a side of a 4x4 marker with its black border."""
RULER_MM = 100.0
HINTS = (
    "Print at 100 %: the ruler must be 100 mm long. Cut along the thin lines. Lay the cards flat on the frame,",
    "each with its marked tip at its corner of the playing field, all four upright as White sees them.",
)
STRIP_MM = 8.0
"""Each card carries its name on a strip away from its tip: cut cards look alike."""
NAMES = ("a1", "rank 1, last file", "opposite a1", "file a, last rank")


@dataclass(frozen=True, slots=True)
class _Box:
    """A filled or outlined rectangle on the page, mm from its top left corner."""

    x: float
    y: float
    width: float
    height: float
    filled: bool = True


@dataclass(frozen=True, slots=True)
class _Text:
    """A line of text, mm from the page's top left corner to the left end of its base line."""

    x: float
    y: float
    size_mm: float
    text: str


def cards_svg(card: CardSize) -> str:
    """Return the page as SVG."""
    width, height = PAGE_MM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" viewBox="0 0 {width:g} {height:g}" '
        'shape-rendering="crispEdges">',
        f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
    ]
    for part in _page(card):
        if isinstance(part, _Text):
            lines.append(
                f'<text x="{part.x:g}" y="{part.y:g}" font-family="sans-serif" font-size="{part.size_mm:g}">{part.text}</text>'
            )
        else:
            paint = 'fill="black"' if part.filled else 'fill="none" stroke="#888" stroke-width="0.2"'
            lines.append(
                f'<rect x="{part.x:g}" y="{part.y:g}" width="{part.width:g}" height="{part.height:g}" {paint}/>'
            )
    return "\n".join([*lines, "</svg>", ""])


def cards_pdf(card: CardSize) -> bytes:
    """Return the page as PDF 1.4 (one page, one built-in font; ISO 32000-1, sections 7.5 and 8.5)."""
    unit, height = 72 / 25.4, PAGE_MM[1]
    drawing = [f"{unit:.6f} 0 0 {unit:.6f} 0 0 cm 0 g 0.53 G 0.2 w"]
    for part in _page(card):
        if isinstance(part, _Text):
            text = part.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            drawing.append(f"BT /F1 {part.size_mm:g} Tf {part.x:g} {height - part.y:g} Td ({text}) Tj ET")
        else:
            paint = "f" if part.filled else "S"
            drawing.append(f"{part.x:g} {height - part.y - part.height:g} {part.width:g} {part.height:g} re {paint}")
    stream = "\n".join(drawing).encode("ascii")
    box = f"[0 0 {PAGE_MM[0] * unit:.2f} {PAGE_MM[1] * unit:.2f}]"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    document, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(document))
        document += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return (
        document
        + head
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(document))
    )


def _page(card: CardSize) -> Iterator[_Box | _Text]:
    """Give what is on the page: four cards laid out as they lie around the board, hints and a ruler."""
    side = card.marker_mm + 2 * card.margin_mm
    gap, top = 12.0, 34.0
    left, height = (PAGE_MM[0] - 2 * side - gap) / 2, side + STRIP_MM
    for line, hint in enumerate(HINTS):
        yield _Text(20.0, 15.0 + 6.0 * line, 3.6, hint)
    for number, (x, y) in enumerate(OUTWARD):
        yield from _card(number, left + (side + gap) * (x > 0), top + (height + gap) * (y < 0), card)
        tip = {(-1, -1): "upper right", (1, -1): "upper left", (1, 1): "lower left", (-1, 1): "lower right"}[(x, y)]
        below = top + 2 * height + gap + 12.0 + 7.0 * number
        yield _Text(20.0, below, 4.0, f"Card {number}: its {tip} tip at the outer corner of {CORNERS[number]}.")
    yield _Box(20.0, PAGE_MM[1] - 22.0, RULER_MM, 1.0)
    yield _Text(20.0, PAGE_MM[1] - 14.0, 3.6, f"{RULER_MM:g} mm; markers {card.marker_mm:g} mm")


def _card(number: int, x: float, y: float, card: CardSize) -> Iterator[_Box | _Text]:
    """Give a card whose top left corner is at (x, y): its outline, marker, marked tip, and its name on the strip."""
    side, thick, arm = card.marker_mm + 2 * card.margin_mm, 0.8, 0.8 * card.margin_mm
    outward_x, outward_y = OUTWARD[number]
    # The tip is on the inner side: right of cards that lie to the left of the field, above those that lie below it.
    marker_y = y if outward_y < 0 else y + STRIP_MM
    tip_x, tip_y = x + side * (outward_x < 0), marker_y + side * (outward_y > 0)
    yield _Box(x, y, side, side + STRIP_MM, filled=False)
    yield from _marker(number, x + card.margin_mm, marker_y + card.margin_mm, card.marker_mm)
    yield _Box(tip_x - arm * (outward_x < 0), tip_y - thick * (outward_y > 0), arm, thick)
    yield _Box(tip_x - thick * (outward_x < 0), tip_y - arm * (outward_y > 0), thick, arm)
    strip_y = y + side if outward_y < 0 else y
    name = f"{number}: {NAMES[number]}"
    yield _Text(x + 1.5, strip_y + STRIP_MM - 3.0, min(4.0, (side - 3.0) / (0.55 * len(name))), name)


def _marker(number: int, x: float, y: float, side: float) -> Iterator[_Box]:
    """Give the black fields of a marker, row by row, neighbours joined: no hairlines between them in print."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    black = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, MODULES)) < 128
    field = side / MODULES
    for row in range(MODULES):
        start = 0
        while start < MODULES:
            end = start
            while end < MODULES and black[row, end]:
                end += 1
            if end > start:
                yield _Box(x + start * field, y + row * field, (end - start) * field, field)
            start = max(end, start + 1)
