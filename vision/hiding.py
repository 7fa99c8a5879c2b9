"""What hides the board in one picture, part by part, and how much each part looks like a hand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.light import LAMP_SHARE, light_plane
from damludo.vision.region import Gray, Mask, Region, Spot

CHAIN_SQUARES = 7.0
"""Most squares that one capture changes in a chain."""
NOTHING_EVIDENCE = -6.0
"""Log-likelihood ratio of a frame in which nothing hides the board."""
AT_REST = 0.03
"""A part of which less than this changed since the frame before does not stir."""
STILL = 0.1
"""A part of which less than this changed lies still, but for a trembling shadow."""
ARM_BORDER_SQUARES = 0.25
"""What touches the border along less than this is no arm."""
COMES_PART_A_SECOND, MOST_COMES_PART = 2.0, 0.5
"""What comes over the border stirs in more than this part; the place that an arm goes from slowly, and its shadow, in less."""
USUAL_ARM_SQUARES = 0.65
"""From this area on, what touches the border as arms do rather is one."""
FILLED = 0.65
"""A place that gained or lost its discs changed over at least this part of a disc's foot (a dark king on a dark square: 0.76)."""
FAINT = 0.25
"""... and at least over this part, if it has the brightness of its square (a white king on a light square: 0.44)."""
LEFT_SQUARES, LEFT_BORDER_SQUARES = 0.2, 0.7
"""So much of a part, and of the border that it touches, may lie beyond what discs on the changed places hide: a shadow."""
LEFT_PART = 0.08
"""The same of a long chain, as a part of it."""
OVERHANG_SQUARES = 1.1
"""A stack's round top crosses one side of the border along no more than this, seen from 36 degrees; an arm is wider."""
EXCHANGE_CONTRAST = 0.4
"""Places whose log-brightness changed by this much may have exchanged what they showed (a black king on brown wood: 1.35)."""
EXCHANGE_PART = 0.5
"""... if what both miss of what the other one showed is together no more than this part of the contrast: the squares of a board
are not alike, nor is the light on them. An arm that lies on both shows the same on both and so misses all of it."""
UNTOUCHED_CONTRAST = 0.1
"""A place whose log-brightness changed by less than this shows what it showed."""

SIDES = 4
"""Of the border of what is watched."""
SHADOW_SQUARES = 0.4
"""So far beyond what discs hide anyhow the shadow of one may reach that surely came or left (a king at the corner: a third of a
square beside it)."""


@dataclass(frozen=True, eq=False, slots=True)
class Looks:
    """The board before and now, to compare places by their brightness.

    Attributes:
        before: log-brightness of the calm picture, reduced size.
        now: that of this frame, in whatever light.
    """

    before: Gray
    now: Gray

    def _now_in_first_light(self) -> Gray:
        """Return this frame without what a lamp at one side did meanwhile, or the exposure."""
        ratio = self.now - self.before
        light, share = light_plane(ratio)
        return self.now - (light if share >= LAMP_SHARE else np.float32(np.median(ratio[::2, ::2])))

    def differ(self, spots: Sequence[Spot]) -> bool:
        """Return whether places look clearly different now."""
        values = [float(np.median(self.now[spot.foot > 0])) for spot in spots]
        return max(values, default=0.0) - min(values, default=0.0) >= EXCHANGE_CONTRAST

    def exchanged(self, spots: tuple[Spot, ...]) -> NDArray[np.bool_]:
        """Return for each place whether its disc went to another place or came from there; shape (spots,).

        Both show what the other one showed. Or the one shows what the other one showed, which now looks like untouched places of
        its own colour: where one disc came from and went to between squares of one colour, one grew darker and one brighter.
        """
        feet, pictures = [spot.foot > 0 for spot in spots], (self.before, self._now_in_first_light())
        before, now = (np.array([np.median(picture[foot]) for foot in feet]) for picture in pictures)
        change, carried = now - before, np.abs(now[None, :] - before[:, None])
        contrast = np.abs(change)
        meets = (carried + carried.T <= EXCHANGE_PART * contrast[:, None]).any(axis=1)
        odd = np.array([spot.odd for spot in spots])
        of_its_colour = (odd[:, None] == odd[None, :]) & (contrast < UNTOUCHED_CONTRAST)[None, :]
        bare = np.where(of_its_colour, np.abs(now[:, None] - before[None, :]), np.inf).min(axis=1, initial=np.inf)
        less = np.minimum(contrast[:, None], contrast[None, :])
        went = (carried + bare[:, None] <= EXCHANGE_PART * less) & (less >= EXCHANGE_CONTRAST)
        # A hand over a man and an empty square may look like that square and like a man elsewhere, but both grew brighter.
        went &= (odd[:, None] != odd[None, :]) | (change[:, None] * change[None, :] < 0.0)
        return np.asarray(((contrast >= EXCHANGE_CONTRAST) & meets) | (went | went.T).any(axis=1))


