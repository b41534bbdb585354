"""The best tests between two tabulated worlds: likelihood ratio thresholds, their two errors, and the curve they trace.

Neyman and Pearson 1933: among all tests with a type I error of at most alpha, none has a smaller type II error than the one that
rejects the first world on the outputs with the largest likelihood ratios, the last of them with a probability. A type I error
rejects `world` although it is the truth, a type II error keeps it although `other` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from twoworlds.exact.oneway import OneWay, Row
from twoworlds.exact.weights import (
    Weight,
    ball,
    between,
    fraction,
    interval,
    is_exact,
    likelihood,
    precision,
    rational,
    total,
    unit,
    vanishes,
)
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.rationals import probability

__all__ = ["Test", "Vertex", "bayes_test", "best_test", "tradeoff", "tradeoff_at"]


@dataclass(frozen=True)
class Vertex:
    """A corner of the trade-off curve: the errors of the test that rejects `world` on these outputs and all before them."""

    alpha: Interval
    beta: Interval
    exact: tuple[Fraction, Fraction] | None
    rejected: tuple[Any, ...]


@dataclass(frozen=True)
class Test:
    """Reject `world` on the outputs of `rejects`, and with probability `chance` on those of `sometimes`.

    `threshold` is the likelihood ratio, other to world, above which it rejects; `wrong` the chance of a wrong guess with a prior.
    """

    rejects: tuple[Any, ...]
    sometimes: tuple[Any, ...]
    chance: Interval
    threshold: Interval
    alpha: Interval
    beta: Interval
    wrong: Interval | None = None

    __test__ = False  # not a test of ours, whatever pytest makes of the name


@dataclass(frozen=True)
class _Step:
    """Outputs with one likelihood ratio, as far as can be told, and their probabilities in both worlds."""

    rows: tuple[Row, ...]
    weight: Weight
    other: Weight


def _steps(way: OneWay) -> list[_Step]:
    """Outputs by falling likelihood ratio, other to world; equal ratios in one step."""
    groups: dict[Any, list[Row]] = {}
    for row in way.rows:
        exact = is_exact(row.weight) and is_exact(row.other)
        groups.setdefault(_share(row) if exact else id(row), []).append(row)
    steps = [
        _Step(tuple(rows), total([row.weight for row in rows]), total([row.other for row in rows])) for rows in groups.values()
    ]
    steps.sort(key=lambda step: -_middle(step.other / (step.weight + step.other)))
    joined: list[_Step] = []
    for step in steps:
        if joined and _alike(joined[-1], step):
            last = joined.pop()
            joined.append(_Step(last.rows + step.rows, last.weight + step.weight, last.other + step.other))
        else:
            joined.append(step)
    return joined


def _share(row: Row) -> Any:
    share = row.other / (row.weight + row.other)
    return int(share.p), int(share.q)


def _alike(one: _Step, other: _Step) -> bool:
    """Whether two likelihood ratios cannot be told apart; exact ones always can."""
    if all(is_exact(weight) for weight in (one.weight, one.other, other.weight, other.other)):
        return False
    return bool(ball(one.weight * other.other).overlaps(ball(one.other * other.weight)))


def _middle(value: Weight) -> float:
    return float(ball(value).mid())


def tradeoff(way: OneWay) -> tuple[Vertex, ...]:
    """The corners of the trade-off curve, from (0, 1 - what betrays `other`) on; each is attained by a test."""
    with precision():
        steps = _steps(way)
        vertices = [_vertex(way, steps, 0)] if not steps or not _free(steps[0]) else []
        return tuple(vertices + [_vertex(way, steps, i + 1) for i in range(len(steps))])


def _free(step: _Step) -> bool:
    """Outputs that `world` never has: rejecting on them costs nothing."""
    return is_exact(step.weight) and step.weight == fmpq(0)


def _vertex(way: OneWay, steps: Sequence[_Step], count: int) -> Vertex:
    alpha, beta = _errors(way, steps, count)
    known = is_exact(alpha) and is_exact(beta)
    return Vertex(
        unit(alpha),
        unit(beta),
        (fraction(alpha), fraction(beta)) if known else None,
        tuple(row.output for row in steps[count - 1].rows) if count else (),
    )


def _errors(way: OneWay, steps: Sequence[_Step], count: int) -> tuple[Weight, Weight]:
    """Both errors of the test that rejects on the first steps; mass with unknown output may go either way."""
    alpha = total([step.weight for step in steps[:count]]) + between(way.lost)
    beta = total([step.other for step in steps[count:]]) + between(way.other_lost)
    return alpha, beta


def tradeoff_at(way: OneWay, alpha: object) -> Interval:
    """The least type II error of any test with this type I error."""
    at = rational(probability(alpha, "alpha"))
    with precision():
        steps = _steps(way)
        _, beta, _, count = _mixed(way, steps, at)
        slopes = [step.other / step.weight for step in steps[max(count - 1, 0) : count + 2] if not _free(step)]
        least = max((_supporting(way, slope, at) for slope in slopes), key=_middle, default=ball(0))
        return unit(arb.max(ball(0), least.lower()), beta)


def _supporting(way: OneWay, slope: Weight, alpha: fmpq) -> arb:
    """A lower bound by duality: no test has beta + slope * alpha below the sum of min(q, slope * p) over the outputs."""
    at = ball(slope).mid()
    least = sum((arb.min(ball(row.other), at * ball(row.weight)) for row in way.rows if row.even), ball(0))
    return least - at * ball(alpha)


def _mixed(way: OneWay, steps: Sequence[_Step], alpha: fmpq) -> tuple[Weight, Weight, Weight, int]:
    """The test of this level, at most: its errors, the chance on its last step, and how many steps it rejects surely."""
    spent, count = way.lost, 0
    while count < len(steps) and spent + steps[count].weight <= alpha:
        spent = spent + steps[count].weight
        count += 1
    reached, missed = _errors(way, steps, count)
    if count == len(steps) or not spent <= alpha:
        return reached, missed, fmpq(0), count
    last = steps[count]
    chance = (alpha - spent) / last.weight
    if not is_exact(chance):
        chance = arb.min(arb.max(chance.lower(), ball(0)), ball(1))
    return reached + chance * last.weight, missed - chance * last.other, chance, count


def best_test(way: OneWay, alpha: object) -> Test:
    """Neyman and Pearson's test: the smallest type II error among all tests with at most this type I error."""
    at = rational(probability(alpha, "alpha"))
    with precision():
        steps = _steps(way)
        reached, missed, chance, count = _mixed(way, steps, at)
        last = steps[count].rows if count < len(steps) and not vanishes(chance) else ()
        edge = steps[min(count, len(steps) - 1)]
        return Test(
            tuple(row.output for step in steps[:count] for row in step.rows),
            tuple(row.output for row in last),
            unit(chance),
            interval(likelihood(edge.other, edge.weight)),
            unit(reached),
            unit(missed),
        )


def bayes_test(way: OneWay, prior: object) -> Test:
    """The test that is wrong least often when `world` is the truth with this prior probability: maximum a posteriori."""
    first = rational(probability(prior, "prior"))
    second = 1 - first
    with precision():
        steps = _steps(way)
        rejected = [second * step.other > first * step.weight for step in steps]
        count = sum(bool(answer) for answer in rejected)
        alpha, beta = _errors(way, steps, count)
        odds = interval(likelihood(first, second))
        outputs = tuple(row.output for step in steps[:count] for row in step.rows)
        wrong = total([_smaller(first * row.weight, second * row.other, even=row.even) for row in way.rows])
        wrong = wrong + between(first * way.lost) + between(second * way.other_lost)
        return Test(outputs, (), interval(fmpq(0)), odds, unit(alpha), unit(beta), unit(wrong))


def _smaller(one: Weight, other: Weight, *, even: bool) -> Weight:
    if is_exact(one) and is_exact(other):
        least = min(one, other)
    else:
        least = arb.min(ball(one), ball(other))
    return least if even else between(least)
