"""No arm leaves unseen: what hid the board as an arm stays one until something moved at the border of the watched part.

A hand in the discs' own colour that comes to rest, a disc still in its fingers, may look like discs beside the border.
"""

from dataclasses import replace

from damludo.vision.hiding import Cover


class ArmInSight:
    """Remembers from frame to frame whether an arm is known to be over the board."""

    def __init__(self) -> None:
        self._seen = False

    def judged(self, cover: Cover, *, hand: bool, stirs_at_border: bool, lies: bool) -> Cover:
        """Return what hides the board; no part of it is taken for discs while an arm that was seen has not left.

        Args:
            cover: of this frame.
            hand: a hand was over the board in the frame before.
            stirs_at_border: something changed at the border since the frame before: an arm may have left.
            lies: nothing stirred for so long that a thing lies there.
        """
        if cover.reaches_out:
            self._seen = True
            return cover
        self._seen = self._seen and hand and not stirs_at_border and not lies
        if not self._seen:
            return cover
        return replace(cover, patches=tuple(replace(patch, explained=False) for patch in cover.patches))
