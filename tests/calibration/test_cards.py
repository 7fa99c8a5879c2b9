"""The page with the corner cards: whoever prints it has four markers that are found again."""

import re

import cv2
import numpy as np

from damludo.calibration.cards import PAGE_MM, cards_pdf, cards_svg
from damludo.vision.cards import CardSize, find_markers

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


def test_larger_cards_fit_the_page() -> None:
    for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', cards_svg(CardSize(marker_mm=60.0))):
        assert float(x) + float(width) <= PAGE_MM[0]


def test_cv2_knows_the_dictionary() -> None:
    assert cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50).markerSize == 4
