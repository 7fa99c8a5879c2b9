"""Is a hand over the board, and does anything move? Told from reduced grey pictures, frame by frame.

A hand hides the pattern of the board; a shadow, a lamp or the camera's exposure only scale it. So the evidence is not how much
the picture changed but where the gradients of the calm picture are *missing*: the local correlation of the two gradient fields
of the log-brightness, which no multiplicative change of light can lower. Components of that mask are arms when they reach the
border of the board's surroundings, else discs that were moved, unless they are too large. A hidden Markov chain with the two
states OUT and IN turns the areas into the answer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Frame
from damludo.vision.hiding import ARM_BORDER_SQUARES, CHAIN_SQUARES, Cover, Looks, components, hand_evidence
from damludo.vision.leaving import ArmInSight
from damludo.vision.light import LAMP_SHARE, SAME_LIGHT, light_plane
from damludo.vision.region import Gray, Mask, Region
from damludo.vision.unrest import Unrest

Outline = NDArray[np.float64]
"""Corners of a convex part of the picture, shape (n, 2), px."""

STILL_S = 0.4
"""So long must nothing move before the scene counts as still."""
MISSING_CORRELATION = 0.45
"""Where the gradients agree less than this with those of the calm picture, something hides the board (sequence of photographs:
shadows 0.6 and more, hands and sleeves below 0.3)."""
LEAST_CHANGE = 0.12
"""... if the log-brightness also changed by this much against its surroundings (noise of a webcam in the dark: 0.05)."""
DARKER_THAN_SHADOW = -1.6
"""Log-brightness ratio that only a black sleeve reaches; a cast shadow leaves more light."""
MOTION_SQUARES = 0.08
"""Area in squares that has to change for motion: a finger tip that trembles does, noise does not."""

MOST_LOG_ODDS = 3.5
"""The chain is never surer than this, so that one clear frame is enough to turn it."""
LYING_S, LYING_SQUARES = 3.0, 3.0
"""What is no larger and did not stir for so long is a thing that was laid down: a hand trembles."""
PARTED_S = 1.0
"""What no arm comes to and did not stir for so long is a chain of places that discs left, however large: a hand has an arm."""
ALONE_S = 1.0
"""What stirs at the border so long after the last hand comes in; before, it may be what that hand left behind."""
MOST_STIRRED_SQUARES = 8.0
"""Where more changed, a whole arm left since the picture before: that a place at the border stirred, too, tells nothing then."""
REST_SQUARES = 0.15
"""A finger tip that moves less than this from one picture to the next stays where it is."""
LIGHT_CHANGE = 0.10
"""The light has changed if the log-brightness of the whole field differs by more than this."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What one frame says about the scene as a whole.

    Attributes:
        time_s, number: those of the frame.
        hand: a hand or an arm is over the board.
        still: nothing moved for at least `STILL_S`.
        quiet: no hand, still, and no machine part over the board.
        light_changed: the light on the board differs from that of the baseline picture.
        mask_squares: area of what hides the board, in squares (moved discs count too).
        hand_probability: the chain's belief that a hand is there, 0..1.
        moving_squares: area that changed since the frame before, in squares; infinite for the first frame.
        camera_moved: the camera does not stand where it stood; until it is found again nothing of the board can be told.
        stirs_at_the_border: something that hides the border changed since the frame before; an arm may come or go there.
    """

    time_s: float
    number: int
    hand: bool
    still: bool
    quiet: bool
    light_changed: bool
    mask_squares: float
    hand_probability: float
    moving_squares: float
    camera_moved: bool = False
    stirs_at_the_border: bool = False


class _Calm:
    """The last picture without a hand, with the gradients that the comparison needs."""

    def __init__(self, gray: Gray, sigma_px: float) -> None:
        self.gray = gray
        self.dx, self.dy = _gradients(gray)
        # The floor is the gradient energy of a camera's noise after the reduction: flat places stay undecided.
        self.energy = _blur(self.dx * self.dx + self.dy * self.dy, sigma_px) + np.float32(2e-4)


class MotionWatch:
    """Follows the scene frame by frame: hand in or out, still or moving, which places the hand covered.

    Args:
        region: the watched part of the picture.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self._calm: _Calm | None = None
        self._still: _Calm | None = None
        self._follows = False
        self._baseline_level = 0.0
        self._previous: Gray | None = None
        self._previous_s = 0.0
        self._last_motion_s = -math.inf
        self._log_odds = -MOST_LOG_ODDS
        self._covered = np.zeros(region.columns * region.rows + 1, dtype=np.bool_)
        self._tip: tuple[float, float] | None = None
        self._rests: dict[int, int] = {}
        self._settled = False
        self._hand_s = self._still_s = -math.inf
        self._arm_waits = False
        self._arm = ArmInSight(region.near_border)
        self._unrest = Unrest(region.inside.shape)
        self._known: Mask = region.inside
        self._machine_part: Mask | None = None
        self.cover: Cover | None = None

    @property
    def covered(self) -> NDArray[np.bool_]:
        """True for the places that a hand was over since `forget_cover`, shape (rows * columns,)."""
        return self._covered[:-1].copy()

    @property
    def rests(self) -> dict[int, int]:
        """In how many pictures a finger tip stayed over a place since `forget_cover`."""
        return dict(self._rests)

    def forget_cover(self) -> None:
        """Start a new turn: no place was covered yet, and the light of this moment is the light to compare with."""
        self._covered[:] = False
        self._rests.clear()
        if self._previous is not None:
            self._baseline_level = self._level(self._previous)

    def restart(self) -> None:
        """Forget the calm picture and the hand: the camera was moved or the watch began with a hand in the picture."""
        self._calm = self._still = None
        self._previous = None
        self._log_odds = -MOST_LOG_ODDS
        self._settled = False

    @property
    def covered_now(self) -> NDArray[np.bool_]:
        """True for the places that something hid in the newest frame, shape (rows * columns,)."""
        covered = np.zeros_like(self._covered)
        if self.cover is not None:
            covered[self._places_under(self.cover.mask)] = True
        return covered[:-1]

    def cover_places(self, places: Sequence[int]) -> None:
        """Be told that a hand must have been over some places."""
        self._covered[list(places)] = True

    def move_to(self, region: Region) -> None:
        """Go on with the board at another place of the picture; what was covered stays covered."""
        self.region = region
        self._unrest = Unrest(region.inside.shape)
        self._arm = ArmInSight(region.near_border)
        self.restart()

    def not_a_hand(self) -> None:
        """Be told that what hides the board in the newest frame is no hand."""
        self._log_odds = min(self._log_odds, -2.0)

    def update(self, frame: Frame, ignore: Sequence[Outline] = ()) -> Scene:
        """Take in the next frame.

        Args:
            frame: later than the last one.
            ignore: convex outlines of moving machine parts: no evidence of anything.
        """
        gray = self.region.reduce(frame.image)
        seen = self.region.inside
        blocked, part = False, None
        if ignore:
            part = self._machine(ignore)
            blocked = bool((part & seen).sum() > 0.05 * self.region.area_px)
            seen = np.asarray(seen & (1 - part), dtype=np.uint8)
        self._machine_part = part
        if self._calm is None:
            self._start(gray, seen, frame.time_s)
        self._learn_unseen(gray, seen)
        moving = self._motion(gray, seen)
        moving_squares = math.inf if self._previous is None else float(moving.sum()) / self.region.area_px
        if MOTION_SQUARES < moving_squares < math.inf:
            self._last_motion_s = frame.time_s
        cover = self._cover(gray, seen, moving, frame.time_s)
        self._arm.see(cover)
        self._believe(cover, frame.time_s, machine=bool(ignore))
        still = frame.time_s - self._last_motion_s >= STILL_S
        if not blocked:
            self._settle(gray, cover, moving, frame.time_s)
        hand = self._log_odds > 0.0
        if hand:
            self._mark_covered(cover)
            self._follow_tip(cover)
        else:
            self._tip = None
        self._previous, self._previous_s, self.cover = gray, frame.time_s, cover
        return Scene(
            time_s=frame.time_s,
            number=frame.number,
            hand=hand,
            still=still,
            quiet=still and not hand and not blocked,
            light_changed=abs(self._level(gray) - self._baseline_level) > LIGHT_CHANGE,
            mask_squares=float(cover.mask.sum()) / self.region.area_px,
            hand_probability=1.0 / (1.0 + math.exp(-self._log_odds)),
            moving_squares=moving_squares,
            stirs_at_the_border=cover.stirs_at_the_border and moving_squares < MOST_STIRRED_SQUARES,
        )

    def _machine(self, outlines: Sequence[Outline]) -> Mask:
        """Return where the machine is, 1 inside."""
        part = np.zeros(self.region.size[::-1], dtype=np.uint8)
        for outline in outlines:
            part |= self.region.polygon(outline)
        return np.asarray(cv2.dilate(part, self.region.kernel(0.4)), dtype=np.uint8)

    def _start(self, gray: Gray, seen: Mask, time_s: float) -> None:
        self._calm = _Calm(gray, self._sigma_px)
        self._known = seen.copy()
        self._baseline_level = self._level(gray)
        self._last_motion_s = time_s
        self._previous_s = time_s

    def _learn_unseen(self, gray: Gray, seen: Mask) -> None:
        """Take over what the machine's part hid when the watch began and hides no longer."""
        new = (seen > 0) & (self._known == 0)
        if new.any():
            assert self._calm is not None
            self._calm = _Calm(np.where(new, gray, self._calm.gray), self._sigma_px)
            self._known |= seen

    @property
    def _sigma_px(self) -> float:
        return 0.3 * self.region.square_px

    def _level(self, gray: Gray) -> float:
        return float(np.median(gray[::2, ::2]))

    def _motion(self, gray: Gray, seen: Mask) -> NDArray[np.bool_]:
        if self._previous is None:
            return np.zeros(gray.shape, dtype=np.bool_)
        change = _local_change(gray - self._previous, self.region.square_px)
        moving = self._unrest.moving(change) & (seen > 0)
        if self._log_odds <= 0.0:
            self._unrest.learn(change, seen)
        return np.asarray(moving)

    def _cover(self, gray: Gray, seen: Mask, moving: NDArray[np.bool_], time_s: float) -> Cover:
        assert self._calm is not None
        mask = self._opened(self._hidden(self._calm, gray) & seen)
        if self._still is not None and self._still is not self._calm and mask.any():
            # The calm picture may have taken the tip of an arm for a disc. Where the board shows as it last lay still, the arm is
            # gone, not come.
            mask = self._opened(mask & self._hidden(self._still, gray))
        lies, gap_s = time_s - self._last_motion_s >= LYING_S, time_s - self._previous_s
        crossing = self._arm.crossing(mask, moving, hand=self._log_odds > 0.0, lies=lies, gap_s=gap_s)
        looks = Looks(self._calm.gray, gray)
        return components(mask, moving, self.region, self._machine_part, looks, crossing, gap_s)

    def _hidden(self, calm: _Calm, gray: Gray) -> Mask:
        """Return where the gradients of a calm picture are missing, 1 there."""
        ratio = gray - calm.gray
        ratio -= np.float32(np.median(ratio[::2, ::2]))
        dx, dy = _gradients(gray)
        correlation = _blur(dx * calm.dx + dy * calm.dy, self._sigma_px) / calm.energy
        hidden = (correlation < MISSING_CORRELATION) & (_local_change(ratio, self.region.square_px) > LEAST_CHANGE)
        hidden |= ratio < DARKER_THAN_SHADOW
        return hidden.astype(np.uint8)

    def _opened(self, mask: Mask) -> Mask:
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, self.region.kernel(0.3)), dtype=np.uint8)

    def _believe(self, cover: Cover, time_s: float, *, machine: bool) -> None:
        """One step of the hidden Markov chain in log odds (IN against OUT)."""
        elapsed = min(max(time_s - self._previous_s, 0.02), 1.0)
        # Hands come and go about once in 8 s: that much certainty is lost by waiting.
        change = 0.5 * (1.0 - math.exp(-2.0 * elapsed / 8.0))
        inside = 1.0 / (1.0 + math.exp(-self._log_odds))
        inside = inside * (1.0 - change) + (1.0 - inside) * change
        prior = math.log(inside / (1.0 - inside))
        evidence = hand_evidence(cover, self._log_odds, machine)
        self._log_odds = min(max(prior + evidence, -MOST_LOG_ODDS), MOST_LOG_ODDS)

    def _settle(self, gray: Gray, cover: Cover, moving: NDArray[np.bool_], time_s: float) -> None:
        """Let the calm picture follow the scene, without ever swallowing a hand that comes slowly."""
        rests_s, hand = time_s - self._last_motion_s, self._log_odds > 0.0
        still, lies = rests_s >= STILL_S, rests_s >= LYING_S
        if hand and self._was_laid_down(cover, rests_s):
            self._log_odds, hand = min(self._log_odds, -2.0), False
        if still and not self._settled:
            # Begun with a hand in the picture, its leaving would look like a hand for ever: what stands still is the calm one.
            self._log_odds, hand = min(self._log_odds, -2.0), False
        if hand:
            self._hand_s, self._arm_waits, self._follows = time_s, False, False
            return
        assert self._calm is not None
        self._follows = self._follows and still
        self._arm_waits = cover.reaches_out and not lies and (self._arm_waits or self._comes_in(cover, time_s))
        if still and not (self._settled and self._arm_waits):
            self._settled = True
            self._calm = _Calm(gray, self._sigma_px)
            self._follow_stillness(gray, moving, time_s, lies=lies)
            return
        # Between two moments of stillness only what is surely board is taken over: men that were moved and lie still, and
        # pixels that look as before. A passing shadow stays out, and so does an arm, even one that waits in the margin.
        calm = self._calm.gray
        ratio = gray - calm
        light, share = light_plane(ratio)
        if share < LAMP_SHARE:
            light = np.full_like(ratio, np.median(ratio[::2, ::2]))
        same = np.abs(ratio - light) < SAME_LIGHT
        moved = cv2.dilate(cover.discs, self.region.kernel(0.5)) > 0
        restless = (cover.mask & (1 - cover.discs)) | moving.astype(np.uint8)
        other = cv2.dilate(restless, self.region.kernel(0.8)) > 0
        if share >= LAMP_SHARE:
            # What is kept is carried into the light of this moment, or a seam would run through the calm picture between both.
            calm = calm + light
        self._calm = _Calm(np.where((same | moved) & ~other, gray, calm).astype(np.float32), self._sigma_px)

    def _was_laid_down(self, cover: Cover, rests_s: float) -> bool:
        """Return whether what hides the board lies there: it did not stir for so long, and is small or has no arm."""
        # Men that were moved meanwhile are no part of the thing.
        squares = float((cover.mask & (1 - cover.discs)).sum()) / self.region.area_px
        if rests_s >= LYING_S and squares <= LYING_SQUARES:
            return True
        return rests_s >= PARTED_S and squares <= CHAIN_SQUARES and all(patch.has_no_arm for patch in cover.patches)

    def _follow_stillness(self, gray: Gray, moving: NDArray[np.bool_], time_s: float, *, lies: bool) -> None:
        """Take the calm picture for how the board last lay still, unless a finger tip may be in it that rests on the edge.

        It may hide all of a place, but where no hand was seen no disc was moved.
        """
        if self._still is not None and not (self._follows or lies):
            seen = self.region.inside if self._machine_part is None else self.region.inside & (1 - self._machine_part)
            hidden = self._opened(self._hidden(self._still, gray) & seen)
            looks = Looks(self._still.gray, gray)
            new = components(hidden, moving, self.region, self._machine_part, looks)
            discs_moved = self._hand_s > self._still_s
            at_border = [patch for patch in new.patches if patch.border_squares >= ARM_BORDER_SQUARES]
            if not all(patch.explained and discs_moved for patch in at_border):
                return
        self._still, self._still_s, self._follows = self._calm, time_s, True

    def _comes_in(self, cover: Cover, time_s: float) -> bool:
        """Return whether something that may be an arm stirs, long after the last one left."""
        return time_s - self._hand_s >= ALONE_S and any(patch.reaches_out and patch.stirs for patch in cover.patches)

    def _mark_covered(self, cover: Cover) -> None:
        self._covered[self._places_under(cover.mask)] = True

    def _follow_tip(self, cover: Cover) -> None:
        """Count the places over which the finger tip stays."""
        before, self._tip = self._tip, finger_tip(cover.mask, self.region)
        if before is None or self._tip is None or math.dist(before, self._tip) > REST_SQUARES * self.region.square_px:
            return
        place = int(self.region.place_of_pixel[round(self._tip[1]), round(self._tip[0])])
        if place < self.region.columns * self.region.rows:
            self._rests[place] = self._rests.get(place, 1) + 1

    def _places_under(self, mask: Mask) -> NDArray[np.intp]:
        wide = cv2.dilate(mask, self.region.kernel(0.8)) > 0
        return np.unique(self.region.place_of_pixel[wide])


