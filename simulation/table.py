"""The physical truth of the simulated table: discs, carriage, hand. The camera sees it; controller and hand move it.

Everything is in mm of the board frame (origin at the outer corner of a1, x along rank 1, y along file a, z up from the board).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from damludo.robot.places import Rack, TableLayout
from damludo.vision.content import Content


class DiscColour(Enum):
    """Whose disc it is; how it is painted is the camera's matter."""

    WHITE = "white"
    BLACK = "black"


@dataclass(slots=True)
class Disc:
    """One wooden disc. `z_mm` is the height of its lower side; `held_by` is "carriage", "hand" or None."""

    number: int
    colour: DiscColour
    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    held_by: str | None = None
    grip_x_mm: float = 0.0  # held: centre minus holder's axis; the magnet does not centre what it takes
    grip_y_mm: float = 0.0


@dataclass(slots=True)
class Carriage:
    """The gantry above the board.

    Attributes:
        x_mm, y_mm: where the magnet's axis is.
        z_mm: height of the magnet's lower face above the board.
        magnet_on: the magnet holds what it touched.
        present: False on a table without gantry (nothing is drawn then).
    """

    x_mm: float = 0.0
    y_mm: float = 0.0
    z_mm: float = 60.0
    magnet_on: bool = False
    present: bool = True


@dataclass(slots=True)
class Hand:
    """A hand above the table.

    Attributes:
        present: it can be seen; when False nothing else means anything.
        x_mm, y_mm, z_mm: where the finger tips (and a held disc) are.
        elbow_x_mm, elbow_y_mm: where the forearm comes from, outside the board.
    """

    present: bool = False
    x_mm: float = 0.0
    y_mm: float = 0.0
    z_mm: float = 0.0
    elbow_x_mm: float = 200.0
    elbow_y_mm: float = -400.0


@dataclass(frozen=True, slots=True)
class Mishap:
    """Something that must never happen: the count of these is the simulation's verdict on the robot."""

    time_s: float
    kind: str  # "crushed": the magnet or a held disc was driven into a disc or the board; "dropped": a disc fell
    detail: str


MAGNET_REACH_MM = 1.5
"""The magnet takes a disc whose top is at most this far below its face."""
MAGNET_OFFSET_MM = 9.0
"""... and whose centre is at most this far from its axis."""
RECESS_MM = 8.0
"""A disc that is let go within this distance of a rack slot's centre slides into its round recess."""
TOLERATED_PRESS_MM = 1.5
"""The magnet is sprung: this much overtravel presses nothing."""
MAGNET_RADIUS_MM = 9.0
"""The magnet's head is this thick: it passes beside a tall neighbour where a held disc would not."""
SAME_MISHAP_S = 0.5
"""A mishap of the same kind within this time is still the same one."""


