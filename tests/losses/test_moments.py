"""Moment bounds: sound on every finite pair, tight where they claim to be, and refused on bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies
from scipy import integrate, stats

from tests.losses.finite import EPSILONS, ORDERS, SLACK, Worlds, laws, mix, renyi, small_worlds, worlds
from tests.losses.malformed import accepted
from twoworlds.losses import moments
from twoworlds.losses.balls import float_above, precision
from twoworlds.losses.cumulants import Curve, Laplacian, Largest, Line, PoissonSampled, PureCurve, SubsampledGaussian
from twoworlds.losses.moments import MomentBound
from twoworlds.worlds.errors import BadArgument, InfiniteLoss, MixedNeighbours
from twoworlds.worlds.rationals import Enclosure

DELTAS = (0.4, 0.05, 1e-3, 1e-9)


def known(pair: Worlds, orders: tuple[float, ...] = (1.5, 2.0, 4.0, 16.0)) -> MomentBound:
    """The bound that says exactly what the pair's divergences are at a few orders, rounded up."""
    return moments.renyi_curve({Fraction(order): pair.renyi(order) * (1 + 1e-12) + 1e-15 for order in orders})


def log_above(ratio: Fraction) -> Fraction:
    return Enclosure(ratio).log().high


def holds(bound: MomentBound, pair: Worlds) -> None:
    """Everything the bound says is true of the pair."""
    for order in ORDERS:
        assert pair.renyi(order) <= bound.renyi(Fraction(order)).upper + SLACK
    for epsilon in EPSILONS:
        assert pair.delta(epsilon) <= bound.delta(epsilon).upper + SLACK
    for delta in DELTAS:
        assert pair.delta(bound.epsilon(delta).upper) <= delta + SLACK
    assert float(pair.variation()) <= bound.advantage.upper + SLACK


@settings(max_examples=20)
@given(worlds)
def test_a_curve_of_points_holds_for_its_pair(pair: Worlds) -> None:
    """RDP at a few orders converts to true statements at every order up to the last, every epsilon and every delta."""
    bound = known(pair)
    for order in (order for order in ORDERS if order <= 16):
        assert pair.renyi(order) <= bound.renyi(Fraction(order)).upper + SLACK
    for epsilon in EPSILONS:
        assert pair.delta(epsilon) <= bound.delta(epsilon).upper + SLACK
    for delta in DELTAS:
        assert pair.delta(bound.epsilon(delta).upper) <= delta + SLACK
    assert bound.renyi(17).upper == math.inf


@given(worlds)
def test_the_pure_curve_holds_for_every_pair_of_its_ratio(pair: Worlds) -> None:
    """The tight pure curve bounds every pair whose ratios are within e^epsilon, at every order, epsilon and delta."""
    holds(moments.pure_moments(log_above(pair.ratio())), pair)


@settings(max_examples=20)
@given(small_worlds, small_worlds, strategies.integers(1, 2))
def test_composition_adds_moments(one: Worlds, other: Worlds, count: int) -> None:
    """The composed bound holds for the product of the pairs, and power is repeated composition."""
    bound = moments.pure_moments(log_above(one.ratio())).power(count).compose(known(other))
    product = other.times(one) if count == 1 else other.times(one).times(one)
    for epsilon in EPSILONS:
        assert product.delta(epsilon) <= bound.delta(epsilon).upper + SLACK
    assert bound == MomentBound.compose(*[moments.pure_moments(log_above(one.ratio()))] * count, known(other))


@given(worlds, strategies.sampled_from([Fraction(1, 100), Fraction(1, 3)]))
def test_the_event_outside_is_paid_in_full(pair: Worlds, delta: Fraction) -> None:
    """A pair that reveals the world with probability delta satisfies the approximate bound, and no smaller delta is offered."""
    bound = moments.pure_moments(log_above(pair.ratio()), delta)
    open_pair = pair.reveal(delta)
    for epsilon in EPSILONS:
        assert open_pair.delta(epsilon) <= bound.delta(epsilon).upper + SLACK
    assert bound.epsilon(delta / 2).upper == math.inf
    with pytest.raises(InfiniteLoss, match="no finite epsilon"):
        bound.finite_epsilon(delta / 2)


@settings(max_examples=10)
@given(worlds)
def test_the_tradeoff_is_below_every_test(pair: Worlds) -> None:
    """No test of the pair beats the certified lower end of the trade-off curve."""
    bound = known(pair)
    for first, second in pair.tests():
        assert second >= Fraction(bound.tradeoff(first).lower) - Fraction(1, 10**11)


