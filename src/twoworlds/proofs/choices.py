"""Draws that depend on a list, in terms of its entries: an index by weights that the secret moves, at what that costs.

Theorem (weighted choice). `ExponentialWeights(scores, t)` gives index i with probability proportional to exp(scores[i] / t).
Let both runs have equally many scores, and let d[j] be how far score j of run 2 is above that of run 1. The sum of all weights
grows by exp(max d / t) at most, so ln P1(i) / P2(i) <= (max d - d[i]) / t. Hence both runs may take the same index i at the cost
of |d[j] - d[i]| / t, provided it is paid for every j: whichever j makes it the largest is among them. That is 2 by / t if scores
move by `by` (McSherry and Talwar 2007, theorem 6), by / t if all move the same way.

So the draw stands in a lowered program as three: i and j, each any index that both runs share, and a toll of scale t on the value
scores[j] - scores[i], which costs how far that value is apart in the two runs, in scales. No noise is drawn at a toll. As j is
quantified in every obligation, it may be chosen when both runs have come here: tapes that agree on all else are one tape of the
card, so the map of tapes in `obligations` stays injective and its cost is the largest over j.

Other laws of a list are the same in both runs if every entry is: j is any index again, and its entry must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.source.program import Binary, Call, Draw, Expr, Item, Literal, Name, Noise, Stmt, walk
from twoworlds.worlds.errors import Unsupported

__all__ = ["OF_LISTS", "SAME", "TOLL", "WEIGHTED", "chosen", "compared", "is_any", "restored", "scale_of"]

WEIGHTED = "ExponentialWeights"
OF_LISTS = (WEIGHTED, "Categorical")
TOLL, SAME = "Toll", "Same"
"""Laws of lowered programs alone: nothing is drawn, the runs pay for a value that is apart, or must agree on it."""


def scale_of(noise: Noise) -> Expr:
    """The scale of a law that has one; a choice by weights that names none has scale 1."""
    given = noise.arguments[1:] if noise.law == WEIGHTED else noise.arguments
    return given[0] if given else Literal(Fraction(1))


def chosen(step: Draw, target: str, scores: str, noise: Noise, fresh: Callable[[str], str]) -> tuple[Stmt, ...]:
    """One draw of an index by the entries of a list; sites below 0 are not those of the text."""
    if target == scores:
        raise Unsupported(step.line, f"`{target}` is a list and then an index of it", "Choose another name for the index")
    any_entry, pays, size = fresh("any"), fresh("toll"), Call("len", (Name(scores),))
    shared = Noise("Uniform", (size,))
    one, other = Item(Name(scores), Name(target)), Item(Name(scores), Name(any_entry))
    law = Noise(TOLL, (scale_of(noise), Binary("-", other, one))) if noise.law == WEIGHTED else Noise(SAME, (other,))
    draws = (
        Draw(step.line, target, shared, None, -3 * step.site - 1),
        Draw(step.line, any_entry, shared, None, -3 * step.site - 2),
    )
    return (*draws, Draw(step.line, pays, law, None, step.site if law.law == TOLL else -3 * step.site - 3))


def compared(toll: Draw) -> tuple[str, ...]:
    """The indices of the two entries that a toll is paid for."""
    return tuple(node.index.name for node in walk(toll.noise) if isinstance(node, Item) and isinstance(node.index, Name))


def is_any(draw: Draw) -> bool:
    """Whether it stands for any index that both runs share, and is no draw of the program."""
    return draw.site < 0 and draw.site % 3 == 1


def restored(part: Any) -> Any:
    """The lowered program, or a part of it, with each choice as the one draw that it was: what can be run."""
    laws: dict[int, Noise] = {}
    for draw in (node for node in walk(part) if isinstance(node, Draw)):
        if draw.noise.law == TOLL:
            laws[-3 * draw.site - 1] = Noise(WEIGHTED, (_list_of(draw), draw.noise.arguments[0]))
        elif draw.noise.law == SAME:
            laws[draw.site + 2] = Noise("Categorical", (_list_of(draw),))
    return _restored(part, laws)


def _list_of(draw: Draw) -> Expr:
    return next(node.sequence for node in walk(draw.noise) if isinstance(node, Item))


def _restored(part: Any, laws: dict[int, Noise]) -> Any:
    if isinstance(part, tuple):
        kept = (entry for entry in part if not (isinstance(entry, Draw) and (is_any(entry) or entry.noise.law in (TOLL, SAME))))
        return tuple(_restored(entry, laws) for entry in kept)
    if isinstance(part, Draw) and part.site in laws:
        return Draw(part.line, part.target, laws[part.site], None, (-part.site - 1) // 3)
    if isinstance(part, Expr) or not is_dataclass(part) or isinstance(part, type):
        return part
    return replace(part, **{field.name: _restored(getattr(part, field.name), laws) for field in fields(part)})
