"""The gantry: places in mm, motion plans, G-code, the serial line. Knows neither rules nor pictures."""
