"""The exact reader against running every combination of draws, on generated programs over the whole language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from tests.exact.brute import TooMany, law, typed, with_noise
from tests.source.generator import arguments, card
from twoworlds.exact.encodings import Differences
from twoworlds.exact.outputs import AtLeast, AtMost, lay_out
from twoworlds.exact.reader import run
from twoworlds.exact.weights import Weight, ball, precision
from twoworlds.source.interpreter import freeze
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Program
from twoworlds.worlds.errors import TwoWorldsError, Unsupported

Change = Mapping[str, tuple[str, tuple[Fraction, ...]]]

_COINS: Change = {
    "BernoulliExp": ("Bernoulli", (Fraction(1, 3),)),
    "ExponentialWeights": ("Categorical", (Fraction(1), Fraction(2))),
    "Uniform": ("Uniform", (Fraction(2),)),
}
FINITE: Change = {
    **_COINS,
    **{
        name: ("Uniform", (Fraction(2),))
        for name in ("Laplace", "Gaussian", "Gumbel", "DiscreteGaussian", "Skellam", "Geometric")
    },
    "Exponential": ("Categorical", (Fraction(1), Fraction(2))),
}
NARROW: Change = {
    **_COINS,
    **{name: ("Laplace", (Fraction(1, 4),)) for name in ("Laplace", "DiscreteGaussian", "Skellam")},
    "Gaussian": ("Laplace", (Fraction(1, 3),)),
    "Gumbel": ("Exponential", (Fraction(1, 3),)),
    "Exponential": ("Exponential", (Fraction(1, 4),)),
    "Geometric": ("Geometric", (Fraction(9, 10),)),
}


def small(seed: int) -> dict[str, Any]:
    """Inputs for a generated program, short enough to try all noise."""
    inputs = {name: freeze(value) for name, value in arguments(seed).items()}
    return {**inputs, "data": inputs["data"][:2]}


def read(program: Program, inputs: Mapping[str, Any]) -> tuple[dict[Any, Weight], Weight]:
    """The law that the exact reader finds, and the mass whose output it does not know."""
    reader = run(program, inputs, Fraction(1), Fraction(1, 2**60))
    return {typed(freeze(row.output)): row.weights[0] for row in lay_out([reader])}, reader.lost


def both(seed: int, change: Change) -> tuple[dict[Any, Weight], dict[Any, Weight], Weight] | str:
    """The law by brute force and by the reader, or why there is nothing to compare."""
    try:
        program = with_noise(parse_text(card(seed)), change)
        wanted = law(program, small(seed))
    except TooMany:
        return "too many runs"
    except (TwoWorldsError, ArithmeticError, LookupError, TypeError, ValueError):
        return "fails on some noise"
    try:
        return wanted, *read(program, small(seed))
    except (Unsupported, TwoWorldsError):
        return "fails on noise that was not tried"


def compare_finite(seeds: range) -> Counter[str]:
    """Every probability is the same rational."""
    ends: Counter[str] = Counter()
    for seed in seeds:
        result = both(seed, FINITE)
        if isinstance(result, str):
            ends[result] += 1
            continue
        wanted, found, lost = result
        assert found == wanted, seed
        assert lost == 0, seed
        ends["equal"] += 1
    return ends


def compare_infinite(seeds: range) -> Counter[str]:
    """Every probability covers that of the runs that were tried, and exceeds it by no more than the others' mass."""
    ends: Counter[str] = Counter()
    for seed in seeds:
        result = both(seed, NARROW)
        if isinstance(result, str):
            ends[result] += 1
            continue
        wanted, found, lost = result
        missing = 1 - sum(map(ball, wanted.values()))
        summed = any(_has_tail(output) for output in found)
        for output, weight in wanted.items():
            if output in found:
                assert (ball(found[output]) + lost).upper() >= ball(weight).lower(), (seed, output)
                assert (ball(found[output]) - weight).lower() <= missing.upper(), (seed, output)
            else:
                assert summed or ball(weight).lower() <= ball(lost).upper(), (seed, output)
        whole = sum(map(ball, found.values()))
        assert whole.lower() <= 1 <= (whole + lost).upper(), seed
        ends["covered"] += 1
    return ends


def _has_tail(key: Any) -> bool:
    return any(map(_has_tail, key)) if isinstance(key, tuple) else isinstance(key, AtLeast | AtMost | Differences)


def test_finite_programs_have_their_exact_law() -> None:
    """On generated programs whose noise is finite, the law is that of all runs, as rationals."""
    with precision():
        ends = compare_finite(range(240))
    assert ends["equal"] >= 120, ends


def test_infinite_noise_is_covered() -> None:
    """On the same programs with Laplace, exponential and geometric noise, intervals cover the law of the runs."""
    with precision():
        ends = compare_infinite(range(300, 480))
    assert ends["covered"] >= 80, ends


def test_the_comparison_sees_a_wrong_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a reader whose coins fall the other way is caught."""
    from twoworlds.exact import reader as room

    honest = room.law_of

    def turned(noise: Any, grid: Fraction) -> Any:
        found = honest(noise, grid)
        return honest(type(noise)(1 - noise.p), grid) if type(noise).__name__ == "Bernoulli" and noise.p != 1 else found

    monkeypatch.setattr(room, "law_of", turned)
    with pytest.raises(AssertionError):
        compare_finite(range(120))


@pytest.mark.soak
def test_many_programs(effort: float) -> None:
    """As above, on 40,000 programs."""
    count = int(20_000 * effort)
    with precision():
        compare_finite(range(1_000, 1_000 + count))
        compare_infinite(range(1_000, 1_000 + count))
