"""Calibrating the camera from the command line, and using what was learnt."""
