"""What a listed function is: for every kind of arguments its value in Python, its text in SQL, and what bounds its result.

The rules that make every function total:

- Unknown (NULL) in, unknown out, unless the function says otherwise.
- A real number that is not finite is unknown wherever it is looked at: in a comparison, a condition, a key, an aggregate. Columns
  are looked at when they are read. Only arithmetic on reals goes through infinities, by the IEEE 754 rules, which raise nothing.
- A whole number outside 64 bits is unknown.
- A text that does not read as what it is cast to is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twoworlds.queries.policy import Bounds, Type
from twoworlds.queries.shapes import Shape, Thing

__all__ = ["Form", "Function", "Ranging", "Thing", "unbounded"]

Ranging = Callable[[Sequence[Shape]], Bounds | None]


def unbounded(_shapes: Sequence[Shape]) -> Bounds | None:
    """Nothing is known of the range."""
    return None


@dataclass(frozen=True)
class Form:
    """The function on arguments of exactly these types. `sql` is a template over {0}, {1}, ...; of a variadic form over {all},
    {rest} of them, {and}, {or} or {case} between them, or {pairwise}, the function of two and two."""

    takes: tuple[Type, ...]
    gives: Type
    value: Callable[..., Thing]
    sql: str
    range: Ranging = unbounded
    partial: bool = False  # may be unknown though all arguments are known


@dataclass(frozen=True)
class Function:
    """A listed function. `raw`: it computes on reals by IEEE rules, so its result may not be finite and is settled by its reader.

    `strict`: unknown arguments give an unknown result. `constant`: these arguments are public constants, of a variadic function
    all from the first such on; `positive`: these are above 0; `limits`: of these (argument, least, most), as
    an engine would fail on others.
    """

    name: str
    forms: tuple[Form, ...]
    meaning: str
    unknown: str = ""
    strict: bool = True
    raw: bool = False
    variadic: bool = False
    commutes: bool = False
    constant: tuple[int, ...] = ()
    positive: tuple[int, ...] = ()
    limits: tuple[tuple[int, int, int], ...] = ()
