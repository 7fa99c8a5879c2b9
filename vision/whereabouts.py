"""Where the camera stands, from picture to picture: when to look, when it counts as moved, and where it is found again."""

import numpy as np

from damludo.vision.content import Grid
from damludo.vision.frame import Frame, Image
from damludo.vision.motion import Scene
from damludo.vision.registration import Drift, Station
from damludo.vision.view import BoardView

CHECK_S = 1.0
"""So often is looked whether the camera still stands where it stood."""
WIDE_PART = 0.2
"""If so much of the board moves or is hidden at once, the camera may have been bumped."""
HIDDEN_PART = 0.5
"""If so much of the board is hidden it is looked closely whether the camera was bumped, hand or no hand: no arm hides so much."""
LOOK_CLOSELY_S = 0.25
"""So often it is looked closely as long as that shows nothing: somebody may lean over the board for minutes."""
MOVED_FRAMES = 3
"""The camera counts as moved, and is found again, when so many pictures in turn say so."""
AT_REST_SQUARES = 0.03
"""... and the last two say the same within this."""
FINE_SQUARES = 0.02
"""A pose that was found under a hand is mended by this much and more as soon as the hand is gone."""
NEVER_S = -1e9


class Whereabouts:
    """Follows where the camera stands.

    Args:
        grid: of the board.
    """

    def __init__(self, grid: Grid) -> None:
        self._places = grid.columns * grid.rows
        self._first: Station | None = None
        self._newest: Station | None = None
        self._left: Station | None = None
        self._drifts: list[Drift] = []
        self._checked_s = self._closely_s = NEVER_S

    def forget(self) -> None:
        """Know nothing of where the camera stands until `stand` says it."""
        self._first = self._newest = self._left = None
        self._drifts = []

    @property
    def known(self) -> bool:
        """There is a picture to compare others with."""
        return self._first is not None

    def stand(self, view: BoardView, image: Image) -> None:
        """Be told where the camera stands, with a picture from there, shape (h, w, 3)."""
        self._first, self._newest = Station(view, image), None
        self._drifts = []

    def doubtful(self, scene: Scene) -> bool:
        """Return whether to look at the camera's place in this frame: now and then, and whenever very much changed at once."""
        if self._first is None:
            return False
        wide = WIDE_PART * self._places
        if self._drifts or scene.moving_squares > wide or (scene.mask_squares > wide and scene.still):
            return True
        return self._much_is_hidden(scene) or (
            scene.still and not scene.hand and scene.time_s - self._checked_s >= CHECK_S
        )

    def check(self, frame: Frame, scene: Scene) -> tuple[bool, BoardView | None]:
        """Look whether the camera moved; return that, and where it was found if it has come to rest elsewhere."""
        assert self._first is not None
        self._checked_s = frame.time_s
        station, drift = self._compared(self._first, frame, scene)
        if drift is None:
            # Too little of the board is seen: a hand, or a camera that was turned away while it was suspected to move.
            lost, looked_closely = bool(self._drifts), self._closely_s == frame.time_s
            return lost, self._located(station, frame) if lost and looked_closely and scene.still else None
        if not drift.moved:
            self._drifts = []
            if scene.quiet:
                self._newest = Station(station.view, frame.image)
            return False, None
        self._drifts.append(drift)
        at_rest = len(self._drifts) >= MOVED_FRAMES and abs(drift.squares - self._drifts[-2].squares) < AT_REST_SQUARES
        return True, self._located(station, frame) if at_rest else None

    def _compared(self, first: Station, frame: Frame, scene: Scene) -> tuple[Station, Drift | None]:
        """Return how far the camera moved, and the station that tells it."""
        doubt = bool(self._drifts) or self._much_is_hidden(scene)
        station, drift = first, first.drift(frame.image)
        if self._newest is not None and (drift is None or not (drift.sure or (scene.hand and not doubt))):
            # The men stand so differently now that the first picture is of little use.
            later = self._newest.drift(frame.image)
            station, drift = self._newest, later or drift
        unsure = drift is None or drift.moved or not drift.sure
        due = (doubt or scene.quiet) and frame.time_s - self._closely_s >= LOOK_CLOSELY_S
        if unsure and due:
            drift = station.drift(frame.image, closely=True)
            if drift is None or not drift.moved:
                self._closely_s = frame.time_s
        return station, drift

    def _much_is_hidden(self, scene: Scene) -> bool:
        return scene.mask_squares > HIDDEN_PART * self._places

    def _located(self, station: Station, frame: Frame) -> BoardView | None:
        view = station.locate(frame.image)
        if view is not None:
            self._left = station
        return view

    def mended(self, image: Image) -> BoardView | None:
        """Look again in the first quiet picture after the camera was found, since a hand may have hidden much of the board.

        Args:
            image: shape (h, w, 3), without a hand.

        Returns:
            A clearly better pose; None if there is none, or if the camera was not just found.
        """
        station, self._left = self._left, None
        if station is None or self._first is None:
            return None
        view = station.locate(image)
        if view is None:
            return None
        fine, rough = (one.project(one.outer_corners_mm()) for one in (view, self._first.view))
        side = float(np.linalg.norm(rough[1] - rough[0])) / (view.grid.columns - view.grid.lines)
        return view if np.linalg.norm(fine - rough, axis=1).max() > FINE_SQUARES * side else None
