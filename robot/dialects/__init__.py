"""What differs between controller firmwares, as data."""