def test_the_tradeoff_of_randomized_response_is_reached() -> None:
    """For pure privacy the trade-off from moments is the true one, 1 - e^epsilon alpha, at its corner."""
    bound, corner = moments.pure_moments(1), 1 / (1 + math.e)
    assert bound.tradeoff(0.1).lower == pytest.approx(1 - math.e * 0.1, rel=1e-6)
    assert bound.tradeoff(corner).lower == pytest.approx(corner, rel=1e-3)
    assert bound.tradeoff(0.1).upper == 0.9


def test_randomized_response_attains_the_pure_curve() -> None:
    """The pure curve equals the divergence of the fair two-point pair, and rho = epsilon tanh(epsilon / 2) at order 1."""
    pair = Worlds((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    pure, coin = moments.pure_moments(log_above(Fraction(3))), moments.randomized_response_moments("3/4")
    for order in ORDERS:
        for bound in (pure, coin):
            assert bound.renyi(Fraction(order)).upper == pytest.approx(pair.renyi(order), rel=1e-9)
    assert pure.rho == pytest.approx(math.log(3) * math.tanh(math.log(3) / 2), rel=1e-12)
    assert coin.renyi(math.inf).upper == pytest.approx(math.log(3), rel=1e-12)


@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(1), Fraction(7)])
def test_laplace_moments_are_the_integral(scale: Fraction) -> None:
    """The Laplace curve is the divergence of two shifted Laplace laws."""
    bound, b = moments.laplace_moments(scale), float(scale)
    for order in (1.5, 2.0, 5.0):

        def integrand(x: float, order: float = order) -> float:
            return math.exp(-order * abs(x - 1) / b + (order - 1) * abs(x) / b) / (2 * b)

        pieces = (-60 * b, 0, 1, 60 * b + 1)
        total = sum(integrate.quad(integrand, low, high)[0] for low, high in itertools.pairwise(pieces))
        assert bound.renyi(Fraction(order)).upper == pytest.approx(math.log(total) / (order - 1), rel=1e-7)


@pytest.mark.parametrize(
    "curve", [Laplacian(Fraction(n, 8)) for n in (1, 8, 40)] + [PureCurve(Fraction(n, 8)) for n in (1, 8, 40)]
)
def test_rho_bounds_every_order(curve: Curve) -> None:
    """rho * order is above the curve at every order, and met as the order falls to 1."""
    with precision():
        rho = float_above(curve.rho())
        for order in (Fraction(n, 16) for n in range(17, 800, 9)):
            assert float_above(curve.renyi(order)) <= rho * float(order) * (1 + 1e-12)
        assert float_above(curve.renyi(Fraction(10**6 + 1, 10**6))) == pytest.approx(rho, rel=1e-4)


@pytest.mark.parametrize("order", [Fraction(17, 16), Fraction(3, 2), Fraction(2), Fraction(11, 2), Fraction(16)])
@pytest.mark.parametrize(("sigma", "rate"), [(1, Fraction(1, 100)), (Fraction(3, 5), Fraction(1, 1000)), (4, Fraction(1, 4))])
def test_the_subsampled_gaussian_is_its_integral(sigma: Fraction, rate: Fraction, order: Fraction) -> None:
    """Whole and fractional orders agree with quadrature of the definition, and the bound is never below it."""
    q, alpha, s = float(rate), float(order), float(sigma)

    def integrand(x: float) -> float:
        moment = alpha * math.log1p(q * math.expm1((2 * x - 1) / (2 * s * s)))
        density = stats.norm.logpdf(x, scale=s)
        return math.expm1(moment) * math.exp(density) if moment < 1 else math.exp(moment + density) - math.exp(density)

    total, error = integrate.quad(integrand, -12 * s, alpha + 12 * s, points=[0, 1, alpha], limit=400, epsabs=0)
    with precision():
        bound = float_above(SubsampledGaussian(1 / Fraction(sigma) ** 2, rate).renyi(order))
    assert bound == pytest.approx(math.log1p(total) / (alpha - 1), rel=1e-6)
    assert bound >= math.log1p(total - 2 * abs(error)) / (alpha - 1) * (1 - 1e-9)


