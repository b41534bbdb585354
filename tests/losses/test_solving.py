"""Answers at the edges: delta spent to the last digit on failures, and worlds that have no output in common."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from twoworlds.losses.loss import Loss, approximate, finite, gaussian, laplace


@pytest.mark.parametrize("count", [1, 2, 1000])
@pytest.mark.parametrize("delta", ["1/3", "1e-6", "0.1"])
def test_a_delta_of_just_the_failures_leaves_the_largest_loss(delta: str, count: int) -> None:
    """(epsilon, delta) steps at their own total delta: the sum of the epsilons; at anything less nothing is finite."""
    total = 1 - (1 - Fraction(delta)) ** count
    loss = approximate(2, delta).power(count)
    assert loss.epsilon(total).upper == pytest.approx(2 * count)
    assert math.isinf(loss.epsilon(total - Fraction(1, 10**40)).upper)
    assert approximate(1, delta).compose(laplace(1)).epsilon(delta).upper == pytest.approx(2)
    assert math.isinf(approximate(1, delta).compose(gaussian(1)).epsilon(delta).upper)


APART = finite([1, 0], [0, 1])


@pytest.mark.parametrize("loss", [APART, APART.power(3), APART.compose(gaussian(1)), APART.compose(laplace(1))])
def test_worlds_without_a_common_output_have_an_answer_in_every_dialect(loss: Loss) -> None:
    """They are told apart outright: delta is 1, no test errs, every divergence is infinite."""
    assert loss.delta(3).upper == 1
    assert math.isinf(loss.epsilon("0.5").upper)
    assert loss.tradeoff("0.3").upper == 0
    assert all(error.upper == 0 for alpha, error in loss.tradeoff_points(5) if alpha > 0)
    assert all(math.isinf(loss.renyi(order).upper) for order in (Fraction(1, 2), 1, 2, math.inf))
    assert math.isinf(loss.rho)
    assert math.isinf(loss.mu)
    assert loss.odds("1/2").best_guess.upper == 1