@dataclass(frozen=True, slots=True)
class Patch:
    """One component of what hides the board.

    Attributes:
        squares: its area.
        field_squares: the part of its area that lies over the playing field.
        extent_squares: the longer side of its upright box.
        border_squares: length along which it touches the border of the region.
        side_squares: the same on the side of the border that it touches most.
        moving_squares: the part of its area that changed since the frame before.
        near_border: it comes within a hair of that border.
        beside_machine: it reaches the machine's part, which may hide the arm that it belongs to.
        explained: it lies still, and discs that came to places of the board or left them may hide all of it.
        inside: no part of it comes to the edge of the playing field.
        arm: it crosses the border where an arm was seen that has not left (`leaving`).
    """

    squares: float
    field_squares: float
    extent_squares: float
    border_squares: float
    moving_squares: float
    near_border: bool = False
    beside_machine: bool = False
    explained: bool = False
    inside: bool = False
    arm: bool = False
    side_squares: float = 0.0

    @property
    def weight(self) -> float:
        """Area in squares; what lies beside the field counts half."""
        return 0.5 * (self.squares + self.field_squares)

    @property
    def may_be_a_disc(self) -> bool:
        """As small as a disc that was put down, or as the place it was taken from."""
        return self.squares <= 1.6 and self.extent_squares <= 1.6 and self.side_squares <= 1.12

    @property
    def may_be_a_place_at_rest(self) -> bool:
        """As a place at the edge that gained or lost its disc, with the shadow on the frame: larger, but nothing stirs."""
        small = self.squares <= 2.3 and self.extent_squares <= 1.9 and self.side_squares <= 1.3
        return small and self.at_rest

    @property
    def at_rest(self) -> bool:
        """Nothing of it stirs."""
        return self.moving_squares <= AT_REST * self.squares

    @property
    def lies_inside(self) -> bool:
        """No arm comes to it over the edge of the field, whatever the frame looks like, and nothing of it stirs."""
        return self.inside and self.at_rest and self.squares <= CHAIN_SQUARES

    @property
    def has_no_arm(self) -> bool:
        """No arm comes to it over the border, nor is one hidden by the machine."""
        beside = self.near_border or self.beside_machine
        return not self.arm and (not beside or self.explained or self.may_be_a_disc)

    @property
    def stirs(self) -> bool:
        """Most of it changed since the frame before."""
        return self.moving_squares > 0.5 * self.squares

    @property
    def reaches_out(self) -> bool:
        """It touches the border as arms do, and nothing explains it."""
        return self.arm or (self.border_squares >= ARM_BORDER_SQUARES and not (self.explained or self.may_be_a_disc))


@dataclass(frozen=True, eq=False, slots=True)
class Cover:
    """What hides the board in one frame.

    Attributes:
        mask: all that hides it, reduced size, 1 = hidden.
        discs: the components that lie still and may be discs (or the places that discs were taken from).
        patches: the components, largest first.
        arms: the components at the border that are arms: known ones, and the largest one that reaches out or stirs there.
    """

    mask: Mask
    discs: Mask
    patches: tuple[Patch, ...]
    arms: Mask

    @property
    def reaches_out(self) -> bool:
        """One of the components may be an arm."""
        return any(patch.reaches_out for patch in self.patches)

    @property
    def stirs_at_the_border(self) -> bool:
        """Something at the border changed since the frame before: an arm that comes or goes, as little of it as is seen."""
        return any(patch.near_border and patch.stirs for patch in self.patches)


