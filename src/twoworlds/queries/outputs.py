"""From noisy measures to the numbers of an answer, each with the interval that the noise leaves for the true one.

Only noisy and public numbers are read here. A number made of several noisy ones takes its interval from theirs, each a little
wider, so that all hold together; quotients and roots are kept within the range that the policy gives them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from twoworlds.queries.functions.casts import instant
from twoworlds.queries.functions.dates import calendar, days
from twoworlds.queries.measures import Measure
from twoworlds.queries.plan import Aggregate, Value
from twoworlds.queries.policy import Type
from twoworlds.queries.pricing import Offer, cells_of
from twoworlds.queries.steps import FINER, Demand, of_output

__all__ = ["Cell", "Noisy", "Reading", "counted", "shown"]

NOISE_ONLY = "noise alone: its sampling error is not known"


@dataclass(frozen=True)
class Cell:
    """A number with the interval that its noise leaves for the true one; `note` says what is known where there is none.

    `ranks` is how many rows the rank of a quantile may be off, with the confidence of the interval.
    """

    value: Any
    low: float | None = None
    high: float | None = None
    note: str = ""
    ranks: float | None = None


@dataclass(frozen=True)
class Noisy:
    """What left the cards: the groups, and for each step its noisy entries or its choices, in steps of the measure."""

    keys: tuple[tuple[Value, ...], ...]
    results: tuple[Any, ...]

    def record(self) -> list[Any]:
        """As the ledger keeps it."""
        return [[list(key) for key in self.keys], [list(result) for result in self.results]]

    @staticmethod
    def of_record(record: Any) -> Noisy:
        """From what the ledger kept."""
        keys, results = record
        return Noisy(tuple(tuple(key) for key in keys), tuple(results))


@dataclass(frozen=True)
class Between:
    """A noisy number and where the true one is."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Between:
        ends = sorted((self.low * factor, self.high * factor))
        return Between(self.value * factor, *ends)

    def product(self, other: Between) -> Between:
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Between(self.value * other.value, min(corners), max(corners))

    def minus(self, other: Between) -> Between:
        return Between(self.value - other.value, self.low - other.high, self.high - other.low)

    def plus(self, constant: float) -> Between:
        return Between(self.value + constant, self.low + constant, self.high + constant)

    def over(self, count: Between) -> Between:
        """A sum over a count of people, of whom there may be none: then nothing is known."""
        number = self.value / count.value if count.value > 0 else 0.0
        if count.low <= 0:
            return Between(number, -math.inf, math.inf)
        corners = [a / b for a in (self.low, self.high) for b in (count.low, count.high)]
        return Between(number, min(corners), max(corners))

    def within(self, low: float, high: float) -> Between:
        return Between(*(min(max(number, low), high) for number in (self.value, self.low, self.high)))