@dataclass(slots=True)
class Table:
    """The one truth. Not thread-safe: use it under `World.lock`."""

    layout: TableLayout
    discs: list[Disc] = field(default_factory=list)
    carriage: Carriage = field(default_factory=Carriage)
    hand: Hand = field(default_factory=Hand)
    mishaps: list[Mishap] = field(default_factory=list)
    grips: int = 0
    """How often the magnet was switched on."""
    version: int = 0
    """Grows with every change of a disc that lies still: the renderer's cache key."""
    time_s: float = 0.0
    _seen_s: dict[str, float] = field(default_factory=dict)
    _peak: tuple[int, float] = (-1, 0.0)
    _carried: tuple[int, Disc | None] = (-1, None)

    def add_disc(self, colour: DiscColour, x_mm: float, y_mm: float) -> Disc:
        """Put a new disc on top of what lies at a point."""
        disc = Disc(len(self.discs), colour, x_mm, y_mm)
        disc.z_mm = self.top_at(x_mm, y_mm)
        self.discs.append(disc)
        self.version += 1
        return disc

    def top_at(self, x_mm: float, y_mm: float, ignore: Disc | None = None, radius_mm: float | None = None) -> float:
        """Height of what a disc, or a round thing of another radius, would lie on at a point (0 = the board)."""
        own = 0.5 * self.layout.disc_diameter_mm if radius_mm is None else radius_mm
        touching = own + 0.5 * self.layout.disc_diameter_mm - 1.0
        return max(
            (
                disc.z_mm + self.layout.disc_height_mm
                for disc in self.discs
                if disc is not ignore
                and disc.held_by is None
                and math.hypot(disc.x_mm - x_mm, disc.y_mm - y_mm) < touching
            ),
            default=0.0,
        )

    def upper_disc_near(self, x_mm: float, y_mm: float, radius_mm: float) -> Disc | None:
        """Return the uppermost lying disc whose centre is within a radius, the nearest of equals."""
        near = [
            disc
            for disc in self.discs
            if disc.held_by is None and math.hypot(disc.x_mm - x_mm, disc.y_mm - y_mm) <= radius_mm
        ]
        return max(near, key=lambda d: (d.z_mm, -math.hypot(d.x_mm - x_mm, d.y_mm - y_mm)), default=None)

    def held_disc(self, holder: str) -> Disc | None:
        """Return the disc that "carriage" or "hand" holds."""
        return next((disc for disc in self.discs if disc.held_by == holder), None)

    def lift(self, disc: Disc, holder: str) -> None:
        """Let a holder have a disc."""
        disc.held_by = holder
        self.version += 1

    def put_down(self, disc: Disc, x_mm: float, y_mm: float) -> None:
        """Lay a held disc at a point, on top of what lies there."""
        x_mm, y_mm = self._in_recess(x_mm, y_mm)
        disc.x_mm, disc.y_mm = x_mm, y_mm
        disc.z_mm = self.top_at(x_mm, y_mm, ignore=disc)
        disc.held_by = None
        self.version += 1

    def _in_recess(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Return where a disc comes to lie: the round recesses of the racks centre it, the flat board does not."""
        for rack in Rack:
            for number in range(1, self.layout.slots + 1):
                slot = self.layout.rack_slot(rack, number)
                if math.hypot(slot.x_mm - x_mm, slot.y_mm - y_mm) <= RECESS_MM:
                    return slot.x_mm, slot.y_mm
        return x_mm, y_mm

    def move_carriage(self, x_mm: float, y_mm: float, z_mm: float) -> None:
        """Move the magnet to a point; what it holds comes along. Driving into something is a mishap."""
        carriage = self.carriage
        carriage.x_mm, carriage.y_mm, carriage.z_mm = x_mm, y_mm, z_mm
        held = self._carried_disc()
        if held is not None:
            held.x_mm, held.y_mm = x_mm + held.grip_x_mm, y_mm + held.grip_y_mm
            held.z_mm = z_mm - self.layout.disc_height_mm
        lowest = z_mm - (self.layout.disc_height_mm if held else 0.0)
        if lowest < self._highest_top():
            below = self._below(held)
            if lowest < below - TOLERATED_PRESS_MM:
                self._mishap("crushed", f"magnet {lowest - below:.1f} mm below the surface at ({x_mm:.0f}, {y_mm:.0f})")
        if carriage.magnet_on and held is None:
            self._attract()

    def _carried_disc(self) -> Disc | None:
        if self._carried[0] != self.version:
            self._carried = self.version, self.held_disc("carriage")
        return self._carried[1]

    def _highest_top(self) -> float:
        """Height that nothing which lies surpasses: above it there is nothing to look for."""
        if self._peak[0] != self.version:
            tops = (disc.z_mm + self.layout.disc_height_mm for disc in self.discs if disc.held_by is None)
            self._peak = self.version, max(tops, default=0.0)
        return self._peak[1]

    def _below(self, held: Disc | None) -> float:
        if held is not None:
            return self.top_at(held.x_mm, held.y_mm, ignore=held)
        return self.top_at(self.carriage.x_mm, self.carriage.y_mm, radius_mm=MAGNET_RADIUS_MM)

    def set_magnet(self, on: bool) -> None:
        """Switch the magnet; a disc that it held falls onto what is below."""
        self.grips += on and not self.carriage.magnet_on
        self.carriage.magnet_on = on
        held = self.held_disc("carriage")
        if on and held is None:
            self._attract()
        elif not on and held is not None:
            fall = held.z_mm - self.top_at(held.x_mm, held.y_mm, ignore=held)
            if fall > 3.0:
                self._mishap("dropped", f"disc {held.number} fell {fall:.1f} mm")
            self.put_down(held, held.x_mm, held.y_mm)

    def _attract(self) -> None:
        carriage = self.carriage
        disc = self.upper_disc_near(carriage.x_mm, carriage.y_mm, MAGNET_OFFSET_MM)
        if disc is not None and abs(carriage.z_mm - disc.z_mm - self.layout.disc_height_mm) <= MAGNET_REACH_MM:
            self.lift(disc, "carriage")
            disc.grip_x_mm, disc.grip_y_mm = disc.x_mm - carriage.x_mm, disc.y_mm - carriage.y_mm

    def _mishap(self, kind: str, detail: str) -> None:
        last = self.mishaps[-1].detail.split(" at ")[-1] if self.mishaps else ""
        seen_s, self._seen_s[kind] = self._seen_s.get(kind, -math.inf), self.time_s
        if last != detail.split(" at ")[-1] and self.time_s - seen_s >= SAME_MISHAP_S:
            self.mishaps.append(Mishap(self.time_s, kind, detail))

    def square_of(self, disc: Disc) -> int | None:
        """Return the square that holds a lying disc's centre (rank * columns + file), None beside the board."""
        layout = self.layout
        centre = 0.5 if layout.lines else 0.0
        file = math.floor(disc.x_mm / layout.square_mm + centre)
        rank = math.floor(disc.y_mm / layout.square_mm + centre)
        if 0 <= file < layout.columns and 0 <= rank < layout.rows:
            return rank * layout.columns + file
        return None

    def content(self) -> Mapping[int, Content]:
        """Return what stands on the squares that are not empty; two discs of one colour are a king. Held discs stand nowhere."""
        stacks: dict[int, list[Disc]] = {}
        for disc in self.discs:
            square = self.square_of(disc) if disc.held_by is None else None
            if square is not None:
                stacks.setdefault(square, []).append(disc)
        return {square: _content_of(stack) for square, stack in sorted(stacks.items())}

    def rack_count(self, rack: Rack) -> int:
        """Return how many slots of a rack hold a disc."""
        slots = (self.layout.rack_slot(rack, n) for n in range(1, self.layout.slots + 1))
        return sum(self.upper_disc_near(slot.x_mm, slot.y_mm, 15.0) is not None for slot in slots)


def _content_of(stack: list[Disc]) -> Content:
    upper = max(stack, key=lambda disc: disc.z_mm)
    if upper.colour is DiscColour.WHITE:
        return Content.WHITE_KING if len(stack) > 1 else Content.WHITE_MAN
    return Content.BLACK_KING if len(stack) > 1 else Content.BLACK_MAN