@given(worlds, strategies.sampled_from([Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)]))
def test_poisson_sampling_bounds_both_directions(pair: Worlds, rate: Fraction) -> None:
    """The general Poisson bound holds for the mixture against the plain law, in both directions."""
    curve = known(pair, (2.0, 3.0, 4.0, 5.0, 6.0))
    bound, sampled = curve.sampled(rate), Worlds(mix(rate, pair.one, pair.other), pair.other)
    for order in (1.0, 1.5, 2.0, 2.75, 4.0, 6.0):
        assert sampled.renyi(order) <= bound.renyi(Fraction(order)).upper + SLACK
        assert bound.renyi(Fraction(order)).upper <= curve.renyi(Fraction(order)).upper


@given(strategies.integers(2, 4).flatmap(lambda n: strategies.tuples(laws(n), laws(n), laws(n))), strategies.integers(1, 5))
def test_fixed_size_sampling_holds_for_one_replaced_record(three: tuple[tuple[Fraction, ...], ...], size: int) -> None:
    """The bound holds for two mixtures that share the batches without the record and differ in those with it."""
    absent, one, other = three
    pairs = [Worlds(first, second) for first, second in ((absent, one), (absent, other), (one, other))]
    worst = moments.renyi_curve({order: max(pair.renyi(order) for pair in pairs) + 1e-12 for order in (2, 3, 4, 5)})
    rate = Fraction(size, 5)
    bound = worst.sampled_without_replacement(size, 5)
    sampled = Worlds(mix(rate, one, absent), mix(rate, other, absent))
    for order in (1.0, 1.5, 2.0, 3.5, 5.0):
        assert sampled.renyi(order) <= bound.renyi(Fraction(order)).upper + SLACK


def test_the_gaussian_formula_beats_the_general_one() -> None:
    """For Gaussian noise the sampled curve of its own is never above the one for any mechanism."""
    own, general = SubsampledGaussian(Fraction(1), Fraction(1, 100)), PoissonSampled(Line(Fraction(1, 2)), Fraction(1, 100))
    with precision():
        for order in map(Fraction, (2, 3, 8, 20)):
            assert float_above(own.renyi(order)) <= float_above(general.renyi(order))


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta", "epsilon"),
    [
        (1, "0.01", 1000, 1e-5, 2.1014),
        (1, "0.01", 10_000, 1e-5, 6.7127),
        (1, "0.01", 100_000, 1e-5, 27.232),
        ("0.6", "0.001", 10_000, 1e-5, 3.3219),
        (1, "0.01", 1000, 1e-12, 4.3535),
        (1, "0.01", 1000, 1e-30, 9.8203),
        (4, "0.001", 10**7, 1e-6, 4.0820),
    ],
)
def test_dp_sgd_matches_other_accountants(sigma: object, rate: str, steps: int, delta: float, epsilon: float) -> None:
    """The moments accountant gives what independent implementations of the same theorems give, or a little less."""
    bound = moments.subsampled_gaussian_moments(sigma, rate).power(steps).epsilon(delta).upper
    assert epsilon * (1 - 5e-4) <= bound <= epsilon * (1 + 1e-4)


def test_truncated_privacy_stops_at_its_limit() -> None:
    """Below omega the curve is rho * order, from omega on nothing is promised; a larger omega converts no worse."""
    short, long = moments.truncated("0.1", 8), moments.truncated("0.1", 800)
    assert short.renyi(7).upper == pytest.approx(0.7) and short.renyi(8).upper == math.inf
    assert long.epsilon(1e-6).upper == pytest.approx(moments.concentrated("0.1").epsilon(1e-6).upper)
    assert short.epsilon(1e-6).upper > long.epsilon(1e-6).upper
    assert short.rho == math.inf


def test_mean_concentrated_of_a_gaussian_is_the_gaussian() -> None:
    """Mean 1/2 and spread 1 say of sigma = 1 what zCDP says."""
    ours, plain = moments.mean_concentrated("1/2", 1), moments.gaussian_moments(1)
    assert all(ours.renyi(Fraction(order)) == plain.renyi(Fraction(order)) for order in ORDERS)


def test_a_record_in_several_parts_pays_the_largest_shares() -> None:
    """The largest, and the sum of the two largest, are taken order by order."""
    curves = (Line(Fraction(1, 10)), PureCurve(Fraction(1)), Line(Fraction(1, 50)))
    with precision():
        for order in (Fraction(2), Fraction(50)):
            values = sorted((float_above(curve.renyi(order)) for curve in curves), reverse=True)
            assert float_above(Largest(curves).renyi(order)) == values[0]
            assert float_above(Largest(curves, 2).renyi(order)) == pytest.approx(values[0] + values[1])
        assert float_above(Largest(curves).most()) == math.inf


