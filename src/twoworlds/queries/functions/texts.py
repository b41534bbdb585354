"""Texts, counted in Unicode code points."""

from __future__ import annotations

from twoworlds.queries.functions.function import Form, Function
from twoworlds.queries.functions.ranges import within

__all__ = ["LONGEST", "TEXTS", "matches"]

LONGEST = 4096
"""A text that is put together has so many code points at most: one that doubles and doubles would fail the engine, which tells
that somebody's text was there to be doubled."""


def matches(text: str, pattern: str) -> bool:
    """LIKE: % is any text, _ any one character, a backslash takes the next character as it is. No case folding.

    Greedy with one point of return, so it takes length times length steps at most.
    """
    parts = _parts(pattern)
    place = part = 0
    restart: tuple[int, int] | None = None
    while place < len(text):
        if part < len(parts) and parts[part] == ("%", True):
            restart = (place, part)
            part += 1
        elif part < len(parts) and parts[part] in (("_", True), (text[place], False)):
            place += 1
            part += 1
        elif restart is not None:
            restart = (restart[0] + 1, restart[1])
            place, part = restart[0], restart[1] + 1
        else:
            return False
    return all(rest == ("%", True) for rest in parts[part:])


def _parts(pattern: str) -> list[tuple[str, bool]]:
    """Characters, each with whether it is a joker; an ill-formed end of the pattern was refused when it was read."""
    found, escaped = [], False
    for character in pattern:
        if escaped or character not in "\\":
            found.append((character, not escaped and character in "%_"))
            escaped = False
        else:
            escaped = True
    return found


def _upper(letter: str) -> str:
    """The one capital letter of Unicode's simple mapping, which has one for \u00df and for Greek letters with a mute iota."""
    return next((new for new in (letter.upper(), letter.title()) if len(new) == 1), "\u1e9e" if letter == "\u00df" else letter)


def _lower(letter: str) -> str:
    """The one small letter of Unicode's simple mapping."""
    return "i" if letter == "\u0130" else letter.lower()


def _part(text: str, start: int, length: int) -> str:
    return text[start - 1 : start - 1 + length]


TEXTS: tuple[Function, ...] = (
    Function(
        "like",
        (Form(("text", "text"), "boolean", matches, "({0} LIKE {1} ESCAPE '\\')"),),
        "whether the text matches the constant pattern: % is any text, _ any character, a backslash quotes",
        constant=(1,),
    ),
    Function(
        "lower", (Form(("text",), "text", lambda a: "".join(map(_lower, a)), "lower({0})"),), "in small letters, letter by letter"
    ),
    Function(
        "upper",
        (Form(("text",), "text", lambda a: "".join(map(_upper, a)), "upper({0})"),),
        "in capital letters, letter by letter",
    ),
    Function("trim", (Form(("text",), "text", lambda a: a.strip(" "), "trim({0}, ' ')"),), "without spaces at both ends"),
    Function("length", (Form(("text",), "integer", len, "length({0})", within(0, 2**31)),), "the number of code points"),
    Function(
        "substr",
        (Form(("text", "integer", "integer"), "text", _part, "substring({0}, {1}, {2})"),),
        "so many code points from a place on; places count from 1",
        constant=(1, 2),
        limits=((1, 1, 2**31), (2, 0, 2**31)),
    ),
    Function(
        "concat",
        (
            Form(
                ("text", "text"),
                "text",
                lambda a, b: (a + b)[:LONGEST],
                f"substring({{0}} || {{1}}, 1, {LONGEST})",
            ),
        ),
        f"one after the other, the first {LONGEST} code points: `a || b`",
    ),
)