def hand_evidence(cover: Cover, log_odds: float, machine: bool) -> float:
    """Log-likelihood ratio of hand against no hand for one frame.

    Fitted on the sequence of photographs: hands with what is seen of the arm cover 1 to 15 squares.
    """
    return max((_patch_evidence(patch, log_odds, machine) for patch in cover.patches), default=NOTHING_EVIDENCE)


def _patch_evidence(patch: Patch, log_odds: float, machine: bool) -> float:
    if patch.arm:
        return _area_evidence(patch.weight, USUAL_ARM_SQUARES)
    was_out = log_odds < -2.0
    if machine and patch.border_squares == 0.0 and patch.squares <= CHAIN_SQUARES:
        # A hand that was there may be cut off from its arm by the beam: it is let go slowly, within a second.
        cut_off = log_odds > 0.0 and patch.beside_machine and not patch.may_be_a_disc
        # The machine itself moves discs about, and its shadow stirs over them; a hand in the inside has an arm to the border.
        return -0.5 if cut_off else -3.5
    if was_out and patch.stirs:
        # Nothing but a hand moves discs about; where one just left, all has moved and this would mean nothing.
        return _area_evidence(patch.weight, 0.5 if patch.border_squares > 0.0 else 0.8)
    if patch.may_be_a_disc:
        # A finger tip that comes in is as small, but it moves and it comes from the border.
        moving = patch.moving_squares > 0.3 * patch.squares and patch.near_border
        return max(NOTHING_EVIDENCE, -2.5 if moving else -3.5)
    if patch.lies_inside or (patch.border_squares == 0.0 and patch.explained):
        # A capture leaves a chain of changed squares that touch at their corners; a hand in the inside has an arm, or stirs.
        return -3.5
    if patch.may_be_a_place_at_rest or (patch.explained and patch.at_rest):
        # A hand that rests trembles now and then; a few frames in turn are needed to turn the chain.
        return -2.0
    # Two or three men that were moved side by side may cover 2 squares in the inside; an arm has no such excuse.
    usual = USUAL_ARM_SQUARES if patch.border_squares >= ARM_BORDER_SQUARES else 2.2
    return _area_evidence(patch.weight, usual)


def _area_evidence(squares: float, usual: float) -> float:
    return min(max(4.0 * math.log2((squares + 0.05) / usual), NOTHING_EVIDENCE), -NOTHING_EVIDENCE)


def components(
    mask: Mask,
    moving: NDArray[np.bool_],
    region: Region,
    machine: Mask | None,
    looks: Looks | None = None,
    crossing: NDArray[np.int32] | None = None,
    gap_s: float = 0.1,
) -> Cover:
    """Return what hides the board, part by part.

    Args:
        mask: reduced size, 1 = hidden.
        moving: what changed since the frame before, same shape.
        region: the part of the picture that is watched, with its border and, where the pose is known, its spots.
        machine: where the machine is, same shape; None if it is out of sight.
        looks: the pictures that the mask was found from; without them no part is wider at the border than one stack.
        crossing: where arms cross the border that were seen before, each with its number, else 0; same shape.
        gap_s: since the frame before.
    """
    count, labels, statistics, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    touching = _touching(labels, count, region)
    in_field = np.bincount(labels[region.place_of_pixel < region.columns * region.rows], minlength=count)
    moved = np.bincount(labels[moving], minlength=count)
    beside, near, known = np.zeros((3, count), dtype=np.bool_)
    near[labels[region.near_border > 0]] = True
    if crossing is not None:
        known[_arms_of(crossing, labels, statistics)] = True
    inner = np.bincount(labels[region.inner_field > 0], minlength=count)
    if machine is not None:
        beside[labels[cv2.dilate(machine, np.ones((3, 3), np.uint8)) > 0]] = True
    is_disc, comes = np.zeros((2, count), dtype=np.bool_)
    patches = []
    for k in range(1, count):
        patch = Patch(
            squares=float(statistics[k, cv2.CC_STAT_AREA]) / region.area_px,
            field_squares=float(in_field[k]) / region.area_px,
            extent_squares=float(max(statistics[k, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1])) / region.square_px,
            border_squares=float(touching[k].sum()) / region.square_px,
            side_squares=float(touching[k].max()) / region.square_px,
            moving_squares=float(moved[k]) / region.area_px,
            near_border=bool(near[k]),
            beside_machine=bool(beside[k]),
            inside=bool(inner[k] == statistics[k, cv2.CC_STAT_AREA]),
            arm=bool(known[k]),
        )
        still = patch.moving_squares < STILL * patch.squares
        # What is as small as a disc and does not reach the border is no arm anyhow.
        large = patch.side_squares > 0.0 or not patch.may_be_a_disc
        if large and patch.squares <= CHAIN_SQUARES and (patch.at_rest if patch.arm else still):
            patch = _explained(patch, labels == k, region, looks)
        known[k] = patch.arm
        patches.append(patch)
        fast = patch.moving_squares > min(COMES_PART_A_SECOND * gap_s, MOST_COMES_PART) * patch.squares
        comes[k] = patch.near_border and fast and (patch.reaches_out or patch.stirs)
        is_disc[k] = still and not patch.arm and (patch.explained or patch.may_be_a_disc or patch.lies_inside)
    is_arm = _with_largest(known, known | comes, statistics)
    patches.sort(key=lambda patch: -patch.squares)
    discs, arms = (chosen[labels].astype(np.uint8) for chosen in (is_disc, is_arm))
    return Cover(mask=mask, discs=discs, patches=tuple(patches), arms=arms)


