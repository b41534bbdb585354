"""How much a reading may do before it gives up with a reason: what cannot be tabulated must not hang."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["MOST_STEPS", "Effort", "TooMuch"]

MOST_STEPS = 1_000_000


class TooMuch(Exception):
    """The budget of steps is spent; the reader says at which line, and what has too many values."""


class Effort:
    """The mass that may be cut from one draw, the states that have been made so far, and how many may be."""

    def __init__(self, cut: Fraction, most: int = MOST_STEPS) -> None:
        self.cut = cut
        self.most = most
        self.steps = 0

    def spend(self, steps: int) -> None:
        """Count steps; `TooMuch` once there are too many."""
        self.steps += steps
        if self.steps > self.most:
            raise TooMuch
