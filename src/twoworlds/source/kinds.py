"""What a value can be: the kinds of numbers a variable may hold while the function runs, and what they may depend on.

Python has several exact numbers and they differ where it matters: `int / int` is a float, only some may index a list. So a kind
lists the classes that a value may have at run time. Two marks follow the values and the branches: SECRET for what depends on the
private parameter, RANDOM for what depends on a draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Flag
from functools import reduce

from twoworlds.source.program import Expr, Program

__all__ = [
    "ARRAY",
    "FRACTION",
    "GRID",
    "INT",
    "LIST",
    "NATURAL",
    "NONE",
    "NUMBERS",
    "PARAMETER",
    "RANGE",
    "TEXT",
    "TRUTH",
    "TUPLE",
    "Clash",
    "Finding",
    "Kind",
    "Kinds",
    "Mark",
    "join",
    "several",
    "single",
]

NATURAL, INT, GRID, PARAMETER, FRACTION = "natural", "int", "grid", "parameter", "fraction"
"""An int known to be 0 or more; any int; a `GridNumber`; a `Parameter`; a plain Fraction."""
TRUTH, NONE, TEXT = "truth", "none", "text"
LIST, ARRAY, RANGE, TUPLE = "list", "array", "range", "tuple"
"""A plain list; an array with arithmetic entry by entry, as a reader hands it in; a range; a tuple."""

NUMBERS = frozenset({NATURAL, INT, GRID, PARAMETER, FRACTION})
WHOLE = frozenset({NATURAL, INT})
INDICES = frozenset({NATURAL, INT, GRID, PARAMETER})  # these have `__index__`
_WORDS = {NATURAL: "a whole number", INT: "a whole number", GRID: "a number on the grid", PARAMETER: "a public number"}
_WORDS |= {FRACTION: "a fraction", TRUTH: "a truth value", NONE: "None", TEXT: "text"}
_DEEPEST = 5  # lists in lists; a list that nests ever deeper in a loop has no kind


class Mark(Flag):
    """What a value may depend on."""

    PUBLIC = 0
    SECRET = 1
    RANDOM = 2


class Clash(Exception):
    """An operation on kinds that Python and the program would not compute alike; the walker adds the line."""

    def __init__(self, reason: str, fix: str) -> None:
        self.reason, self.fix = reason, fix
        super().__init__(reason)


@dataclass(frozen=True)
class Kind:
    """The classes a value may have; for a sequence, what its entries may be and what forms it may have.

    `mark` says what the value depends on, `length` the same of its length. A list is `owned` while no second name and no other
    list can hold it, and only then may it be changed. `origin` is the parameter that the value was read from, and how deep in it.
    """

    scalars: frozenset[str] = frozenset()
    entries: Kind | None = None
    forms: frozenset[str] = frozenset()
    mark: Mark = Mark.PUBLIC
    length: Mark = Mark.PUBLIC
    owned: bool = False
    origin: tuple[str, int] | None = None

    @property
    def is_sequence(self) -> bool:
        return self.entries is not None

    @property
    def is_mixed(self) -> bool:
        """Whether the value, or one inside it, may be a tuple or a list."""
        both = TUPLE in self.forms and len(self.forms) > 1
        return both or (self.entries is not None and self.entries.is_mixed)

    @property
    def is_secret(self) -> bool:
        return Mark.SECRET in self.mark

    @property
    def is_random(self) -> bool:
        return Mark.RANDOM in self.mark

    @property
    def numbers(self) -> frozenset[str]:
        """The classes of numbers among the scalars."""
        return self.scalars & NUMBERS

    def marked(self, mark: Mark) -> Kind:
        """The same, depending on something more."""
        return replace(self, mark=self.mark | mark) if mark & ~self.mark else self

    def shared(self) -> Kind:
        """The same list, now known to somebody else."""
        return replace(self, owned=False) if self.owned else self

    def flat(self) -> Mark:
        """Everything that a look at the whole value may depend on."""
        inside = self.entries.flat() if self.entries is not None else Mark.PUBLIC
        return self.mark | self.length | inside

    def __str__(self) -> str:
        words = sorted({_WORDS[scalar] for scalar in self.scalars})
        if self.entries is not None:
            words += [f"{'an' if form == ARRAY else 'a'} {form} of ({self.entries})" for form in sorted(self.forms)]
        return " or ".join(words) or "nothing yet"


def single(*scalars: str, mark: Mark = Mark.PUBLIC) -> Kind:
    """The kind of a value that is no sequence."""
    return Kind(frozenset(scalars), mark=mark)


def several(form: str, entries: Kind, length: Mark = Mark.PUBLIC, mark: Mark = Mark.PUBLIC, *, owned: bool = False) -> Kind:
    """The kind of a sequence."""
    if _depth(entries) >= _DEEPEST:
        raise Clash("lists are nested ever deeper", "Use lists of a fixed depth")
    return Kind(frozenset(), entries, frozenset({form}), mark, length, owned)


def _depth(kind: Kind) -> int:
    return 0 if kind.entries is None else 1 + _depth(kind.entries)


def join(kinds: Iterable[Kind]) -> Kind:
    """The kind of a value that may be any of these."""
    first, *others = [*kinds] or [Kind()]
    return reduce(_join, others, first)


def _join(one: Kind, other: Kind) -> Kind:
    if one is other or one == other:
        return one
    entries = one.entries or other.entries
    if one.entries is not None and other.entries is not None:
        entries = _join(one.entries, other.entries)
    empty = [kind for kind in (one, other) if not kind.scalars and kind.entries is None]
    owners = [kind.owned for kind in (one, other) if kind.entries is not None]
    return Kind(
        one.scalars | other.scalars,
        entries,
        one.forms | other.forms,
        one.mark | other.mark,
        one.length | other.length,
        bool(owners) and all(owners),
        (one.origin or other.origin) if empty else (one.origin if one.origin == other.origin else None),
    )


@dataclass(frozen=True)
class Finding:
    """A place that is no fault in itself but that a reader may be unable to follow.

    `what` is "index", "bound" (of a loop), "count" or "noise" (a parameter of a law); `mark` says on what it depends.
    """

    line: int
    what: str
    mark: Mark


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of one program: of every parameter as it comes in, of every variable over the whole program, of every expression,
    of what it returns."""

    program: Program
    parameters: Mapping[str, Kind]
    variables: Mapping[str, Kind]
    expressions: Mapping[int, Kind]
    returned: Kind
    findings: tuple[Finding, ...]

    def of(self, expr: Expr) -> Kind:
        """The kind of an expression of this program (of this very object: equal text elsewhere may be of another kind)."""
        return self.expressions[id(expr)]

    def secret(self, what: str) -> tuple[int, ...]:
        """The lines where an index, a loop's bound, a count or a noise parameter depends on a secret."""
        return tuple(finding.line for finding in self.findings if finding.what == what and Mark.SECRET in finding.mark)
