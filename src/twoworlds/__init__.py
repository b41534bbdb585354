"""twoworlds."""
