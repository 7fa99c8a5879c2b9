"""The points of the board that a person shows to the gantry."""

from damludo.play.content import layout_for
from damludo.play.gantry.measuring import NamedPoint, crossings
from damludo.rules.variants import variant


def test_the_corners_and_the_centre_of_a_board_of_squares() -> None:
    assert crossings(layout_for(variant("english"), square_mm=45.0)) == (
        NamedPoint("the outer corner of square a1", 0.0, 0.0),
        NamedPoint("the outer corner of square h1", 360.0, 0.0),
        NamedPoint("the outer corner of square h8", 360.0, 360.0),
        NamedPoint("the outer corner of square a8", 0.0, 360.0),
        NamedPoint("the inner corner of d4, next to the centre", 180.0, 180.0),
    )


def test_the_corners_and_the_centre_of_a_board_of_lines() -> None:
    assert crossings(layout_for(variant("alquerque"), square_mm=60.0)) == (
        NamedPoint("the crossing a1", 0.0, 0.0),
        NamedPoint("the crossing e1", 240.0, 0.0),
        NamedPoint("the crossing e5", 240.0, 240.0),
        NamedPoint("the crossing a5", 0.0, 240.0),
        NamedPoint("the crossing c3", 120.0, 120.0),
    )
