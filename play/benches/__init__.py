"""What the bench commands measure."""
