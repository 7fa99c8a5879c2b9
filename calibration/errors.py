"""Errors of the calibration.

CalibrationError
├── BadFit               the measured points do not fit together
├── BadProfile           a profile file cannot be used
└── NoProfile            there is no such profile yet
"""


class CalibrationError(Exception):
    """Root of the errors of `damludo.calibration`."""


class BadFit(CalibrationError):
    """The measured points do not fit together."""


class BadProfile(CalibrationError):
    """A profile file cannot be read, is damaged, or was written by a newer version."""


class NoProfile(CalibrationError):
    """There is no such profile yet."""
