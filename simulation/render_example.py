"""The picture of the simulated table in the documentation: `python -m damludo.simulation.render_example PATH`."""

import sys
from pathlib import Path

import cv2

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.optics import Optics
from damludo.simulation.table import Carriage, DiscColour, Hand, Table
from damludo.vision.frame import Image

WHITE_MEN = (0, 4, 6, 9, 11, 13, 16, 18, 27)
BLACK_MEN = (61, 63, 52, 54, 43, 45, 47, 34, 36)
WHITE_KINGS, BLACK_KINGS = (59,), (15,)
TAKEN_WHITE, TAKEN_BLACK = 2, 3


def example_table() -> Table:
    """Return a game of 8x8 draughts in progress; White's hand takes a man."""
    layout = TableLayout()
    table = Table(layout, carriage=Carriage(210.0, 500.0, 60.0))
    for colour, men, kings in (
        (DiscColour.WHITE, WHITE_MEN, WHITE_KINGS),
        (DiscColour.BLACK, BLACK_MEN, BLACK_KINGS),
    ):
        for order, square in enumerate(men + 2 * kings):
            place = layout.square(square)
            # People do not lay discs exactly: a fixed scatter of up to 2 mm.
            table.add_disc(colour, place.x_mm + (order * 7 % 5 - 2), place.y_mm + (order * 4 % 5 - 2))
    for rack, colour, taken in (
        (Rack.WHITE, DiscColour.WHITE, TAKEN_WHITE),
        (Rack.BLACK, DiscColour.BLACK, TAKEN_BLACK),
    ):
        for number in range(1, taken + 1):
            slot = layout.rack_slot(rack, number)
            table.add_disc(colour, slot.x_mm, slot.y_mm)
    table.hand = Hand(True, 186.0, 168.0, 22.0, 330.0, -380.0)
    table.lift(table.discs[WHITE_MEN.index(27)], "hand")
    return table


def example_picture() -> Image:
    """Return the table of `example_table`, 960x720."""
    camera = SimulatedCamera(example_table(), LockstepClock(World()), Optics.seeded(21, width=960, height=720))
    return camera.read().image


def main(path: Path) -> None:
    """Write the picture as JPEG."""
    cv2.imwrite(str(path), example_picture(), [cv2.IMWRITE_JPEG_QUALITY, 86])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
