"""Whose discs are whose, by their paint or by their lightness."""

import numpy as np
import pytest

from damludo.vision.paint import NAMES, Paints, colour_named, lightness_lead

RED, BLACK = (np.array(NAMES[name], dtype=np.float32) for name in ("red", "black"))
LIGHTS = [
    pytest.param((1.0, 1.0, 1.0), id="plain"),
    pytest.param((0.35, 0.5, 0.7), id="dim and warm"),
    pytest.param((1.4, 1.2, 1.1), id="bright and cold"),
]


def test_a_colour_is_a_name_or_red_green_blue() -> None:
    assert colour_named(" Red") == (32, 32, 172)
    assert colour_named("#ff8000") == (0, 128, 255)


@pytest.mark.parametrize("text", ["reddish", "#ff80", "#gg0000", "", "ff8000"])
def test_another_word_is_no_colour(text: str) -> None:
    with pytest.raises(ValueError, match="known are white, ivory, cream"):
        colour_named(text)


@pytest.mark.parametrize("light", LIGHTS)
def test_paint_tells_whose_discs_are_whose_in_any_light(light: tuple[float, float, float]) -> None:
    red, black = (paint * np.asarray(light, dtype=np.float32) for paint in (RED, BLACK))
    assert Paints(NAMES["red"], NAMES["black"]).lead(red, black) > 0.5
    assert Paints(NAMES["black"], NAMES["red"]).lead(red, black) < -0.5


def test_red_is_lighter_than_black_and_darker_than_white() -> None:
    assert lightness_lead(RED, BLACK) > 0.5
    assert lightness_lead(RED, np.array(NAMES["white"], dtype=np.float32)) < -1.0


def test_black_discs_that_mirror_a_lamp_are_not_called_lighter_than_red_ones() -> None:
    """As a picture showed them: by luma alone they lead by 0.44."""
    mirroring, red = (np.array(colour, dtype=np.float32) for colour in ((84, 99, 105), (31, 31, 141)))
    assert lightness_lead(mirroring, red) == lightness_lead(red, mirroring) == 0.0


@pytest.mark.parametrize("white", ["white", "ivory", "yellow"])
def test_red_discs_in_too_bright_a_picture_are_still_darker(white: str) -> None:
    overexposed = np.array((60, 60, 255), dtype=np.float32)
    light = np.minimum(np.array(NAMES[white], dtype=np.float32) * 1.2, 250.0)
    assert lightness_lead(light, overexposed) > 0.3
