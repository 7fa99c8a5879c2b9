"""The mechanics on the simulated controller: axes, limit switches, magnet, and how the gantry stands beside the board.

Gantry frame: machine coordinates of the controller in mm, 0 at the limit switches (the home corner), negative into the travel;
z is 0 at the top. Home lies beyond the board's far edge as the human sees it, so a parked beam hides nothing from the camera.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.clock import World
from damludo.simulation.controller import Controller
from damludo.simulation.grbl_faults import Faults
from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_settings import AXES, Settings, Vector
from damludo.simulation.table import Table

MAGNET_ON_S = 0.050
"""From the pin's edge to a full hold."""
MAGNET_OFF_S = 0.040
"""The iron holds on for this long: lift earlier and the disc comes along."""
CLEARANCE_MM = 65.0
"""Height of the magnet's face above the board with z = 0."""
LOW_MM = 30.0
"""Below this height the way is followed in fine steps."""
FINE_MM = 0.5
COARSE_MM = 8.0
"""Steps of the way that is followed: near the discs, and high above them."""
HARD_STOP_MM = 3.0
"""The axes can be driven this far past the switch, and past the far end of the travel."""
SKID_S = 0.004
"""A dead stop lets an axis run on as far as it would have gone in this time: steps that are never counted."""
SLOW_MM_S = 10.0
"""... unless it was slower than this."""
POINT_NOISE_MM = 0.3
"""Standard deviation of a point taken by hand with a cross hair, per axis."""

_MARGIN_MM = 30.0


