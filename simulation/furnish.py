"""Setting up the simulated table: discs on their squares as a person puts them, spare discs in the racks."""

from collections.abc import Mapping

import numpy as np

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import Content

SPARE_DISCS = 4
"""Spare discs of each side in its rack at the start: crowns that need not wait for captured discs."""


def furnished_table(
    layout: TableLayout,
    content: Mapping[int, Content],
    random: np.random.Generator,
    spread_mm: float = 1.2,
    spare: int = SPARE_DISCS,
) -> Table:
    """Return a table with a position on it.

    Args:
        content: what stands where; empty squares may be left out.
        random: gives the small offsets (standard deviation `spread_mm` on each axis) with which a person sets discs down.
        spare: discs in the first slots of each rack.
    """
    table = Table(layout)
    for square, piece in sorted(content.items()):
        place = layout.square(square)
        colour = DiscColour.WHITE if piece.is_white else DiscColour.BLACK
        for _ in range(piece.discs):
            dx, dy = random.normal(0.0, spread_mm, 2)
            table.add_disc(colour, place.x_mm + float(dx), place.y_mm + float(dy))
    for rack, colour in ((Rack.WHITE, DiscColour.WHITE), (Rack.BLACK, DiscColour.BLACK)):
        for number in range(1, spare + 1):
            slot = layout.rack_slot(rack, number)
            table.add_disc(colour, slot.x_mm, slot.y_mm)
    return table
