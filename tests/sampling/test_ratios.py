"""Draws from ratios alone follow their laws, without ball arithmetic, and hand over where products grow long."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.sampling.oracles import fit
from tests.statistics import Judge
from twoworlds.sampling import ratios
from twoworlds.sampling.draws import draw_one
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.worlds.distributions import NegativeBinomial, Skellam

DRAWS = 5_000
LAWS: list[tuple[Any, Any]] = [
    # a law, and one that is told apart from it
    (Skellam("1/3"), Skellam("3/5")),
    (Skellam(1), Skellam("17/10")),
    (Skellam(60), Skellam(101)),
    (NegativeBinomial(3, "1/10"), NegativeBinomial("39/10", "1/10")),
    (NegativeBinomial(1, "1/3"), NegativeBinomial("13/10", "1/3")),
    (NegativeBinomial("1/2", "1/8"), NegativeBinomial("13/20", "1/8")),
    (NegativeBinomial("5/4", "1/40"), NegativeBinomial("13/8", "1/40")),
]


@pytest.mark.parametrize(("law", "other"), LAWS, ids=str)
def test_draws_follow_the_law(judge: Judge, law: Any, other: Any) -> None:
    """Chi-square against the textbook's distribution function; a law 1.3 times as wide is told apart."""
    source = SeededEntropy(8)
    judge.fits(fit([draw_one(law, entropy=source) for _ in range(DRAWS)], law))
    judge.rejects(fit([draw_one(other, entropy=source) for _ in range(DRAWS)], law), planted=str(other))


@given(strategies.fractions(Fraction(1, 50), 3000))
def test_ratios_are_those_of_the_poisson_law(mean: Fraction) -> None:
    """Outward from the mode the ratios are at most 1 and fall, up and down are each other's inverse, and a block always falls."""
    law = ratios._poisson(mean)
    assert law is not None and law.fall[0] < law.fall[1]
    for steps in (law.up, law.down):
        found = [Fraction(*steps(k)) for k in range(40)]
        assert found == sorted(found, reverse=True) and found[0] <= 1
    assert Fraction(*law.up(0)) == mean / (law.mode + 1)
    assert law.mode == 0 or Fraction(*law.down(0)) == law.mode / mean


@given(strategies.fractions(1, 30), strategies.fractions(Fraction(1, 40), Fraction(99, 100)))
def test_ratios_are_those_of_the_negative_binomial_law(r: Fraction, p: Fraction) -> None:
    """The same where r is 1 or more, so that weights are log-concave."""
    law = ratios._concave(r, p)
    if law is None:
        return
    assert law.fall[0] < law.fall[1]
    for steps in (law.up, law.down):
        found = [Fraction(*steps(k)) for k in range(40)]
        assert found == sorted(found, reverse=True) and found[0] <= 1
    for x in range(law.mode, law.mode + 5):
        assert Fraction(*law.up(x - law.mode)) == (x + r) * (1 - p) / (x + 1)
    if law.mode:
        assert Fraction(*law.down(0)) == law.mode / ((law.mode - 1 + r) * (1 - p))


def test_long_products_are_left_to_tables() -> None:
    """Where a block is too long nothing is drawn, and the draw comes from a table."""
    stream = SeededEntropy(1).stream()
    assert ratios.skellam(stream, Fraction(2**20)) is None
    assert ratios.negative_binomial(stream, Fraction(3), Fraction(1, 10**6)) is None
    assert ratios.negative_binomial(stream, Fraction(1, 2), Fraction(1, 10**6)) is None
    assert isinstance(draw_one(Skellam(2**20), entropy=SeededEntropy(1)), int)


def test_a_certain_success_never_fails() -> None:
    """With p = 1 there are no failures, for any r."""
    for r in ("1/3", 1, 5):
        assert {draw_one(NegativeBinomial(r, 1)) for _ in range(20)} == {0}


@pytest.mark.parametrize("law", ["Skellam(50)", "NegativeBinomial(3, '1/10')", "NegativeBinomial('1/2', '1/10')"])
def test_a_first_draw_loads_no_ball_arithmetic(law: str) -> None:
    """In a new process neither flint nor numpy is there after a draw: loading them took most of the time."""
    text = (
        "import sys; from twoworlds.sampling.draws import draw_one; from twoworlds.worlds.distributions import *; "
        f"draw_one({law}); sys.exit('flint' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", text], check=False, timeout=60).returncode == 0
