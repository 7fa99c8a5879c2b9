"""What a hand has to do to turn one board into another."""

from collections.abc import Mapping, Sequence

from damludo.robot.places import Place, Rack
from damludo.simulation.hand import Gesture, Point, Put, Take, Wait
from damludo.simulation.table import Table
from damludo.vision.content import Content


def gestures_to(table: Table, wanted: Mapping[int, Content], *, white_first: bool) -> list[Gesture]:
    """Return what a hand has to do to make the board look like this.

    Discs go from square to square where they can, the others to and from the racks: a move, putting a move back, clearing
    captured discs away and crowning are all the same thing.

    Args:
        table: as it is now.
        wanted: what shall stand where; squares left out shall be empty.
        white_first: which colour is handled first: a person moves his own piece before he takes off what it captured. Where the
            other colour stands in the way, that goes first.
    """
    have = table.content()
    racks = RackView(table)
    gestures: list[Gesture] = []
    if _in_the_way(have, wanted, white_first):
        white_first = not white_first
    for white in (white_first, not white_first):
        surplus: list[Place] = []
        lack: list[Place] = []
        for square in sorted({*have, *wanted}):
            difference = _discs(have, square, white) - _discs(wanted, square, white)
            surplus += [table.layout.square(square)] * difference
            lack += [table.layout.square(square)] * -difference
        pairs = min(len(surplus), len(lack))
        gestures += _carry(surplus[:pairs], lack[:pairs])
        gestures += _carry(surplus[pairs:], [racks.free_slot(white) for _ in surplus[pairs:]])
        gestures += _carry([racks.full_slot(white) for _ in lack[pairs:]], lack[pairs:])
    return gestures


def straightening(table: Table, squares: Sequence[int]) -> list[Gesture]:
    """Return what a hand does to put single discs into the middle of their squares; at other squares it points."""
    gestures: list[Gesture] = []
    for square in squares:
        place = table.layout.square(square)
        if table.content().get(square, Content.EMPTY).discs == 1:
            gestures += [Take(place.x_mm, place.y_mm), Put(place.x_mm, place.y_mm, exact=True)]
        else:
            gestures += [Point(place.x_mm, place.y_mm), Wait(0.5)]
    return gestures


class RackView:
    """Which slots are free, as a person sees them; a slot given out once is not given out again."""

    def __init__(self, table: Table) -> None:
        layout = table.layout
        numbers = range(1, layout.slots + 1)
        self._places = {w: [layout.rack_slot(_rack(w), number) for number in numbers] for w in (True, False)}
        self._full = {
            w: [n for n, place in enumerate(places) if table.upper_disc_near(place.x_mm, place.y_mm, 15.0) is not None]
            for w, places in self._places.items()
        }

    def free_slot(self, white: bool) -> Place:
        """Return the first slot of a rack without a disc."""
        number = next(n for n in range(len(self._places[white])) if n not in self._full[white])
        self._full[white].append(number)
        return self._places[white][number]

    def full_slot(self, white: bool) -> Place:
        """Return the last slot of a rack with a disc.

        Raises:
            ValueError: the rack is empty.
        """
        number = max(self._full[white])
        self._full[white].remove(number)
        return self._places[white][number]


def _rack(white: bool) -> Rack:
    return Rack.WHITE if white else Rack.BLACK


def _carry(sources: Sequence[Place], targets: Sequence[Place]) -> list[Gesture]:
    gestures: list[Gesture] = []
    for source, target in zip(sources, targets, strict=True):
        gestures += [Take(source.x_mm, source.y_mm), Put(target.x_mm, target.y_mm)]
    return gestures


def _in_the_way(have: Mapping[int, Content], wanted: Mapping[int, Content], white: bool) -> bool:
    """Return whether discs of a colour shall go to squares that hold discs of the other one."""
    return any(_discs(wanted, square, white) and _discs(have, square, not white) for square in wanted)


def _discs(content: Mapping[int, Content], square: int, white: bool) -> int:
    here = content.get(square, Content.EMPTY)
    return here.discs if here.is_white is white and here is not Content.EMPTY else 0