def finger_tip(mask: Mask, region: Region) -> tuple[float, float] | None:
    """Return the point of a hand that reaches farthest from where its arm comes in; None if no arm does.

    Args:
        mask: what hides the board, reduced size.
        region: the watched part of the picture.

    Returns:
        x and y, px at reduced size: the middle of the outermost part.
    """
    _, labels = cv2.connectedComponents(mask, connectivity=8)
    entering = labels[(region.near_border > 0) & (mask > 0)]
    if not len(entering):
        return None
    y, x = np.nonzero(labels == np.bincount(entering).argmax())
    enters = region.near_border[y, x] > 0
    reach = np.hypot(x - x[enters].mean(), y - y[enters].mean())
    # A single pixel is noise; a tip is a fifth of a square long.
    outermost = reach >= reach.max() - 0.2 * region.square_px
    return float(x[outermost].mean()), float(y[outermost].mean())


def _local_change(ratio: Gray, square_px: float) -> Gray:
    """Mean departure of a log ratio from its surroundings of a third of a square: light changes have none."""
    departure = cv2.absdiff(ratio, _blur(ratio, 0.35 * square_px))
    return _blur(np.asarray(departure, dtype=np.float32), 0.2 * square_px)


def _gradients(gray: Gray) -> tuple[Gray, Gray]:
    dx = cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
    dy = cv2.Sobel(gray, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    return np.asarray(dx, dtype=np.float32), np.asarray(dy, dtype=np.float32)


def _blur(values: Gray, sigma_px: float) -> Gray:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma_px), dtype=np.float32)
