"""From one dialect to another: every conversion that has a theorem, and for every other pair why there is none.

A conversion takes a price without names and whatever else its theorem needs (a delta, an epsilon, an order), and gives a price in
the other dialect, rounded so that the new guarantee still follows from the old one. `CONVERSIONS` lists them, `MISSING` says why
the others do not exist, `convert` looks a pair up. All dialects speak of both orders of the two worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twoworlds.losses import rules
from twoworlds.losses.balls import precision
from twoworlds.losses.prices import (
    Approximate,
    Concentrated,
    Dialect,
    GaussianPrivacy,
    KullbackLeibler,
    MeanConcentrated,
    MutualInformation,
    Probabilistic,
    Pure,
    Renyi,
    TotalVariation,
    Truncated,
)
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import exact

__all__ = ["CONVERSIONS", "DIALECTS", "MISSING", "Conversion", "Converted", "convert"]

DIALECTS: tuple[type[Dialect], ...] = (
    Pure,
    Approximate,
    Probabilistic,
    Concentrated,
    Truncated,
    MeanConcentrated,
    Renyi,
    GaussianPrivacy,
    KullbackLeibler,
    TotalVariation,
    MutualInformation,
)


@dataclass(frozen=True)
class Conversion:
    """One theorem: from a dialect to another, with what it needs besides; `tight` where a mechanism attains the numbers."""

    source: type[Dialect]
    target: type[Dialect]
    formula: str
    theorem: str
    rule: Callable[..., Dialect]
    needs: str = ""
    tight: bool = False

    def apply(self, price: Dialect, **given: object) -> Dialect:
        """The price in the other dialect."""
        if set(given) != ({self.needs} if self.needs else set()):
            why = f"does not fit: {self.source.__name__} to {self.target.__name__} is {self.formula}"
            raise BadArgument("given", sorted(given), why, f"Give {self.needs or 'nothing'} besides the price")
        with precision():
            return self.rule(price, **{name: exact(value, name) for name, value in given.items()})


@dataclass(frozen=True)
class Converted:
    """The outcome: a price with its theorem; or None, which is an infinite loss, with the reason."""

    target: type[Dialect]
    found: Dialect | None
    theorem: str = ""
    why: str = ""

    @property
    def is_finite(self) -> bool:
        return self.found is not None

    @property
    def price(self) -> Dialect:
        """The price, or an error that says why there is none."""
        if self.found is None:
            raise InfiniteLoss(f"no finite {self.target.__name__} guarantee follows: {self.why}", "Ask for another dialect")
        return self.found


def convert(price: Dialect, target: type[Dialect], **given: object) -> Converted:
    """The price in another dialect, by its cited theorem; without one it is infinite and says why."""
    if not isinstance(price, Dialect) or price.names:
        raise BadArgument("price", price, "is not a guarantee in numbers", "Give a price without parameters, like Pure(1)")
    if target not in DIALECTS:
        raise BadArgument("target", target, "is not a dialect", f"Choose from {', '.join(one.__name__ for one in DIALECTS)}")
    if type(price) is target:
        return Converted(target, price, "the same guarantee")
    if (type(price), target) in MISSING:
        return Converted(target, None, why=MISSING[type(price), target])
    conversion = _TABLE[type(price), target]
    try:
        return Converted(target, conversion.apply(price, **given), conversion.theorem)
    except InfiniteLoss as error:
        return Converted(target, None, conversion.theorem, error.what)


_BS = "Bun and Steinke 2016"
_CKS = "Canonne, Kamath and Steinke 2020, proposition 12; Balle et al. 2020, theorem 21"
_KOV = "Kairouz, Oh and Viswanath 2017: randomized response with a failure dominates"
_MARKOV = "Markov's inequality on E[e^((a - 1) L)] (Mironov 2017, proposition 3)"
_ORDER = "the divergence grows with the order (van Erven and Harremoes 2014, theorem 3)"
_STEINKE = "Steinke 2024: randomized response is the worst case at every order"
_TAIL = "delta >= E[(1 - e^(epsilon - L))+]: the tail beyond a larger epsilon' is at most delta / (1 - e^(epsilon - epsilon'))"
_PINSKER = "Pinsker; Bretagnolle and Huber 1979"
_CUFF = "Cuff and Yu 2016: information is a mean of divergences from a mixture, and divergence is convex"
_DEFINITION = "by definition"

CONVERSIONS: tuple[Conversion, ...] = (
    Conversion(
        Pure, Approximate, "log(e^epsilon - delta (1 + e^epsilon)), delta", _KOV, rules.approximate_from_pure, "delta", True
    ),
    Conversion(Pure, Probabilistic, "epsilon, 0", _DEFINITION, rules.probabilistic_from_pure, tight=True),
    Conversion(Pure, Concentrated, "epsilon tanh(epsilon / 2)", _STEINKE, rules.concentrated_from_moments, tight=True),
    Conversion(Pure, Truncated, "epsilon tanh(epsilon / 2), omega", _STEINKE, rules.truncated, "omega", True),
    Conversion(
        Pure, MeanConcentrated, "epsilon tanh(epsilon / 2), epsilon", "Dwork and Rothblum 2016, theorem 3.5", rules.mean_from_pure
    ),
    Conversion(
        Pure, Renyi, "epsilon - log((1 + e^-epsilon) / (1 + e^-(2a - 1)epsilon)) / (a - 1)", _STEINKE, rules.renyi, "order", True
    ),
    Conversion(
        Pure,
        GaussianPrivacy,
        "2 quantile(e^epsilon / (1 + e^epsilon))",
        "a convex curve through the corner lies below the chords (Dong, Roth and Su 2022, figure 3)",
        rules.gaussian_from_pure,
        tight=True,
    ),
    Conversion(Pure, KullbackLeibler, "epsilon tanh(epsilon / 2)", _STEINKE, rules.divergence, tight=True),
    Conversion(Pure, TotalVariation, "tanh(epsilon / 2)", _KOV, rules.variation, tight=True),
    Conversion(Pure, MutualInformation, "epsilon tanh(epsilon / 2)", _CUFF, rules.information),
    Conversion(
        Approximate,
        Probabilistic,
        "epsilon', delta / (1 - e^(epsilon - epsilon'))",
        _TAIL,
        rules.probabilistic_from_approximate,
        "epsilon",
    ),
    Conversion(
        Approximate,
        Concentrated,
        "epsilon tanh(epsilon / 2), delta",
        f"{_KOV}; {_BS}, section 8",
        rules.concentrated_from_approximate,
        tight=True,
    ),
    Conversion(Approximate, TotalVariation, "delta + (1 - delta) tanh(epsilon / 2)", _KOV, rules.variation, tight=True),
    Conversion(
        Probabilistic, Approximate, "epsilon, delta", "E[(1 - e^(epsilon - L))+] <= Pr[L > epsilon]", rules.approximate_as_it_is
    ),
    Conversion(
        Probabilistic,
        Concentrated,
        "epsilon tanh(epsilon / 2), delta",
        f"through Approximate; {_BS}, section 8",
        rules.concentrated_from_approximate,
    ),
    Conversion(
        Probabilistic, TotalVariation, "delta + (1 - delta) tanh(epsilon / 2)", f"through Approximate; {_KOV}", rules.variation
    ),
    Conversion(
        Concentrated,
        Approximate,
        "least over orders a of rho a + log(1 - 1/a) - log(a delta) / (a - 1), delta",
        _CKS,
        rules.approximate,
        "delta",
    ),
    Conversion(
        Concentrated, Probabilistic, "rho + 2 sqrt(rho log(1 / delta)), delta", _MARKOV, rules.probabilistic_from_line, "delta"
    ),
    Conversion(Concentrated, Truncated, "rho, omega", _DEFINITION, rules.truncated, "omega", True),
    Conversion(Concentrated, Renyi, "rho a", _DEFINITION, rules.renyi, "order", True),
    Conversion(Concentrated, KullbackLeibler, "rho", _ORDER, rules.divergence, tight=True),
    Conversion(Concentrated, TotalVariation, "sqrt(rho / 2) or sqrt(1 - e^-rho)", _PINSKER, rules.variation),
    Conversion(Concentrated, MutualInformation, "rho", _CUFF, rules.information),
    Conversion(Truncated, Approximate, "the same over orders below omega, delta", _CKS, rules.approximate, "delta"),
    Conversion(
        Truncated,
        Probabilistic,
        "rho a + log(1 / delta) / (a - 1) at the best a below omega, delta",
        _MARKOV,
        rules.probabilistic_from_line,
        "delta",
    ),
    Conversion(Truncated, Renyi, "rho a, for a < omega", _DEFINITION, rules.renyi, "order", True),
    Conversion(Truncated, KullbackLeibler, "rho", _ORDER, rules.divergence, tight=True),
    Conversion(Truncated, TotalVariation, "sqrt(rho / 2) or sqrt(1 - e^-rho)", _PINSKER, rules.variation),
    Conversion(Truncated, MutualInformation, "rho", _CUFF, rules.information),
    Conversion(
        MeanConcentrated,
        Approximate,
        "least over orders, of the curve mean + (a - 1) spread^2 / 2, delta",
        _CKS,
        rules.approximate,
        "delta",
    ),
    Conversion(
        MeanConcentrated,
        Probabilistic,
        "mean + spread sqrt(2 log(1 / delta)), delta",
        _MARKOV,
        rules.probabilistic_from_line,
        "delta",
    ),
    Conversion(
        MeanConcentrated, Concentrated, "max(mean, spread^2 / 2)", _DEFINITION, rules.concentrated_from_moments, tight=True
    ),
    Conversion(MeanConcentrated, Truncated, "max(mean, spread^2 / 2), omega", _DEFINITION, rules.truncated, "omega"),
    Conversion(MeanConcentrated, Renyi, "mean + (a - 1) spread^2 / 2", _DEFINITION, rules.renyi, "order", True),
    Conversion(MeanConcentrated, KullbackLeibler, "mean", _DEFINITION, rules.divergence, tight=True),
    Conversion(MeanConcentrated, TotalVariation, "sqrt(mean / 2) or sqrt(1 - e^-mean)", _PINSKER, rules.variation),
    Conversion(MeanConcentrated, MutualInformation, "mean", _CUFF, rules.information),
    Conversion(Renyi, Approximate, "epsilon + log(1 - 1/a) - log(a delta) / (a - 1), delta", _CKS, rules.approximate, "delta"),
    Conversion(
        Renyi, Probabilistic, "epsilon + log(1 / delta) / (a - 1), delta", _MARKOV, rules.probabilistic_from_renyi, "delta"
    ),
    Conversion(Renyi, Truncated, "epsilon, order", _ORDER, rules.truncated_from_renyi),
    Conversion(Renyi, KullbackLeibler, "epsilon", _ORDER, rules.divergence),
    Conversion(Renyi, TotalVariation, "sqrt(epsilon / 2) or sqrt(1 - e^-epsilon)", f"{_ORDER}; {_PINSKER}", rules.variation),
    Conversion(Renyi, MutualInformation, "epsilon", f"{_ORDER}; {_CUFF}", rules.information),
    Conversion(
        GaussianPrivacy,
        Approximate,
        "Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) = delta, solved",
        "Dong, Roth and Su 2022, corollary 2.13; Balle and Wang 2018, theorem 8",
        rules.approximate,
        "delta",
        True,
    ),
    Conversion(
        GaussianPrivacy,
        Probabilistic,
        "mu^2 / 2 + mu sqrt(2 log(1 / delta)), delta",
        f"through zCDP; {_MARKOV}",
        rules.probabilistic_from_line,
        "delta",
    ),
    Conversion(
        GaussianPrivacy,
        Concentrated,
        "mu^2 / 2",
        f"Dong, Roth and Su 2022, corollary B.6; {_BS}, proposition 1.6",
        rules.concentrated_from_moments,
        tight=True,
    ),
    Conversion(
        GaussianPrivacy, Truncated, "mu^2 / 2, omega", "Dong, Roth and Su 2022, corollary B.6", rules.truncated, "omega", True
    ),
    Conversion(GaussianPrivacy, Renyi, "a mu^2 / 2", "Dong, Roth and Su 2022, corollary B.6", rules.renyi, "order", True),
    Conversion(
        GaussianPrivacy, KullbackLeibler, "mu^2 / 2", "Dong, Roth and Su 2022, corollary B.6", rules.divergence, tight=True
    ),
    Conversion(
        GaussianPrivacy,
        TotalVariation,
        "2 Phi(mu / 2) - 1",
        "Dong, Roth and Su 2022, corollary 2.13",
        rules.variation,
        tight=True,
    ),
    Conversion(GaussianPrivacy, MutualInformation, "mu^2 / 2", _CUFF, rules.information),
    Conversion(KullbackLeibler, Approximate, "0, the total variation", _PINSKER, rules.approximate_from_variation),
    Conversion(
        KullbackLeibler,
        Probabilistic,
        "epsilon', (epsilon + total variation) / epsilon'",
        "E[max(L, 0)] <= E[L] + total variation; Markov",
        rules.probabilistic_from_divergence,
        "epsilon",
    ),
    Conversion(KullbackLeibler, TotalVariation, "sqrt(epsilon / 2) or sqrt(1 - e^-epsilon)", _PINSKER, rules.variation),
    Conversion(KullbackLeibler, MutualInformation, "epsilon", _CUFF, rules.information),
    Conversion(TotalVariation, Approximate, "0, delta", _DEFINITION, rules.approximate_from_variation, tight=True),
    Conversion(
        TotalVariation,
        Probabilistic,
        "epsilon', delta / (1 - e^-epsilon')",
        _TAIL,
        rules.probabilistic_from_approximate,
        "epsilon",
    ),
    Conversion(
        TotalVariation,
        Concentrated,
        "0, delta",
        f"through Approximate; {_BS}, section 8",
        rules.concentrated_from_approximate,
        tight=True,
    ),
    Conversion(
        MutualInformation,
        Approximate,
        "0, sqrt(2 epsilon)",
        "Cuff and Yu 2016, theorem 1: Pinsker from the mixture",
        rules.approximate_from_variation,
    ),
    Conversion(
        MutualInformation,
        Probabilistic,
        "epsilon', sqrt(2 epsilon) / (1 - e^-epsilon')",
        f"through TotalVariation; {_TAIL}",
        rules.probabilistic_from_approximate,
        "epsilon",
    ),
    Conversion(
        MutualInformation,
        TotalVariation,
        "sqrt(2 epsilon)",
        "Cuff and Yu 2016, theorem 1: Pinsker from the mixture",
        rules.variation,
    ),
)
_TABLE = {(conversion.source, conversion.target): conversion for conversion in CONVERSIONS}

_FAILING = (Approximate, Probabilistic, TotalVariation)  # with probability delta anything may be shown
_MEANS = (KullbackLeibler, MutualInformation)
_UNLIMITED = (Concentrated, MeanConcentrated)
_LIMITED = (Truncated, Renyi)


def _missing() -> dict[tuple[type[Dialect], type[Dialect]], str]:
    outright = "with probability delta the output may tell the worlds apart outright"
    average = "an average over outputs leaves rare outputs free, and higher orders unbounded"
    heavy = "orders from the last one on are unbounded, so rare outputs may tell far more"
    reasons: dict[tuple[type[Dialect], type[Dialect]], str] = {}
    targets: tuple[type[Dialect], ...] = (Pure, Truncated, MeanConcentrated, Renyi, GaussianPrivacy, KullbackLeibler)
    for target in targets:
        reasons |= {(source, target): f"{outright}, where its loss is infinite" for source in _FAILING}
    reasons |= {
        (source, MutualInformation): "how much a failure tells depends on the number of possible records" for source in _FAILING
    }
    targets = (Pure, Concentrated, Truncated, MeanConcentrated, Renyi, GaussianPrivacy)
    for target in targets:
        reasons |= {(source, target): average for source in _MEANS}
    reasons[MutualInformation, KullbackLeibler] = "information counts a failure by its probability, divergence makes it infinite"
    unbounded = "Gaussian noise satisfies it, and its log ratio is unbounded"
    reasons |= {(source, Pure): unbounded for source in (*_UNLIMITED, *_LIMITED, GaussianPrivacy)}
    targets = (Concentrated, MeanConcentrated, GaussianPrivacy)
    for target in targets:
        reasons |= {(source, target): heavy for source in _LIMITED}
    reasons |= {
        (source, GaussianPrivacy): "no theorem gives a mu in closed form; read its trade-off curve" for source in _UNLIMITED
    }
    reasons[Concentrated, MeanConcentrated] = (
        "known only up to an unspecified constant, and post-processing loses it (Bun and Steinke 2016)"
    )
    reasons[GaussianPrivacy, MeanConcentrated] = (
        "a post-processed Gaussian keeps the curve and may lose the subgaussian lower tail"
    )
    return {pair: reason for pair, reason in reasons.items() if pair not in _TABLE}


MISSING = _missing()
