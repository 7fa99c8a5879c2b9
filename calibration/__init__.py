"""Measuring the set-up: camera pose and look on the board as it stands, board frame to gantry frame, profiles."""