def test_bounds_about_different_neighbours_do_not_mix() -> None:
    """Composition keeps the neighbouring relation and refuses to mix two of them."""
    one, other = moments.concentrated(1, neighbours="add/remove"), moments.concentrated(1, neighbours="replace")
    assert one.compose(moments.concentrated(1)).neighbours == "add/remove"
    for wrong in (lambda: one.compose(other), lambda: other.sampled(0.1), lambda: one.sampled_without_replacement(1, 10)):
        with pytest.raises(MixedNeighbours, match="replace"):
            wrong()
    assert moments.concentrated(1).sampled(0.1).neighbours == "add/remove"


def test_post_processing_and_reversal_change_nothing() -> None:
    """Renyi bounds survive any function of the output, and hold for both orders of the worlds."""
    bound = moments.concentrated("0.1")
    assert bound.then(sorted) is bound and bound.reverse() is bound and bound.attained_by is None
    assert bound.mu == math.inf


def test_renyi_of_the_course_example() -> None:
    """Order 2 of (.6, .4) against (.5, .5) is ln 1.04, never negative; the reverse order infinity is .2231."""
    p, q = (Fraction(3, 5), Fraction(2, 5)), (Fraction(1, 2), Fraction(1, 2))
    assert renyi(p, q, 2) == pytest.approx(0.0392, abs=5e-5)
    assert renyi(p, q, 1) == pytest.approx(0.0201, abs=5e-5)
    assert renyi(p, q, math.inf) == pytest.approx(0.1823, abs=5e-5)
    assert renyi(q, p, math.inf) == pytest.approx(0.2231, abs=5e-5)
    bound = moments.pure_moments(log_above(Fraction(5, 4)))
    assert bound.renyi(math.inf).upper == pytest.approx(0.2231, abs=5e-5)


CALLS = [
    (moments.concentrated, {"rho": 1, "delta": 0.1}),
    (moments.truncated, {"rho": 1, "omega": 3}),
    (moments.mean_concentrated, {"mean": 1, "spread": 1}),
    (moments.renyi_at, {"order": 2, "epsilon": 1, "delta": 0.1}),
    (moments.renyi_curve, {"points": {2: 1}, "delta": 0.1}),
    (moments.pure_moments, {"epsilon": 1, "delta": 0.1}),
    (moments.gaussian_moments, {"sigma": 1, "sensitivity": 1}),
    (moments.laplace_moments, {"scale": 1, "sensitivity": 1}),
    (moments.randomized_response_moments, {"p": 0.75}),
    (moments.subsampled_gaussian_moments, {"sigma": 1, "rate": 0.1, "sensitivity": 1}),
    (moments.concentrated(1).epsilon, {"delta": 0.1}),
    (moments.concentrated(1).delta, {"epsilon": 1}),
    (moments.concentrated(1).tradeoff, {"alpha": 0.1}),
    (moments.concentrated(1).power, {"n": 2}),
    (moments.concentrated(1).sampled, {"rate": 0.1}),
    (moments.concentrated(1).sampled_without_replacement, {"size": 1, "records": 10}),
    (moments.concentrated(1).then, {"function": len}),
]


@pytest.mark.parametrize(("function", "valid"), CALLS, ids=[getattr(call[0], "__name__", "") for call in CALLS])
def test_malformed_calls_are_refused(function: object, valid: dict[str, object]) -> None:
    """No constructor and no question gives a number for a malformed argument."""
    assert accepted(function, valid) == []  # type: ignore[arg-type]  # parametrize knows no callables


def test_orders_out_of_range_are_refused() -> None:
    """Orders below 1, and composition with something else, are errors; infinity is a valid order."""
    bound = moments.concentrated(1)
    assert accepted(bound.renyi, {"order": 2}, {"order": (math.inf,)}) == []
    for wrong in (
        lambda: bound.renyi(0.5),
        lambda: bound.compose(3),
        lambda: moments.renyi_at(1, 1),
        lambda: moments.truncated(1, 1),
    ):  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(BadArgument):
            wrong()
    assert bound.epsilon(0).upper == math.inf
    with pytest.raises(BadArgument, match="delta"):
        moments.concentrated(1, 0.01).sampled(0.1)
    with pytest.raises(BadArgument, match="composed"):
        bound.compose(moments.pure_moments(1)).sampled(0.1)
