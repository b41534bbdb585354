"""What is promised, what was proved and what was observed: values that can be compared, never prose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, Protocol, SupportsFloat, get_args

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import printed_above, printed_below

__all__ = ["Certificate", "Claim", "Evidence", "Interval", "Status", "Verdict"]

Status = Literal["proved by machine", "proved by rule", "tabulated", "audited only"]
Verdict = Literal["PROVED", "REFUTED", "NOT PROVED", "UNSUPPORTED"]


@dataclass(frozen=True)
class Interval:
    """A number known to lie between two floats; `certified` covers discretisation, wrap-around and rounding."""

    lower: float
    upper: float
    method: str = "certified"

    def __post_init__(self) -> None:
        if not all(_is_number(end) for end in (self.lower, self.upper)) or self.lower > self.upper:
            raise BadArgument(
                "interval", (self.lower, self.upper), "is empty or not a number", "Report this: it is a bug of ours"
            )

    @property
    def width(self) -> float:
        return self.upper - self.lower

    @property
    def is_certified(self) -> bool:
        return self.method == "certified"

    def __str__(self) -> str:
        """Both ends to seven digits, rounded away from each other: what is printed holds too."""
        return f"[{printed_below(self.lower)}, {printed_above(self.upper)}]"


class AnyLoss(Protocol):
    """As much of a Loss as the vocabulary needs; `losses.Loss` is the real one."""

    def delta(self, epsilon: Any) -> Interval: ...

    def epsilon(self, delta: Any) -> Interval: ...


@dataclass(frozen=True)
class Claim:
    """A guarantee with everything it depends on: never an epsilon alone."""

    loss: AnyLoss
    neighbours: str
    unit: str = "one record"
    assumptions: tuple[str, ...] = ()
    status: Status = "audited only"
    recorded: bool = False


@dataclass(frozen=True)
class Certificate:
    """The outcome of a proof attempt, tied to the hash of the source that runs."""

    card: str
    digest: str
    verdict: Verdict
    price: str
    method: str
    details: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise BadArgument("verdict", self.verdict, "is no verdict", f"Say one of {', '.join(get_args(Verdict))}")

    def explain(self, card: Any = None) -> Any:
        """The proof or the two worlds in words: `print` it, show it in a notebook, or take its `markdown`.

        With the card, or its text, also the lines of the noise and the price of plain composition; our cards are found by name.
        """
        room = import_module("twoworlds.proofs.explaining")  # a room above this one, which is asked for only here
        return room.explained(self, card)


@dataclass(frozen=True)
class Evidence:
    """An audit's result: a lower bound on epsilon that holds with the stated confidence, and the most these runs could show.

    `points` are the two errors of each test, and `spans` the two intervals in which they lie, both at that confidence.
    """

    attack: str
    epsilon_lower: float
    delta: float
    confidence: float
    ceiling: float
    trials: int
    event: str
    points: tuple[tuple[float, float], ...] = ()
    spans: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, least, most in (
            ("epsilon_lower", 0, math.inf),
            ("ceiling", 0, math.inf),
            ("delta", 0, 1),
            ("confidence", 0, 1),
        ):
            value = getattr(self, name)
            if not _is_number(value) or not least <= value <= most:
                raise BadArgument(name, value, f"is not a number from {least} to {most}", "Report what was measured")
        if isinstance(self.trials, bool) or not isinstance(self.trials, int) or self.trials < 1:
            raise BadArgument("trials", self.trials, "is not a whole number of 1 or more", "Say how often the mechanism ran")

    def verdict(self, epsilon: float) -> str:
        """What these runs say of a claimed epsilon."""
        if not _is_number(epsilon) or epsilon < 0:
            raise BadArgument("epsilon", epsilon, "is no claim", "Give the claimed epsilon, 0 or more")
        if self.epsilon_lower > epsilon:
            return "contradicts the claim"
        return "too few runs: ceiling < claim" if self.ceiling < epsilon else "does not contradict the claim"


def _is_number(value: object) -> bool:
    """A real number, infinity included; NaN and truth values are none."""
    return isinstance(value, SupportsFloat) and not isinstance(value, bool | type) and not math.isnan(float(value))
