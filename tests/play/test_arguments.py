"""Numbers on the command line are read strictly."""

import argparse

import pytest

from damludo.play.arguments import CONTROLLERS, SIDES, count, disc_paints, index, seconds, seed
from damludo.simulation import controllers
from damludo.vision import sides
from damludo.vision.paint import Paints


def test_choices_that_a_help_page_names_are_those_that_there_are() -> None:
    assert SIDES == sides.SIDES
    assert CONTROLLERS == controllers.CONTROLLERS


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "", " 1", "1_0", "٣", "9" * 19])
def test_a_count_is_a_whole_number_from_one(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not a whole number from 1"):
        count(text)


def test_a_count_is_read() -> None:
    assert count("20000") == 20_000


@pytest.mark.parametrize("text", ["0", "-0.5", "nan", "inf", "soon", ""])
def test_seconds_are_above_zero_and_end(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not a number of seconds above 0"):
        seconds(text)


def test_seconds_are_read() -> None:
    assert seconds("0.25") == 0.25


@pytest.mark.parametrize("text", ["-1", "1e9", "0.5", "", "٣", "9" * 19])
def test_a_seed_is_a_whole_number_from_zero(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not a seed"):
        seed(text)


def test_a_seed_is_read() -> None:
    assert (seed("0"), seed("20261130")) == (0, 20_261_130)


def test_discs_are_told_by_two_paints() -> None:
    assert disc_paints("black=#101010, white=red") == Paints((32, 32, 172), (16, 16, 16))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("white=red", "does not tell both paints"),
        ("white=red,white=black", "does not tell both paints"),
        ("red,black", "does not tell both paints"),
        ("white=red,black=sooty", "no known colour"),
        ("white=red,black=red", "of one paint"),
    ],
)
def test_other_words_about_the_discs_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=sentence):
        disc_paints(text)


@pytest.mark.parametrize("text", ["-1", "1e3", "0.5", "", "٣", "9" * 10])
def test_an_index_is_a_whole_number_from_zero(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not a whole number from 0"):
        index(text)


def test_an_index_is_read() -> None:
    assert (index("0"), index("640000")) == (0, 640_000)
