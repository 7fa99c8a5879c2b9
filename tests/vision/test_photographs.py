"""Finder and reader on photographs that other people took; the counts were measured and may only get better."""

from pathlib import Path

import pytest

from damludo.vision.labels import Label, load_labels, score


@pytest.fixture(scope="module")
def labels(test_data: Path) -> list[Label]:
    path = test_data / "photos" / "labels.json"
    if not path.is_file():
        pytest.skip(f"{path} does not exist: set DAMLUDO_TEST_DATA to a folder with the photographs")
    return load_labels(path)


@pytest.mark.photos
@pytest.mark.slow
def test_boards_in_photographs_are_found_and_none_is_wrong(labels: list[Label]) -> None:
    tallies = score(labels[::5], "found").values()
    assert sum(tally.pictures for tally in tallies) == 19
    # Not found: the board whose every square carries a printed dot.
    assert sum(tally.found for tally in tallies) == 18
    assert sum(tally.wrong_accepted for tally in tallies) == 0


@pytest.mark.photos
@pytest.mark.slow
def test_empty_boards_of_another_camera_read_empty_without_teaching(labels: list[Label]) -> None:
    empty = [label for label in labels if label.rows and set("".join(label.rows)) == {"."}]
    tallies = score([label for label in empty if label.source == "moribots"][:3], "cold")
    assert tallies["moribots"].squares_wrong == 0
