"""Setting up the simulated table: discs on their squares as a person puts them, spare discs in the racks."""

from collections.abc import Mapping

import numpy as np

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import Content


def furnished_table(
    layout: TableLayout,
    content: Mapping[int, Content],
    spare: int | tuple[int, int],
    random: np.random.Generator,
    spread_mm: float = 1.2,
) -> Table:
    """Return a table with a position on it.

    Args:
        content: what stands where; empty squares may be left out.
        spare: discs in the first slots of each rack, or of White's and of Black's.
        random: gives the small offsets (standard deviation `spread_mm` on each axis) with which a person sets discs down.
    """
    table = Table(layout)
    for square, piece in sorted(content.items()):
        place = layout.square(square)
        colour = DiscColour.WHITE if piece.is_white else DiscColour.BLACK
        for _ in range(piece.discs):
            dx, dy = random.normal(0.0, spread_mm, 2)
            table.add_disc(colour, place.x_mm + float(dx), place.y_mm + float(dy))
    whites, blacks = (spare, spare) if isinstance(spare, int) else spare
    for rack, colour, count in ((Rack.WHITE, DiscColour.WHITE, whites), (Rack.BLACK, DiscColour.BLACK, blacks)):
        for number in range(1, count + 1):
            slot = layout.rack_slot(rack, number)
            table.add_disc(colour, slot.x_mm, slot.y_mm)
    return table
