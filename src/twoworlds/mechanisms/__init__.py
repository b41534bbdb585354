"""The cards: one mechanism a file."""
