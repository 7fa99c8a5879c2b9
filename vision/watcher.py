"""The eyes in one object: frames go in; scenes, readings of the board and what a hand did come out."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import ChangeEvidence, Patches, PatchSampler
from damludo.vision.content import Content
from damludo.vision.errors import BadPicture, VisionError
from damludo.vision.fellows import fellow_evidence
from damludo.vision.frame import Frame, Image
from damludo.vision.glimpse import Glimpses, changed_beside
from damludo.vision.joining import (
    beside,
    combine,
    contradictions,
    doubtful_discs,
    filled,
    gone_evidence,
    unsettled_discs,
    with_crowns,
    with_stays,
)
from damludo.vision.motion import MOTION_SQUARES, STILL_S, MotionWatch, Outline, Scene
from damludo.vision.reading import MOST_NATS, BoardReading
from damludo.vision.region import Region
from damludo.vision.registration import seen_from
from damludo.vision.shift import Shift, ShiftMeter
from damludo.vision.staying import stay_evidence
from damludo.vision.touch import (
    CONTACT_FRAMES,
    LIFT_SHIFT_SQUARES,
    SEEN_EMPTY_FRAMES,
    WORTH_TELLING,
    TouchEvidence,
    TouchKind,
    contact_confidence,
    lift_confidence,
    shift_confidence,
)
from damludo.vision.view import BoardView
from damludo.vision.whereabouts import Whereabouts

QUIET_FRAMES = 5
"""So many of the newest quiet frames are averaged: halves the noise, costs a third of a second."""
CALM_FRAMES = 3
"""So many quiet frames in turn show a scene that is calm indeed."""
PERHAPS_CHANGED = -3.0
"""Log-likelihood ratio of a change above which a place is compared with its fellows: a black disc that is taken from a nearly
black square may show no more (-2.3)."""
SURELY_UNCHANGED = -1.0
"""Log-likelihood ratio of a change below which a place needs no look at its height."""
REFRESH_S = 2.0
"""While nobody reaches in, the baseline follows the light this often."""
UNSEEN_NATS, UNSEEN_PLACES = 4.0, 3
"""So many places at most, changed by so much evidence, were changed by a hand that was overlooked."""
MOST_PUT = 2
"""So many discs at most that were just put down are looked at closely: a move puts down one."""
NEVER_S = -1e9


class PictureReader(Protocol):
    """Reads one picture by itself, without the pictures before it."""

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> NDArray[np.float64]:
        """Return log-likelihoods of the contents, shape (rows * columns, 5).

        Args:
            image: a quiet picture.
            believed: what surely stands where (crowns need not be looked for there); None before anything was believed.
        """

    def learn_ground(self, image: Image, content: Mapping[int, Content]) -> None:
        """Learn how the empty places look, from a quiet picture of a board that surely holds this."""

    def crown_evidence(self, image: Image, places: Collection[int], content: Mapping[int, Content]) -> dict[int, float]:
        """Return log-likelihoods of a king minus those of a man, nats, for places on which a disc was just put.

        Args:
            image: a quiet picture.
            places: to be looked at closely; those that nothing can be told of are left out of the answer.
            content: what seems to stand on all playable places, crowned or not.
        """


class BoardWatcher:
    """Follows one board from quiet picture to quiet picture.

    Args:
        view: where board and camera stand.
        reader: the absolute reading of one picture, which starts the tracking and cross-checks it.
        reader_at: makes a reader for another pose, so that the camera may be bumped; without it such a board is not read again.

    Attributes:
        view: where board and camera stand now.
        glimpses: what was seen beside the hand since the last `believe`.
        unseen: something stirred, and a few places changed, without a hand that was seen; until the board is read again.
    """

    def __init__(
        self, view: BoardView, reader: PictureReader, reader_at: Callable[[BoardView], PictureReader] | None = None
    ) -> None:
        self.view = view
        self.glimpses = Glimpses()
        self.unseen = False
        self._stirred = False
        self._reader, self._reader_at = reader, reader_at
        self._motion = MotionWatch(Region.of_view(view))
        self._sampler = PatchSampler(view)
        self._meter = ShiftMeter(self._sampler)
        self._quiet: deque[Frame] = deque(maxlen=QUIET_FRAMES)
        self._was_quiet = False
        self._quiet_was_read = False
        self._believed: dict[int, Content] | None = None
        self._baseline: Patches | None = None
        self._baseline_image: Image | None = None
        self._baseline_reading: NDArray[np.float64] | None = None
        self._baseline_frame = -1
        self._baseline_s = NEVER_S
        self._baseline_due = False
        self._baseline_is_calm = self._now_is_calm = self._baseline_is_carried = False
        self._now: Patches | None = None
        self._now_frame = -1
        self._change: ChangeEvidence | None = None
        self._disagreement: tuple[int, ...] = ()
        self._clear: Image | None = None
        self._whereabouts = Whereabouts(view.grid)

    @property
    def motion(self) -> MotionWatch:
        """What follows hands, with what hides the board in the newest picture."""
        return self._motion

    @property
    def covered(self) -> NDArray[np.bool_]:
        """True for the places that a hand was over since the last `believe`, shape (rows * columns,)."""
        return self._motion.covered

    @property
    def mask(self) -> NDArray[np.uint8] | None:
        """What hid the board in the newest frame, 1 = hidden, at the reduced size of `region`; None before the first frame."""
        return None if self._motion.cover is None else self._motion.cover.mask

    @property
    def region(self) -> Region:
        """The watched part of the picture."""
        return self._motion.region

    @property
    def change(self) -> ChangeEvidence | None:
        """The comparison with the baseline that the last `read` used; None without a baseline."""
        return self._change

    @property
    def baseline_frame(self) -> int:
        """Number of the frame that later ones are compared with; -1 without a baseline."""
        return self._baseline_frame

    @property
    def disagreement(self) -> tuple[int, ...]:
        """Places of the last `read` that did not change but look, taken absolutely, like something else than believed."""
        return self._disagreement

    @property
    def believed(self) -> dict[int, Content] | None:
        """What the match said last, or None."""
        return None if self._believed is None else dict(self._believed)

    def update(self, frame: Frame, ignore: Sequence[Outline] = ()) -> Scene:
        """Take in the next frame and say what goes on.

        Args:
            frame: later than the last one.
            ignore: outlines of moving machine parts in the picture; they are no evidence of a hand.

        Raises:
            BadPicture: the picture is not of the size that the board was found in.
        """
        height, width = frame.image.shape[:2]
        if (width, height) != self.view.image_size:
            raise BadPicture(
                f"the pictures changed their size from {self.view.image_size} to {(width, height)} px; "
                f"use pictures of one size, and start anew after another camera was plugged in"
            )
        scene = self._motion.update(frame, ignore)
        if self._whereabouts.doubtful(scene):
            scene = self._check_whereabouts(frame, scene)
        if scene.quiet:
            self._quiet_frame(frame)
        if not (scene.hand or scene.camera_moved) and scene.moving_squares <= MOTION_SQUARES:
            self._clear = frame.image
        if scene.hand:
            # What the match believed may be over by the time the scene is quiet again.
            self._baseline_due = False
            self._glimpse(frame)
        self._was_quiet = scene.quiet
        return scene

    def _quiet_frame(self, frame: Frame) -> None:
        if not self._was_quiet:
            self._quiet.clear()
            self._quiet_was_read = False
            self._stirred = True
        self._quiet.append(frame)
        if not self._whereabouts.known:
            self._whereabouts.stand(self.view, frame.image)
        better = self._whereabouts.mended(frame.image)
        if better is not None and self._reader_at is not None:
            self._stand_at(better, frame, self._reader_at)
        if self._baseline_due and len(self._quiet) >= CALM_FRAMES:
            self._take_baseline(tuple(self._quiet))
        elif len(self._quiet) >= CALM_FRAMES and self._baseline_wants_refreshing(frame.time_s):
            self._refresh_baseline()
            self._stirred = False

    def read(self, frames: Sequence[Frame] = ()) -> BoardReading:
        """Read the board from the newest quiet frames, or from given ones that show the same scene.

        A place that did not change since `believe` strongly keeps its content; a changed place is what the picture shows.
        `change` and `disagreement` tell how the two agreed.

        Raises:
            VisionError: no quiet frame was seen yet.
        """
        frames = frames or tuple(self._quiet)
        if not frames:
            raise VisionError("the board was not quiet yet; take the hands away and wait half a second")
        self._quiet_was_read = True
        self.unseen = False
        mean = _average(frames)
        image = _rounded(mean)
        self._change, self._disagreement = None, ()
        if self._baseline is not None and self._believed is not None:
            self._now, self._now_frame = self._sampler.sample(mean), frames[-1].number
            self._now_is_calm = len(frames) >= CALM_FRAMES
            self._change = self._sampler.compare(self._baseline, self._now)
            combined = self._compared(image, self._believed, self._change)
        else:
            combined = np.asarray(self._reader.read(image, None if self._believed is None else {}), dtype=np.float64)
        combined = self._with_crowns(image, combined)
        newest = frames[-1]
        table = _normalised(combined, self.view.grid.playable)
        return BoardReading(self.view.grid, table, newest.time_s, newest.number)

    def _compared(self, image: Image, believed: Mapping[int, Content], change: ChangeEvidence) -> NDArray[np.float64]:
        """Return the absolute reading joined with the comparison."""
        ratio = change.log_likelihood_ratio
        settled = {place: content for place, content in believed.items() if ratio[place] < SURELY_UNCHANGED}
        absolute = np.asarray(self._reader.read(image, settled), dtype=np.float64)
        self._disagreement = contradictions(absolute, believed, change)
        same_pose = not self._baseline_is_carried
        asked = [place for place in sorted(believed) if ratio[place] > PERHAPS_CHANGED or not same_pose]
        known = {place: content for place, content in believed.items() if ratio[place] < 0.0}
        held = {place: content for place, content in believed.items() if ratio[place] >= 0.0}
        assert self._now is not None
        earlier = self._baseline if same_pose else None
        fellows = fellow_evidence(self._sampler, self._now, known, asked, earlier, held)
        misled = beside(self._disagreement, self.view.grid)
        gone: dict[int, float] = {}
        doubtful = doubtful_discs(absolute, believed, change)
        if doubtful and same_pose and self._baseline_image is not None:
            if self._baseline_reading is None:
                self._baseline_reading = np.asarray(self._reader.read(self._baseline_image, believed), dtype=np.float64)
            gone = gone_evidence(absolute, self._baseline_reading, believed, change, doubtful)
        table = combine(absolute, believed, change, fellows, misled, gone, same_pose=same_pose)
        unsettled = unsettled_discs(table, believed)
        if not unsettled or earlier is None:
            return table
        return with_stays(table, stay_evidence(self._sampler, earlier, self._now, unsettled, believed, change))

    def _with_crowns(self, image: Image, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Look closely at what was put on squares that were empty."""
        believed = self._believed or {}
        seen = {place: Content(int(table[place].argmax())) for place in believed}
        put = filled(believed, seen)
        return with_crowns(table, self._reader.crown_evidence(image, put, seen)) if 0 < len(put) <= MOST_PUT else table

    def believe(self, content: Mapping[int, Content], frames: Sequence[Frame] = ()) -> None:
        """Take over what stands on the board (the match has confirmed it); later readings are compared with this moment.

        The newest quiet frames (or those given) become the baseline; if there is none since the last motion, the next ones do.
        """
        self._believed = dict(content)
        self._motion.forget_cover()
        self.glimpses.clear()
        self._baseline, self._baseline_frame, self._now = None, -1, None
        # Quiet frames of the past count only if the caller read them: what it confirms is what they show.
        if not frames and (self._was_quiet or self._quiet_was_read):
            frames = tuple(self._quiet)
        self._baseline_due = not frames
        if frames:
            self._take_baseline(frames)

    def touches(self, content: Mapping[int, Content]) -> tuple[TouchEvidence, ...]:
        """Return what the last `read` tells of discs that stand where they stood since `believe`.

        A disc that lies as it lay, and whose place was never seen empty, gives no proof, whatever the hand did.

        Args:
            content: what stands on the board now.
        """
        if self._baseline is None or self._now is None or self._believed is None:
            return ()
        places = [place for place in self._standing() if content[place] is self._believed[place]]
        shifts: Mapping[int, Shift] = {}
        if self._baseline_is_calm and self._now_is_calm:
            # One picture between two hands is enough for a move, but shadows of hands look like shifts.
            changed = [place for place, what in self._believed.items() if content[place] is not what]
            shifts = self._meter.measure(self._baseline, self._now, places, changed)
        found = (self._touch(place, shifts.get(place)) for place in places)
        return tuple(touch for touch in found if touch is not None)

    def _standing(self) -> list[int]:
        return [place for place, what in sorted((self._believed or {}).items()) if what is not Content.EMPTY]

    def _touch(self, place: int, shift: Shift | None) -> TouchEvidence | None:
        glimpse, rested = self.glimpses.emptied.get(place), self._motion.rests.get(place, 0)
        if shift is not None:
            covered = bool(self.covered[place])
            sure = shift_confidence(shift, covered=covered)
            if covered and glimpse is not None and glimpse.frames >= SEEN_EMPTY_FRAMES:
                lifted = lift_confidence(glimpse.frames, shift)
                return TouchEvidence(place, TouchKind.LIFTED, lifted, shift.size, glimpse.first, self._now_frame)
            if sure >= WORTH_TELLING:
                size = max(shift.size, LIFT_SHIFT_SQUARES)
                return TouchEvidence(place, TouchKind.SHIFTED, sure, size, self._baseline_frame, self._now_frame)
        if rested < CONTACT_FRAMES:
            return None
        sure, size = contact_confidence(rested), 0.0 if shift is None else shift.size
        return TouchEvidence(place, TouchKind.CONTACT, sure, size, self._baseline_frame, self._now_frame)

    def restart(self) -> None:
        """Forget all pictures but not the belief: the camera was moved or a source was replaced."""
        self._motion.restart()
        self._quiet.clear()
        self._was_quiet = False
        self._baseline, self._baseline_due = None, self._believed is not None
        self._baseline_frame, self._now, self._clear = -1, None, None
        self._whereabouts.forget()
        self.glimpses.clear()

    def _take_baseline(self, frames: Sequence[Frame]) -> None:
        mean = _average(frames)
        self._baseline = self._sampler.sample(mean)
        self._baseline_image, self._baseline_reading = _rounded(mean), None
        self._baseline_frame, self._baseline_s = frames[-1].number, frames[-1].time_s
        self._baseline_is_calm = len(frames) >= CALM_FRAMES
        if self._baseline_is_calm and self._believed is not None:
            self._reader.learn_ground(self._baseline_image, self._believed)
        # What stirred before is in the baseline.
        self._baseline_due = self._stirred = self._baseline_is_carried = False

    def _baseline_wants_refreshing(self, now_s: float) -> bool:
        if not self._baseline_is_calm:
            return True
        return (self._stirred or now_s - self._baseline_s >= REFRESH_S) and not self.covered.any()

    def _refresh_baseline(self) -> None:
        """Let the baseline follow the light while nobody reaches in, or be a calm one at last, as long as nothing changed."""
        self._baseline_s = self._quiet[-1].time_s
        if self._baseline is None:
            return
        mean = _average(tuple(self._quiet))
        now = self._sampler.sample(mean)
        ratio = self._sampler.compare(self._baseline, now).log_likelihood_ratio
        if self._stirred and self._baseline_is_calm and self._shifted(self._baseline, now):
            self.unseen = True
        elif float(ratio.max()) < 0.0:
            self._baseline, self._baseline_frame = now, self._quiet[-1].number
            self._baseline_image, self._baseline_reading = _rounded(mean), None
            self._baseline_is_calm, self._baseline_is_carried = True, False
        elif self._stirred and 0 < int((ratio > UNSEEN_NATS).sum()) <= UNSEEN_PLACES:
            # A finger tip at the edge is hardly a hand; but discs do not move by themselves, and light changes more places.
            self._motion.cover_places([int(place) for place in np.flatnonzero(ratio > UNSEEN_NATS)])
            self.unseen = True

    def _shifted(self, before: Patches, after: Patches) -> bool:
        """Return whether discs surely lie elsewhere, though no hand was seen."""
        shifts = self._meter.measure(before, after, self._standing()).values()
        return any(shift_confidence(shift, covered=False) >= WORTH_TELLING for shift in shifts)

    def _glimpse(self, frame: Frame) -> None:
        """Look at what the hand does not cover."""
        self.glimpses.see_hand(frame.time_s)
        if self._baseline is None or self._believed is None:
            return
        patches, covered = self._sampler.sample(frame.image), self._motion.covered_now
        places = changed_beside(self._baseline, patches, self.view.grid, covered, self._believed)
        if self.glimpses.open(places):
            table = np.asarray(self._reader.read(frame.image, self._believed), dtype=np.float64)
            self.glimpses.note(table, places, self._believed, frame.number, frame.time_s)

    # --- the camera's own place -------------------------------------------------------------------------------------------------

    def _check_whereabouts(self, frame: Frame, scene: Scene) -> Scene:
        moved, view = self._whereabouts.check(frame, scene)
        if not moved:
            return scene
        self._motion.not_a_hand()
        self._quiet.clear()
        if view is not None and self._reader_at is not None:
            self._move_to(view, frame, self._reader_at)
        return replace(scene, hand=False, still=False, quiet=False, camera_moved=True)

    def _move_to(self, view: BoardView, frame: Frame, reader_at: Callable[[BoardView], PictureReader]) -> None:
        """Go on from another place of the camera; the baseline stays good, since its patches are parts of the board."""
        before = self.view
        self._stand_at(view, frame, reader_at)
        self._motion.move_to(Region.of_view(view))
        if self._clear is None or not self._hand_is_over(seen_from(view, self._clear, before), frame):
            self._motion.restart()
        self._was_quiet = False

    def _hand_is_over(self, clear: Image, frame: Frame) -> bool:
        """Let the motion watch begin from the board as it looks without a hand; return whether there is one now."""
        for earlier_s in (2 * STILL_S, STILL_S / 2):
            self._motion.update(Frame(clear, frame.time_s - earlier_s, frame.number))
        return self._motion.update(frame).hand

    def _stand_at(self, view: BoardView, frame: Frame, reader_at: Callable[[BoardView], PictureReader]) -> None:
        self.view = view
        self._reader = reader_at(view)
        self._sampler = PatchSampler(view, self._sampler.side)
        self._meter = ShiftMeter(self._sampler)
        self._whereabouts.stand(view, frame.image)
        # Good enough to know a move by, but a hair of error in the pose is a shift of every disc.
        self._baseline_is_calm, self._baseline_is_carried = False, True


def _average(frames: Sequence[Frame]) -> NDArray[np.float32]:
    """Return the mean picture, not rounded: a small shift of a dark disc is less than a grey level."""
    total = np.zeros(frames[0].image.shape, dtype=np.float32)
    for frame in frames:
        cv2.accumulate(frame.image, total)
    return np.asarray(total / np.float32(len(frames)), dtype=np.float32)


def _rounded(picture: NDArray[np.float32]) -> Image:
    return np.asarray(cv2.convertScaleAbs(picture), dtype=np.uint8)


def _normalised(table: NDArray[np.float64], playable: tuple[int, ...]) -> NDArray[np.float64]:
    """Best of each row 0, none below -`MOST_NATS`, rows that are not playable all zero."""
    result = np.zeros_like(table)
    rows = list(playable)
    result[rows] = np.maximum(table[rows] - table[rows].max(axis=1, keepdims=True), -MOST_NATS)
    return result
