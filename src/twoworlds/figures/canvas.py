"""A grid of dots for the terminal: Braille cells of two by four dots, or one ASCII sign for each cell."""

from __future__ import annotations

from dataclasses import dataclass, field

from twoworlds.figures.checks import Ink

__all__ = ["Canvas"]

LIT = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the Braille dot at (row, column) of a cell
COLOURS: dict[Ink, int] = {"first": 34, "second": 33, "third": 32, "fourth": 35, "fifth": 36, "neutral": 90, "alarm": 31}
PLAIN: dict[Ink, str] = {"first": "*", "second": "o", "third": "+", "fourth": "x", "fifth": "v", "neutral": ".", "alarm": "#"}
DASHES: dict[Ink, tuple[int, int]] = {"second": (5, 3), "third": (2, 2), "fourth": (7, 2), "fifth": (9, 4), "neutral": (2, 3)}
SHADE = ":"  # of an area, in ASCII

Place = tuple[int, int]  # in dots, from the upper left


@dataclass
class Canvas:
    """What is lit in each cell, by which ink, and signs that stand instead of dots. It grows while one chart is drawn."""

    width: int
    height: int
    dots: dict[Place, int] = field(default_factory=dict)
    inks: dict[Place, Ink] = field(default_factory=dict)
    signs: dict[Place, str] = field(default_factory=dict)

    def light(self, place: Place, ink: Ink, plain: str = "") -> None:
        """Light one dot; in ASCII its cell shows `plain`, or the ink's own sign."""
        x, y = place
        cell = x // 2, y // 4
        self.dots[cell] = self.dots.get(cell, 0) | LIT[y % 4][x % 2]
        self.inks[cell] = ink
        if plain != SHADE or self.signs.get(cell, SHADE) == SHADE:
            self.signs[cell] = plain or PLAIN[ink]

    def sign(self, place: Place, sign: str, ink: Ink) -> None:
        """Put a sign into the cell of a dot, in place of its dots."""
        cell = place[0] // 2, place[1] // 4
        self.dots.pop(cell, None)
        self.signs[cell] = sign
        self.inks[cell] = ink

    def trace(self, corners: list[Place], ink: Ink, dashed: bool = False) -> None:
        """Dots along the straight lines between the corners, with the ink's gaps."""
        on, off = DASHES.get(ink, (4, 3) if dashed else (1, 0))
        step = 0
        for (x, y), (right, below) in zip(corners, corners[1:] or corners, strict=False):
            length = max(abs(right - x), abs(below - y), 1)
            for i in range(length):
                if step % (on + off) < on:
                    self.light((x + round((right - x) * i / length), y + round((below - y) * i / length)), ink)
                step += 1
        self.light(corners[-1], ink)

    def shade(self, outline: list[Place], ink: Ink) -> None:
        """Every sixteenth dot within the outline: those with an odd number of its sides to their left."""
        sides = list(zip(outline, outline[1:] + outline[:1], strict=True))
        for y in range(1, self.height * 4, 4):
            level = y + 0.5
            crossing = [side for side in sides if (side[0][1] > level) != (side[1][1] > level)]
            cuts = sorted(x + (right - x) * (level - up) / (down - up) for (x, up), (right, down) in crossing)
            for left, right in zip(cuts[::2], cuts[1::2], strict=False):
                for x in range(round(left), round(right) + 1):
                    if x % 4 == y // 4 % 2 * 2 and 0 <= x < self.width * 2:
                        self.light((x, y), ink, SHADE)

    def fill(self, left: int, right: int, top: int, base: int, ink: Ink) -> None:
        """A filled bar: all dots of the first ink, a chequer of the others, so that neighbours differ without colour."""
        for x in range(left, max(right, left + 1)):
            for y in range(top, base + 1):
                if ink == "first" or (x + y) % 2 == 0:
                    self.light((x, y), ink)

    def lines(self, ascii_only: bool, colour: bool) -> list[str]:
        """The cells, line by line."""
        return ["".join(self._cell((x, y), ascii_only, colour) for x in range(self.width)) for y in range(self.height)]

    def _cell(self, cell: Place, ascii_only: bool, colour: bool) -> str:
        if cell not in self.inks:
            return " "
        shown = self.signs[cell] if ascii_only or cell not in self.dots else chr(0x2800 + self.dots[cell])
        return painted(shown, self.inks[cell]) if colour else shown


def painted(text: str, ink: Ink) -> str:
    """The text in the ink's colour, by an ANSI sequence."""
    return f"\x1b[{COLOURS[ink]}m{text}\x1b[0m"