@dataclass(frozen=True)
class Reading:
    """Reads an answer's numbers at a confidence, for each interval alone or for `together` of them at once.

    With `sampling`, the rows are taken for a random sample of a larger population, and the intervals are for its numbers.
    """

    offer: Offer
    noisy: Noisy
    confidence: float = 0.95
    together: int = 1
    sampling: bool = False

    def cell(self, name: str, aggregate: Aggregate, uses: tuple[int, ...], group: int) -> Cell:
        """One aggregate of one group."""
        wanted = of_output(aggregate, uses)
        if aggregate.kind in ("quantile", "minimum", "maximum"):
            return self._located(name, wanted[0], group)
        if aggregate.kind == "top":
            listed = self.offer.typed.measures[uses[0]].listed or ()
            return Cell(tuple(listed[i] for i in self._result(wanted[0])[group]), note="the most frequent first")
        if aggregate.kind == "histogram":
            entries = [self._entry(wanted[0], group, 1, cell) for cell in range(cells_of(self.offer.typed.measures[uses[0]]))]
            reach = entries[0].high - entries[0].value
            return Cell(tuple(entry.value for entry in entries), note=f"each within {reach:.4g} with {self.confidence:.0%}")
        parts = [self._entry(demand, group, len(wanted)) for demand in wanted]
        found = _MADE.get(aggregate.kind, _single)(parts, [self.offer.typed.measures[i] for i in uses])
        found = found.times(_unbiased(aggregate, parts[-1].value))
        note = ""
        if self.sampling:
            spread = self._sampled(aggregate, uses, parts)
            note = NOISE_ONLY if spread is None else ""
            found = found if spread is None else Between(found.value, found.low - spread, found.high + spread)
        bounds = self.offer.typed.answers[name].bounds if name in self.offer.typed.answers else None
        if bounds is not None:
            found = found.within(float(bounds.low), float(bounds.high))
        return Cell(found.value, found.low, found.high, note)

    def _result(self, demand: Demand) -> Any:
        place = next(i for i, step in enumerate(self.offer.steps) if step.demand == demand)
        return self.noisy.results[place]

    def _entry(self, demand: Demand, group: int, of: int, cell: int = 0) -> Between:
        """A noisy entry; `of` of them have to hold at once."""
        measure = self.offer.typed.measures[demand.measure]
        unit = self.offer.unit(demand.measure)
        value = float(Fraction(self._result(demand)[group * cells_of(measure) + cell]) * unit)
        shares = of * self.together * (2 if self.sampling else 1)
        reach = self.offer.step(demand).within(self.confidence, shares) * float(unit)
        return Between(value, value - reach, value + reach)

    def _sampled(self, aggregate: Aggregate, uses: tuple[int, ...], parts: list[Between]) -> float | None:
        """How far the sample may be from what it was drawn from; rows of one user are taken to be as alike as can be.

        A count of independent draws has at most its own size for a variance, a sum of them the sum of their squares, a mean a
        quarter of the squared range over their number (Popoviciu 1935).
        """
        beta = (1 - self.confidence) / (2 * self.together)
        reach, alike = NormalDist().inv_cdf(1 - beta / 2), self.offer.bounding.rows
        measure = self.offer.typed.measures[uses[0]]
        if aggregate.kind in ("count", "count_users"):
            return reach * math.sqrt(alike * max(parts[0].high, 0.0))
        if aggregate.kind == "sum" and measure.bounds is not None:
            low, high = float(measure.bounds.low), float(measure.bounds.high)
            if low * high >= 0:
                size = max(abs(low), abs(high))
                return reach * math.sqrt(alike * size * max(abs(parts[0].low), abs(parts[0].high)))
        if aggregate.kind == "mean" and measure.bounds is not None:
            least = parts[-1].low
            half = float(measure.bounds.high - measure.bounds.low) / 2
            return reach * half * math.sqrt(alike / least) if least > 0 else math.inf
        return None

    def _located(self, name: str, demand: Demand, group: int) -> Cell:
        """The value of a chosen cell; how far its rank may be off is known, how far its value is a secret."""
        measure = self.offer.typed.measures[demand.measure]
        assert measure.bounds is not None
        width = (measure.bounds.high - measure.bounds.low) / measure.cells
        whole = (
            width == 1
            and self.offer.typed.answers[name].type in ("integer", "date", "real")
            and measure.bounds.low.denominator == 1
        )
        place = measure.bounds.low + width * (self._result(demand)[group] + (0 if whole else Fraction(1, 2)))
        factor = FINER * self.offer.bounding.parts * (demand.q.denominator if demand.kind == "quantile" else 1)
        ranks = self.offer.step(demand).within(self.confidence, measure.cells * self.together) / factor
        return Cell(shown(place, self.offer.typed.answers[name].type), note=NOISE_ONLY if self.sampling else "", ranks=ranks)


def shown(value: Any, kind: Type) -> Any:
    """A value as its type is shown: dates and times from their numbers."""
    if value is None or isinstance(value, str | bool):
        return value
    if kind == "date":
        return calendar(int(value))
    if kind == "timestamp":
        return datetime(1970, 1, 1) + timedelta(microseconds=int(value))
    return int(value) if kind == "integer" else float(value)


def counted(value: Any) -> Any:
    """The other way: dates and times as the numbers that are computed with."""
    if isinstance(value, datetime):
        return instant(value)
    return days(value) if isinstance(value, date) else value


def _unbiased(aggregate: Aggregate, count: float) -> float:
    """What makes of a division by the count one by one less, where that is asked for and there are two."""
    if not dict(aggregate.parameters).get("sample") or count < 2:
        return 1.0
    factor = count / (count - 1)
    return math.sqrt(factor) if aggregate.kind == "stddev" else factor


def _single(parts: list[Between], _: list[Measure]) -> Between:
    """A count or a sum."""
    return parts[0]


def _mean(parts: list[Between], measures: list[Measure]) -> Between:
    total, count = parts
    return total.over(count).plus(float(measures[0].centre))


def _variance(parts: list[Between], _: list[Measure]) -> Between:
    total, squares, count = parts
    mean = total.over(count)
    return squares.over(count).minus(_squared(mean)).within(0, math.inf)


def _stddev(parts: list[Between], measures: list[Measure]) -> Between:
    found = _variance(parts, measures)
    return Between(*(math.sqrt(number) for number in (found.value, found.low, found.high)))


def _covariance(parts: list[Between], _: list[Measure]) -> Between:
    x, y, product, count = parts
    return product.over(count).minus(x.over(count).product(y.over(count)))


def _correlation(parts: list[Between], measures: list[Measure]) -> Between:
    x, y, product, squares, others, count = parts
    both = _covariance([x, y, product, count], measures)
    one, other = (_stddev([total, square, count], measures) for total, square in ((x, squares), (y, others)))
    size = one.product(other)
    value = both.value / size.value if size.value > 0 else 0.0
    if size.low <= 0:
        return Between(value, -1.0, 1.0)
    corners = [a / b for a in (both.low, both.high) for b in (size.low, size.high)]
    return Between(value, min(corners), max(corners))


def _squared(number: Between) -> Between:
    ends = sorted((number.low**2, number.high**2))
    return Between(number.value**2, 0.0 if number.low <= 0 <= number.high else ends[0], ends[1])


_MADE: Mapping[str, Callable[[list[Between], list[Measure]], Between]] = {
    "mean": _mean,
    "variance": _variance,
    "stddev": _stddev,
    "covariance": _covariance,
    "correlation": _correlation,
}
