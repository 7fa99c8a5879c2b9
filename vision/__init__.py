"""What the camera sees: frames, the board's pose, readings of the squares, hands, changes. Knows no rules."""