def _touching(labels: NDArray[Any], count: int, region: Region) -> NDArray[np.intp]:
    """Return along how many pixels each part touches each side of the border, shape (count, SIDES)."""
    at_border = region.border > 0
    of_side = SIDES * labels[at_border] + region.border_sides[at_border] - 1
    return np.bincount(of_side, minlength=SIDES * count).reshape(count, SIDES)


def _with_largest(arms: NDArray[np.bool_], may_be: NDArray[np.bool_], statistics: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the arms with the largest of the parts that may be one: a smaller one that stirs is a place that a disc left."""
    if not may_be.any():
        return arms
    largest = int(np.where(may_be, statistics[:, cv2.CC_STAT_AREA], 0).argmax())
    return np.asarray(arms | (np.arange(len(arms)) == largest), dtype=np.bool_)


def _arms_of(crossing: NDArray[np.int32], labels: NDArray[Any], statistics: NDArray[Any]) -> list[int]:
    """Return the part that each arm is: of those where it crosses the border the largest; what parted from it is no arm."""
    arms = []
    for number in np.unique(crossing[crossing > 0]):
        parts = np.unique(labels[(crossing == number) & (labels > 0)])
        arms.append(int(parts[statistics[parts, cv2.CC_STAT_AREA].argmax()]))
    return arms


def _explained(patch: Patch, part: NDArray[np.bool_], region: Region, looks: Looks | None) -> Patch:
    """Return a patch that lies still with whether discs explain it; if they surely do, it is no arm either."""
    explained = (_surely_discs if patch.arm else _explained_by_discs)(part, region, looks)
    return replace(patch, explained=explained, arm=patch.arm and not explained)


def _explained_by_discs(part: NDArray[np.bool_], region: Region, looks: Looks | None) -> bool:
    """Return whether discs on some places hide all of a part: a king's two places that meet at a corner, beside the border.

    Where the pose is not known, all that does not touch the border may be discs.
    An arm fills the squares between the places, too, and crosses the border along more than a stack that overhangs it.
    But where a place shows what another one showed, and that one what this one showed, a disc went there for certain,
    however wide its shadow makes it, and however little of it is seen to change: an arm over both looks like an arm on both.
    """
    border = part & (region.border > 0)
    if not region.spots:
        return not border.any()
    # A stack on a corner overhangs two sides.
    longest = (
        max(_longest_run(border & (region.border_sides == side)) for side in range(1, SIDES + 1)) / region.square_px
    )
    share = np.array([_share(part, spot.foot) for spot in region.spots])
    overhanging = [
        region.spots[k] for k in np.flatnonzero(share >= FILLED) if (border & (region.spots[k].reach > 0)).any()
    ]
    # Stacks side by side overhang it side by side; an arm that lies there shows the same on all of them.
    stacks = len(overhanging) if looks is not None and looks.differ(overhanging) else 1
    wide = longest > OVERHANG_SQUARES + stacks - 1
    if _are_places(part, border, share, np.zeros(len(share), dtype=np.bool_), region, wide=wide):
        return True
    if looks is None or not (share >= FAINT).any():
        return False
    return _are_places(part, border, share, looks.exchanged(region.spots), region, wide=wide)


def _surely_discs(part: NDArray[np.bool_], region: Region, looks: Looks | None) -> bool:
    """Return whether a part is where an arm was, and only discs that surely went from place to place hide all of it.

    An arm that left a place beside the border frees nothing of where it crossed it.
    """
    if looks is None or not region.spots:
        return False
    share = np.array([_share(part, spot.foot) for spot in region.spots])
    if not (share >= FAINT).any():
        return False
    went = looks.exchanged(region.spots)
    return _are_places(part, part & (region.border > 0), share * went, went, region, wide=True)


def _are_places(
    part: NDArray[np.bool_],
    border: NDArray[np.bool_],
    share: NDArray[np.float64],
    went: NDArray[np.bool_],
    region: Region,
    *,
    wide: bool,
) -> bool:
    """Return whether a part is what discs on the places below it hide.

    Args:
        part, border: the part, and where it touches the border of the region.
        share: how much of each spot's foot it hides, shape (spots,).
        went: True for spots that a disc surely came to or left, shape (spots,).
        region: with its spots.
        wide: it touches the border along more than one stack does.
    """
    filled, faint = share >= FILLED, (share >= FAINT) & (share < FILLED)
    filled |= faint & went
    if _fills_a_block([region.spots[k].place for k in np.flatnonzero(filled)], region):
        return False
    rest = part.copy()
    for k in np.flatnonzero(filled):
        reach = region.spots[k].reach
        if wide and not went[k] and (border & (reach > 0)).any():
            return False
        rest &= (cv2.dilate(reach, region.kernel(2 * SHADOW_SQUARES)) if went[k] else reach) == 0
    most = max(LEFT_SQUARES * region.area_px, LEFT_PART * np.count_nonzero(part))
    if border.any():
        beyond = np.count_nonzero(rest & border)
        return bool(np.count_nonzero(rest) <= most and beyond <= LEFT_BORDER_SQUARES * region.square_px)
    # Of a disc on a square of its own brightness only the rim and the shadow show. An arm that looks like the frame still comes
    # over the outermost squares, and it covers parts of several places.
    of_faint = [k for k in np.flatnonzero(faint & ~filled) if not region.spots[k].outermost]
    if len(of_faint) == 1:
        rest &= region.spots[of_faint[0]].reach == 0
    return bool(np.count_nonzero(rest) <= most)


def _longest_run(pixels: NDArray[np.bool_]) -> int:
    """Return the size of the largest component, px."""
    statistics = cv2.connectedComponentsWithStats(pixels.astype(np.uint8), connectivity=8)[2]
    return int(statistics[1:, cv2.CC_STAT_AREA].max(initial=0))


def _share(part: NDArray[np.bool_], foot: Mask) -> float:
    """Return the part of a foot that is hidden."""
    below = foot > 0
    return float(np.count_nonzero(part & below)) / max(1, int(np.count_nonzero(below)))


def _fills_a_block(places: list[int], region: Region) -> bool:
    """Return whether four places around one crossing, or around one square, are among those given.

    One turn changes places along its lines, where discs may stand on all squares, too, and where they stand on every second one;
    a hand that rests there covers them side by side.
    """
    board = np.zeros((region.rows, region.columns), dtype=np.bool_)
    board.flat[places] = True
    around_crossing = board[1:, 1:] & board[1:, :-1] & board[:-1, 1:] & board[:-1, :-1]
    around_square = board[2:, 1:-1] & board[:-2, 1:-1] & board[1:-1, 2:] & board[1:-1, :-2]
    return bool(around_crossing.any() or around_square.any())
