"""Errors of the eyes.

VisionError
├── CameraError          no picture can be had
│   ├── CameraNotFound   there is no such camera, file or stream
│   ├── CameraLost       it gave pictures and stopped
│   └── EndOfFrames      a recording is over (not a fault)
├── BadPicture           a picture cannot be decoded or has impossible dimensions
├── BoardNotFound        no board is seen, or not surely enough
│   ├── NoBoardSeen      nothing in the picture looks like one
│   └── SideUnknown      it is seen, but not where White sits
└── BadPose              a camera pose cannot be computed or used
"""


class VisionError(Exception):
    """Root of the errors of `damludo.vision`."""


class CameraError(VisionError):
    """No picture can be had."""


class CameraNotFound(CameraError):
    """There is no such camera, file or stream."""


class CameraLost(CameraError):
    """The camera gave pictures and stopped."""


class EndOfFrames(CameraError):
    """A recording is over."""


class BadPicture(VisionError):
    """A picture cannot be decoded or has impossible dimensions."""


class BoardNotFound(VisionError):
    """No board is seen, or not surely enough."""


class NoBoardSeen(BoardNotFound):
    """Nothing in the picture looks like a board: there is no use in looking for it in another way."""


class SideUnknown(BoardNotFound):
    """The board is seen with its discs, but not where White sits: somebody has to say it."""


class BadPose(VisionError):
    """A camera pose cannot be computed or used."""
