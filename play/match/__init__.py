"""What a match is and does, with everything it needs behind ports."""
