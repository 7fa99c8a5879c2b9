"""The page with the corner cards: whoever prints it has four markers that are found again."""

import re

import cv2
import numpy as np
import pytest

from damludo.calibration.cards import PAGE_MM, cards_pdf, cards_svg
from damludo.vision.cards import CardSize, find_markers, marker_corners_mm
from damludo.vision.content import BoardSizes
from damludo.vision.view import grid_of

PX_PER_MM = 4


def test_the_printed_page_holds_the_four_markers() -> None:
    page = np.full((round(PAGE_MM[1] * PX_PER_MM), round(PAGE_MM[0] * PX_PER_MM), 3), 255, np.uint8)
    boxes = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="black"', cards_svg(CardSize())
    )
    for x, y, width, height in (tuple(float(v) * PX_PER_MM for v in box) for box in boxes):
        page[round(y) : round(y + height), round(x) : round(x + width)] = 0
    found = find_markers(page)
    assert sorted(found) == [0, 1, 2, 3]
    sides = [np.linalg.norm(np.diff(found[k], axis=0), axis=1).mean() / PX_PER_MM for k in range(4)]
    np.testing.assert_allclose(sides, 30.0, atol=0.5)


def test_the_pdf_has_its_objects_where_its_table_says() -> None:
    document = cards_pdf(CardSize(marker_mm=24.0))
    assert document.startswith(b"%PDF-1.4\n")
    places = [int(entry) for entry in re.findall(rb"(\d{10}) 00000 n", document)]
    assert [document[at:].split(b" ", 1)[0] for at in places] == [b"1", b"2", b"3", b"4", b"5"]
    table = int(document.rsplit(b"startxref\n", 1)[1].split()[0])
    assert document[table:].startswith(b"xref")
    length = int(re.search(rb"/Length (\d+)", document)[1])  # type: ignore[index]
    stream = document.split(b"stream\n", 1)[1].split(b"\nendstream", 1)[0]
    assert len(stream) == length


def test_every_card_says_its_corner_and_marks_the_tip_that_lies_there() -> None:
    """Cut cards look alike; the mark lies where `marker_corners_mm` has the corner of the field."""
    page = cards_svg(CardSize())
    outlines = [
        tuple(float(v) for v in box)
        for box in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="none"', page)
    ]
    marks = [
        tuple(float(v) for v in box)
        for box in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="black"', page)
        if "0.8" in box
    ]
    names = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([0-3]: [^<]+)<', page)
    assert [name for _, _, name in names] == ["0: a1", "1: rank 1, last file", "2: opposite a1", "3: file a, last rank"]
    tips = marker_corners_mm(grid_of(8, 8), BoardSizes(square_mm=50.0), CardSize())
    for number, (x, y, width, height) in enumerate(outlines):
        own = [mark for mark in marks if x <= mark[0] < x + width and y <= mark[1] < y + height]
        assert len(own) == 2
        inward = -np.sign(tips[number, :, :2].mean(axis=0) - 200.0)  # towards the middle of the board, y up
        tip_x = max(m[0] + m[2] for m in own) if inward[0] > 0 else min(m[0] for m in own)
        tip_y = min(m[1] for m in own) if inward[1] > 0 else max(m[1] + m[3] for m in own)
        assert tip_x == pytest.approx(x + width if inward[0] > 0 else x)
        assert tip_y == pytest.approx(y if inward[1] > 0 else y + height)
        assert y <= float(names[number][1]) <= y + height


@pytest.mark.parametrize("side", [15.0, 30.0, 60.0])
def test_nothing_of_the_page_lies_over_something_else(side: float) -> None:
    page = cards_svg(CardSize(marker_mm=side))
    bottom = max(
        float(y) + float(h) for y, h in re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" fill="none"', page)
    )
    lines = sorted(float(y) for y in re.findall(r'<text x="20" y="([\d.]+)"', page))
    assert bottom < lines[2]
    assert lines[-2] < PAGE_MM[1] - 22.0 - 3.6


def test_larger_cards_fit_the_page() -> None:
    for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', cards_svg(CardSize(marker_mm=60.0))):
        assert float(x) + float(width) <= PAGE_MM[0]


def test_cv2_knows_the_dictionary() -> None:
    assert cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50).markerSize == 4
