"""Torn, black and belated pictures are held back, and a source whose pictures are always so is not."""

import numpy as np
import pytest

from damludo.vision.frame import Image
from damludo.vision.soundness import MOST_TORN, Soundness

RATE_S = 1 / 30


class Source:
    """Noisy pictures that come at a steady pace."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)
        self.judge = Soundness()
        self.now_s = 0.0
        self.last = self.picture()
        self.shown = [self.see(self.picture()) for _ in range(40)]

    def picture(self) -> Image:
        return np.asarray(self.random.integers(90, 130, (64, 80, 3)), dtype=np.uint8)

    def see(self, image: Image, after_s: float = RATE_S) -> bool:
        self.now_s += after_s
        self.last = image
        return self.judge.accepts(image, self.now_s)


@pytest.fixture
def source() -> Source:
    made = Source()
    assert all(made.shown)
    return made


def test_a_lower_part_of_the_old_picture_is_torn(source: Source) -> None:
    for rows in (5, 32, 60):
        torn = source.picture()
        torn[-rows:] = source.last[-rows:]
        assert not source.see(torn)
        assert source.judge.doubt == "torn"
        assert source.see(source.picture())
    assert source.judge.torn == 3


@pytest.mark.parametrize("level", [0, 128])
def test_a_lower_part_that_is_missing_is_torn(source: Source, level: int) -> None:
    torn = source.picture()
    torn[20:] = level
    assert not source.see(torn)
    assert source.see(source.picture())


def test_bars_that_stay_are_the_sources_own(source: Source) -> None:
    shown = []
    for _ in range(10):
        barred = source.picture()
        barred[-8:] = 0
        shown.append(source.see(barred))
    assert shown == [False] * MOST_TORN + [True] * (10 - MOST_TORN)


def test_a_source_that_repeats_its_still_parts_is_like_that(source: Source) -> None:
    still, shown = source.picture()[32:], []
    for _ in range(20):
        image = source.picture()
        image[32:] = still
        shown.append(source.see(image))
    assert shown == [True] + [False] * MOST_TORN + [True] * (19 - MOST_TORN)


def test_one_black_picture_is_held_back_and_a_dark_room_is_shown_after_a_second(source: Source) -> None:
    black = np.zeros((64, 80, 3), np.uint8)
    assert not source.see(black)
    assert source.judge.doubt == "black"
    assert source.see(source.picture())
    shown = [source.see(black) for _ in range(45)]
    assert not any(shown[:30])
    assert all(shown[32:])


def test_noise_of_a_dark_room_is_not_black(source: Source) -> None:
    assert source.see(np.asarray(source.random.integers(0, 24, (64, 80, 3)), dtype=np.uint8))


@pytest.mark.parametrize("stall_s", [0.3, 2.0])
def test_what_queued_up_during_a_stall_is_held_back(source: Source, stall_s: float) -> None:
    """A driver's queue of as many pictures as were taken meanwhile, then the camera's own pace again."""
    queued = int(stall_s / RATE_S)
    source.see(source.picture(), stall_s)
    assert [source.see(source.picture(), 0.002) for _ in range(queued - 2)] == [False] * (queued - 2)
    assert source.judge.doubt == "late"
    later = [source.see(source.picture()) for _ in range(5)]
    assert all(later)


def test_a_stall_without_a_queue_costs_nothing(source: Source) -> None:
    assert source.see(source.picture(), 2.0)
    assert all(source.see(source.picture()) for _ in range(5))


def test_a_camera_that_becomes_faster_is_followed(source: Source) -> None:
    shown = [source.see(source.picture(), RATE_S / 4) for _ in range(30)]
    assert all(shown)


def test_a_hurried_reader_of_a_jittery_camera_loses_little(source: Source) -> None:
    shown = [source.see(source.picture(), RATE_S * (0.2 if n % 2 else 1.8)) for n in range(60)]
    assert sum(shown) >= 55


def test_the_same_bytes_are_counted_in_seconds(source: Source) -> None:
    picture = source.picture()
    for _ in range(5):
        source.see(picture, 0.5)
    assert source.judge.same_s == pytest.approx(2.0)
    source.see(source.picture(), 0.5)
    assert source.judge.same_s == 0.0
