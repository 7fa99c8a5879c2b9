"""The gantry without a match: by hand, measured, tried, flashed."""
