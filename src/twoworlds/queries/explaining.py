"""A priced question explained: what one person can change and why, which noise follows and how far it reaches, what it costs.

Everything here is from the question, the policy and the ledger: no row is read, so it is the same for every table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.losses.filters import shown as amounts_shown
from twoworlds.queries.currency import pure_for
from twoworlds.queries.display import number
from twoworlds.queries.measures import Derivation
from twoworlds.queries.outlook import Expected, expected, rows_of
from twoworlds.queries.pricing import Offer
from twoworlds.queries.steps import Step, added
from twoworlds.queries.typing import shown

__all__ = ["Explanation"]


@dataclass(frozen=True)
class Explanation:
    """What is known before anything is charged; it prints as a page, and `record` is the same as plain data."""

    offer: Offer
    epsilon: Fraction
    left: Mapping[str, Fraction] | None = None
    confidence: float = 0.95
    found: str = ""

    @property
    def expected(self) -> tuple[Expected, ...]:
        """How far each output will be from the exact one."""
        return expected(self.offer, self.confidence)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def lines(self) -> list[str]:
        """The page."""
        typed = self.offer.typed
        found = ["What one person can change", *_tree(typed.derivation), *_bounded(self.offer), "", "The noise that hides it"]
        found += [f"  {line}" for step in self.offer.steps for line in _noise(self.offer, step)]
        found += ["", f"Expected error, with {self.confidence * 100:g} %"]
        wide = max((len(one.name) for one in self.expected), default=0)
        found += [f"  {one.name:{wide}}  {one}" for one in self.expected] or ["  none in numbers"]
        if any(one.rows is not None for one in self.expected) and rows_of(self.offer) is None:
            found.append("  (other sizes of group: divide by their rows; declare size to have it for yours)")
        return [*found, "", *self._price()]

    def _price(self) -> list[str]:
        typed = self.offer.typed
        found = ["The price", *([f"  {self.found}"] if self.found else []), *(f"  {note}" for note in self.offer.notes)]
        if typed.sampled < 1:
            rate = number(float(typed.sampled), 4)
            found.append(f"  nothing is taken off for SAMPLE, though being left out with chance 1 - {rate} protects as well")
        found.append(f"  charged to {typed.table.population}: {_amounts(self.offer.price.at(), up=True)}")
        if self.left is not None:
            found.append(f"  left before: {_amounts(self.left, up=False)}")
        claim = self.offer.claim
        found.append(f"  protects {claim.neighbours}; noise {claim.status}")
        return found

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "derivation": _node(self.offer.typed.derivation),
            "steps": [
                {
                    "measure": _measured(self.offer, step),
                    "card": step.card.name,
                    "public": {k: str(v) for k, v in step.public.items()},
                }
                for step in self.offer.steps
            ],
            "expected": [
                {"name": one.name, "within": one.reach, "unit": "ranks" if one.in_ranks else "value", "rows": one.rows}
                for one in self.expected
            ],
            "confidence": self.confidence,
            "price": {name: str(amount) for name, amount in self.offer.price.at().items()},
            "left": None if self.left is None else {name: str(amount) for name, amount in self.left.items()},
            "notes": [*self.offer.notes, *([self.found] if self.found else [])],
            "neighbours": self.offer.claim.neighbours,
            "status": self.offer.claim.status,
        }


def _tree(node: Derivation) -> Iterator[str]:
    """The argument as a tree: each step, how far it moves, why; what it follows from hangs below it."""
    yield f"  {_step(node)}"
    yield f"    {node.because}"
    yield from _branches(node, "  ")


def _branches(node: Derivation, before: str) -> Iterator[str]:
    for place, below in enumerate(node.below, 1):
        last = place == len(node.below)
        yield f"{before}{'└─' if last else '├─'} {_step(below)}"
        inner = f"{before}{'   ' if last else '│  '}"
        yield f"{inner}  {below.because}"
        yield from _branches(below, inner)


def _bounded(offer: Offer) -> Iterator[str]:
    """How the rows of a user are made to count for that much."""
    bounding = offer.bounding
    if bounding.kind == "weights":
        yield f"  A user's rows beyond {bounding.rows} count less each, so that all of them together count for {bounding.rows}."
    elif bounding.kind == "window":
        yield f"  Of a user's groups {bounding.groups} count in sums and counts, for {bounding.rows_per_group} rows each;"
        yield f"  as Gaussian noise feels the root of the groups, that takes less of it than {bounding.rows} rows anywhere."


def _step(node: Derivation) -> str:
    return node.node if node.stability is None else f"{node.node}: at most {_short(node.stability)} in {node.metric}"


def _short(amount: Fraction) -> str:
    return str(amount) if len(str(amount)) < 12 else number(float(amount), 6)


def _node(node: Derivation) -> dict[str, Any]:
    stability = None if node.stability is None else str(node.stability)
    below = [_node(one) for one in node.below]
    return {"node": node.node, "metric": node.metric, "at_most": stability, "because": node.because, "below": below}


def _noise(offer: Offer, step: Step) -> Iterator[str]:
    """The card of a step, its scale, and why it and no other."""
    unit = float(offer.unit(step.demand.measure))
    what = _measured(offer, step)
    if step.demand.kind == "selection":
        yield f"{what}: named from {_threshold(step)} users on, by truncated geometric noise ({step.card.name})"
    elif step.demand.kind != "added":
        epsilon = number(float(step.public["epsilon"]), 3)
        yield f"{what}: noise of epsilon = {epsilon} on the scores of its candidates ({step.card.name})"
    else:
        reach = number(step.within(0.95) * unit, 3)
        yield f"{what}: ± {reach} by {step.card.name}{_instead(step, unit)}"


def _threshold(step: Step) -> str:
    return number(float(step.public["reach"]) + 1, 3)


def _instead(step: Step, unit: float) -> str:
    """What the other card would have given at the same price."""
    sigma = step.public.get("sigma")
    if sigma is None:
        return ""
    assert step.event is not None, "a step is an event"
    rho = step.public["sensitivity"] ** 2 / (2 * sigma**2)
    moved, length = step.event.distance, step.event.length  # type: ignore[attr-defined]  # what is added up is one run
    other = added(step.demand, moved, length, epsilon=pure_for(rho), rho=None)
    return f" (laplace_vector: ± {number(other.within(0.95) * unit, 3)} at that price)"


def _measured(offer: Offer, step: Step) -> str:
    """What a step is about, in words."""
    measure = offer.typed.measures[step.demand.measure]
    kind = {"added": measure.kind, "selection": "which groups there are"}.get(step.demand.kind, step.demand.kind)
    if step.demand.kind == "quantile":
        kind = f"quantile {step.demand.q}"
    return kind if measure.value is None else f"{kind} of {shown(measure.value)}"


def _amounts(amounts: Mapping[str, Fraction], *, up: bool) -> str:
    """What is charged is rounded up, what is left down."""
    return amounts_shown({name: amount for name, amount in amounts.items() if amount}, up=up) or "nothing"
