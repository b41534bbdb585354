"""What refutes a claim: two neighbouring worlds, an event that a person can read, and its probability in both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.proofs.patterns import Pair

__all__ = ["Refutation", "plain", "spoken", "told"]

_LEAST_GROWTH = 1.2
_SHOWN = 0.01


@dataclass(frozen=True)
class Refutation:
    """Two worlds in which an event is likelier by more than the price allows.

    `loss` is certified from below and `price` from above, in the price's own measure: ln ratio for a pure price, a probability
    for an approximate one, a Renyi divergence for a concentrated one. `probabilities` are those of the event in `pair.one` and
    `pair.other`, in this order.
    """

    pair: Pair
    output: Any
    event: str
    probabilities: tuple[float, float]
    loss: float
    price: float
    measure: str = "epsilon"
    method: str = "exact probabilities"
    grid: Fraction = Fraction(1)
    growth: tuple[tuple[int, float], ...] = ()
    grids: tuple[tuple[Fraction, float], ...] = ()
    limit: tuple[float, float] | None = None

    @property
    def is_followed(self) -> bool:
        """Whether only this output was asked for, and no table made."""
        return self.method.endswith("path")

    @property
    def excess(self) -> float:
        return self.loss - self.price

    @property
    def score(self) -> float:
        """How many times the price this costs."""
        return self.loss / self.price if self.price > 0 else math.inf if self.loss > 0 else 0.0

    @property
    def grows(self) -> bool:
        """Whether the loss goes on growing as the list does, as far as that was computed."""
        losses = [loss for _, loss in self.growth]
        if len(losses) < 3 or math.inf in losses:
            return False
        (before, less), (last, most) = self.growth[-2:]
        steady = (losses[-1] - losses[0]) / (last - self.growth[0][0])
        return losses == sorted(losses) and most > _LEAST_GROWTH * losses[0] and most - less > steady * (last - before) / 3

    @property
    def details(self) -> dict[str, Any]:
        """The same as plain data."""
        found: dict[str, Any] = {
            "world": plain(self.pair.one),
            "other": plain(self.pair.other),
            "parameters": {name: plain(value) for name, value in self.pair.public.items()},
            "output": plain(self.output),
            "event": self.event,
            "probabilities": list(self.probabilities),
            self.measure: self.loss,
            "price": self.price,
            "grid": plain(self.grid),
            "grows": self.grows,
            "growth": [list(point) for point in self.growth],
        }
        if self.grids:
            found["grids"] = [[plain(grid), loss] for grid, loss in self.grids]
        if self.limit is not None:
            found["limit"] = list(self.limit)
        return found

    def but(self, **changes: Any) -> Refutation:
        return replace(self, **changes)


def spoken(output: Any) -> str:
    """An output as a person reads it: F F F then 8."""
    if isinstance(output, tuple):
        flat = ["-" if part is None else f"({spoken(part)})" if isinstance(part, tuple) else spoken(part) for part in output]
        if not flat:
            return "an empty list"
        *most, last = flat
        alike = bool(most) and isinstance(output[-1], int | Fraction) and not isinstance(output[-1], bool)
        alike = alike and all(part is None or isinstance(part, bool) for part in output[:-1])
        return (
            f"{' '.join(most)} then {last}"
            if alike
            else " ".join(flat)
            if all(len(part) == 1 for part in flat)
            else ", ".join(flat)
        )
    if isinstance(output, bool):
        return "T" if output else "F"
    return str(output)


def told(details: Mapping[str, Any]) -> list[str]:
    """A refutation's details as lines for a person: the worlds and the event, then the ratio and how it grows."""
    epsilon, public = details.get("epsilon"), details["parameters"]
    if "runs" in details:
        return _observed(details)
    at = ", ".join(f"{name} = {_short(value)}" for name, value in public.items())
    one, other = details["probabilities"]
    lines = [f"worlds {_short(details['world'])} and {_short(details['other'])}; {details['event']}"]
    if epsilon is None:
        measure = next(name for name in details if name == "delta" or name.startswith("renyi"))
        lines.append(f"{measure} {details[measure]:.6g} against {details['price']:.6g}" + (f" at {at}" if at else ""))
    elif math.isinf(epsilon):
        lines.append(f"possible in the first world ({one:.3g}) and impossible in the second" + (f", at {at}" if at else ""))
    else:
        ratio = (
            f"probability ratio e^{epsilon:.2f}" if epsilon - details["price"] > _SHOWN else f"probability ratio e^{epsilon:.9g}"
        )
        grows = ", and it grows with the list" if details["grows"] else ""
        lines.append(f"{ratio} against e^{details['price']:.4g}" + (f" at {at}" if at else "") + grows)
        lines.append(f"probabilities {one:.4g} and {other:.4g} on the grid of step {details['grid']}{_finer(details)}")
    return lines


def _observed(details: Mapping[str, Any]) -> list[str]:
    """What was seen of an event in runs."""
    one, other = details["rates"]
    at = ", ".join(f"{name} = {_short(value)}" for name, value in details["parameters"].items())
    return [
        f"worlds {_short(details['world'])} and {_short(details['other'])}; {details['event']}",
        f"probability ratio at least e^{details['epsilon']:.2f} against e^{details['price']:.4g} at {at}",
        f"seen in {one:.4g} and {other:.4g} of fresh runs; wrong with probability {1 - details['confidence']:.0e} at most",
    ]


def _finer(details: Mapping[str, Any]) -> str:
    """What finer grids give: the limit where it is known, else the first that gives less than the price."""
    if "limit" in details:
        return f", and e^{details['limit'][0]:.2f} as the grid goes to 0"
    below = [grid for grid, loss in details.get("grids", []) if loss <= details["price"]]
    return f"; on the grid of step {below[0]} these worlds stay within the price" if below else ""


def _short(value: Any) -> str:
    return ",".join(_short(entry) for entry in value) if isinstance(value, list) else str(value)


def plain(value: Any) -> Any:
    """Numbers and lists as JSON has them; fractions as text."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