@dataclass(frozen=True, slots=True)
class Geometry:
    """How the gantry stands to the board.

    Attributes:
        board_from_gantry: similarity, shape (2, 3) as rows of a tuple; carries gantry x, y in mm to the board frame.
        clearance_mm: height of the magnet's face above the board at z = 0.
        travel_mm: of x, y, z, from the switches.
    """

    board_from_gantry: tuple[Vector, Vector]
    clearance_mm: float
    travel_mm: Vector

    def to_board(self, position: Vector) -> Vector:
        """Carry machine coordinates to the board frame."""
        (a, b, c), (d, e, f) = self.board_from_gantry
        x, y, z = position
        return a * x + b * y + c, d * x + e * y + f, self.clearance_mm + z

    def to_gantry(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Carry a board point to machine coordinates."""
        (a, b, c), (d, e, f) = self.board_from_gantry
        determinant = a * e - b * d
        u, v = x_mm - c, y_mm - f
        return (e * u - b * v) / determinant, (a * v - d * u) / determinant

    @property
    def settings(self) -> Settings:
        """Return controller settings with this travel, of a machine that was tuned with care.

        300 mm/s and 2000 mm/s2 on the belts, 120 mm/s on the short way of z: a belt drive with silent drivers does that, and all
        axes stay below the 30 kHz of steps that the protocol's firmware can make.
        """
        settings = Settings()
        settings.values |= {110: 18000.0, 111: 18000.0, 112: 7200.0, 120: 2000.0, 121: 2000.0, 122: 2000.0, 102: 200.0}
        for axis, travel in enumerate(self.travel_mm):
            settings.values[130 + axis] = travel
        return settings


def stand_beside(layout: TableLayout, seed: int, human_at_black: bool = False) -> Geometry:
    """Let somebody put a gantry over a board as well as people do: turned by up to 0.4 degrees, scale wrong by up to 0.2 %.

    Args:
        layout: the table; board and both racks are within reach.
        seed: draws the errors.
        human_at_black: the human sits at the last rank; the gantry then stands turned by 180 degrees.
    """
    draw = np.random.default_rng((seed, 0x6A17))
    angle = math.radians(draw.uniform(-0.4, 0.4))
    scale = 1.0 + draw.uniform(-0.002, 0.002)
    shift_x, shift_y = draw.uniform(-6.0, 6.0, 2).tolist()
    rack = abs(layout.rack_slot(Rack.WHITE, layout.slots).x_mm) + 0.5 * layout.disc_diameter_mm
    half_x = 0.5 * layout.width_mm + rack + _MARGIN_MM
    half_y = 0.5 * layout.height_mm
    # The home corner stands 110 mm beyond the far frame: the parked beam is clear of the board's edge in the picture.
    home_y = half_y + layout.border_mm + 110.0
    near_y = half_y + layout.border_mm + _MARGIN_MM
    travel = (max(700.0, 2 * half_x), max(640.0, home_y + near_y), 70.0)
    home_x = 0.5 * travel[0]
    turn = angle + (math.pi if human_at_black else 0.0)
    cosine, sine = scale * math.cos(turn), scale * math.sin(turn)
    centre_x, centre_y = 0.5 * layout.width_mm, 0.5 * layout.height_mm
    corner_x, corner_y = home_x + shift_x, home_y + shift_y
    return Geometry(
        (
            (cosine, -sine, centre_x + cosine * corner_x - sine * corner_y),
            (sine, cosine, centre_y + sine * corner_x + cosine * corner_y),
        ),
        CLEARANCE_MM,
        travel,
    )


class SimulatedGantry:
    """Axes, switches and magnet over a simulated table; what `Controller` sees as its mechanics.

    Attributes:
        table, geometry: as given.
        faults: what shall go wrong; the controller has the same object.
    """

    def __init__(self, table: Table, geometry: Geometry, seed: int = 0) -> None:
        """Hang a gantry over a table; it stands somewhere near its home corner.

        Args:
            table: is moved.
            geometry: how the gantry stands to the board.
            seed: draws where the axes stand at first and the noise of measured points.
        """
        self.table = table
        self.geometry = geometry
        self.faults = Faults()
        self._draw = np.random.default_rng((seed, 0x5EED))
        start = self._draw.uniform((-90.0, -40.0, -20.0), (-10.0, -10.0, -5.0))
        self._true: Vector = (float(start[0]), float(start[1]), float(start[2]))
        self._counted: Vector = (0.0, 0.0, 0.0)
        self._switching: list[tuple[float, bool]] = []
        self._carry(self._true)

    @property
    def position(self) -> Vector:
        """Where the axes truly stand, gantry frame."""
        return self._true

    @property
    def next_event_s(self) -> float:
        """When the magnet next takes hold or lets go."""
        return self._switching[0][0] if self._switching else INFINITY

    def pass_event(self, time_s: float) -> None:
        """Let the magnet take hold or let go."""
        _, on = self._switching.pop(0)
        self.table.time_s = time_s
        if on and self.faults.lasting("magnet_weak") and not self.faults.used_up("magnet_weak"):
            return
        if on:
            self.faults.heal("magnet_weak")
        if on != self.table.carriage.magnet_on:
            self.table.set_magnet(on)

    def set_magnet(self, time_s: float, on: bool) -> None:
        """The controller's pin changed: the force follows."""
        self._switching.append((time_s + (MAGNET_ON_S if on else MAGNET_OFF_S), on))
        self._switching.sort(key=lambda item: item[0])

    def follow(self, time_s: float, position: Vector) -> None:
        """Move as far as the counted steps did; the frame's ends stop an axis whatever is counted."""
        if position == self._counted:
            return
        self.table.time_s = time_s
        old, counted, travel = self._true, self._counted, self.geometry.travel_mm
        x = _between_stops(old[0] + position[0] - counted[0], travel[0])
        y = _between_stops(old[1] + position[1] - counted[1], travel[1])
        z = _between_stops(old[2] + position[2] - counted[2], travel[2])
        self._counted = position
        if self.faults.asked:
            x, y = x - self.faults.take("slip_x"), y - self.faults.take("slip_y")
        self._go(old, (x, y, z))
        if self.faults.asked and self.table.carriage.magnet_on:
            self._maybe_drop()

    def _go(self, old: Vector, new: Vector) -> None:
        dx, dy, dz = new[0] - old[0], new[1] - old[1], new[2] - old[2]
        way = math.sqrt(dx * dx + dy * dy + dz * dz)
        low = self.geometry.clearance_mm + min(old[2], new[2]) < LOW_MM
        parts = math.ceil(way / (FINE_MM if low else COARSE_MM)) or 1
        for i in range(1, parts):
            part = i / parts
            self._carry((old[0] + dx * part, old[1] + dy * part, old[2] + dz * part))
        self._carry(new)
        self._true = new

    def _carry(self, place: Vector) -> None:
        self.table.move_carriage(*self.geometry.to_board(place))

    def _maybe_drop(self) -> None:
        carriage = self.table.carriage
        high = carriage.z_mm > LOW_MM and self.table.held_disc("carriage") is not None
        if high and self.faults.due("drop_in_transit"):
            self.table.set_magnet(False)

    def set_count(self, position: Vector) -> None:
        """The step counters were set anew."""
        self._counted = position

    def jolt(self, speed: float, direction: Vector) -> None:
        """Run on after a dead stop: the counted position is wrong from now on."""
        if speed < SLOW_MM_S:
            return
        skid = speed * SKID_S
        old = self._true
        x, y, z = (old[i] + direction[i] * skid for i in range(3))
        self._go(old, (x, y, z))

    def switches(self) -> tuple[bool, bool, bool]:
        """Which limit switches are closed: they sit at 0 of each axis."""
        x, y, z = self._true
        closed = x >= 0.0, y >= 0.0, z >= 0.0
        return self._broken(closed) if self.faults.asked else closed

    def _broken(self, closed: tuple[bool, bool, bool]) -> tuple[bool, bool, bool]:
        def state(axis: int) -> bool:
            name = AXES[axis].lower()
            if self.faults.lasting(f"switch_open_{name}"):
                return False
            return closed[axis] or self.faults.lasting(f"switch_closed_{name}")

        return state(0), state(1), state(2)

    def measured_points(self, board_points: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
        """Return what a person with a jog and a cross hair would read from the controller over board points.

        Args:
            board_points: in mm of the board frame.

        Returns:
            Shape (n, 2): machine x, y in mm, each with seeded noise of 0.3 mm.
        """
        exact = np.array([self.geometry.to_gantry(x, y) for x, y in board_points], dtype=np.float64).reshape(-1, 2)
        return exact + self._draw.normal(0.0, POINT_NOISE_MM, exact.shape)


def _between_stops(place_mm: float, travel_mm: float) -> float:
    return min(HARD_STOP_MM, max(-travel_mm - HARD_STOP_MM, place_mm))


def install_gantry(
    world: World,
    table: Table,
    seed: int,
    human_at_black: bool = False,
    faults: Mapping[str, float] | None = None,
    boot_s: float = 0.0,
) -> tuple[SimulatedGantry, Controller]:
    """Put a gantry with its controller over a table and let both live in a world.

    Args:
        world: gets the controller as a part.
        table: is moved.
        seed: draws how the gantry stands, where its axes are and the noise of measured points.
        human_at_black: the human sits at the last rank.
        faults: names of `grbl_faults.FAULTS` with their numbers; more can be asked of `Controller.faults` at any time.
        boot_s: silence of the boot loader after each opening of the port.

    Returns:
        The gantry, and the controller for `transport.MemoryLine` or `transport.PseudoTerminal`.
    """
    geometry = stand_beside(table.layout, seed, human_at_black)
    gantry = SimulatedGantry(table, geometry, seed)
    controller = Controller(gantry, geometry.settings, faults, boot_s)
    world.add(controller)
    return gantry, controller
