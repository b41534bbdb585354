"""Noise: exact draws beside numpy's unsafe generator, which is the limit, and beside OpenDP. One interleaved run, CPU time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from typing import Any

import numpy as np

from report import Bar, Result, publish
from timing import first, interleaved
from twoworlds.sampling import draws
from twoworlds.sampling.draws import Supply, draw, draw_one
from twoworlds.sampling.entropy import SYSTEM
from twoworlds.sampling.ranges import in_steps
from twoworlds.worlds.distributions import (
    DiscreteGaussian,
    Distribution,
    Exponential,
    Gaussian,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
)

MILLION = 1_000_000
LARGE = 2**20
SCALAR = 100_000
PEER = 20_000  # OpenDP takes many seconds for a million
REPEATS = 10  # calls in a row, so that memory left or taken away by the contender before does not count
unsafe = np.random.default_rng()


@dataclass(frozen=True)
class Contender:
    """One way to draw: what it is compared with, and how many draws a call makes."""

    name: str
    call: Callable[[], object]
    beside: str = ""
    count: int = MILLION
    calls: int = REPEATS

    def run(self) -> None:
        for _ in range(self.calls):
            self.call()


def ours(law: Distribution, beside: str, *, steady: bool = False) -> Contender:
    name = f"{law}, constant time" if steady else str(law)
    return Contender(name, lambda: draw(law, MILLION, constant_time=steady), beside)


def numpys(scale: int) -> list[Contender]:
    """The nearest thing that numpy offers, rounded to integers where the law is a rounded one."""
    p = -np.expm1(-1 / scale)
    return [
        Contender(f"numpy laplace({scale})", lambda: unsafe.laplace(0, scale, MILLION)),
        Contender(f"numpy geometric difference({scale})", lambda: unsafe.geometric(p, MILLION) - unsafe.geometric(p, MILLION)),
        Contender(f"numpy rint normal({scale})", lambda: np.rint(unsafe.normal(0, scale, MILLION))),
    ]


def others() -> list[Contender]:
    """Laws for which there is no bar, beside numpy's."""
    return [
        Contender("numpy exponential(10)", lambda: unsafe.exponential(10, MILLION)),
        Contender("numpy gumbel(10)", lambda: unsafe.gumbel(0, 10, MILLION)),
        Contender("numpy negative_binomial(3, 0.1)", lambda: unsafe.negative_binomial(3, 0.1, MILLION)),
        Contender("numpy poisson difference(50)", lambda: unsafe.poisson(50, MILLION) - unsafe.poisson(50, MILLION)),
        ours(Exponential(10), "numpy exponential(10)"),
        ours(Gumbel(10), "numpy gumbel(10)"),
        ours(NegativeBinomial(3, "0.1"), "numpy negative_binomial(3, 0.1)"),
        ours(Skellam(50), "numpy poisson difference(50)"),
    ]


def scalars() -> list[Contender]:
    """One draw at a time, as a card's loop asks for them."""

    def serve() -> None:
        following = Supply(Laplace(10)).next
        for _ in range(SCALAR):
            following()

    return [
        Contender("Laplace(10), one by one from a supply", serve, "numpy laplace(10)", SCALAR),
        Contender("Laplace(10), draw_one", lambda: [draw_one(Laplace(10)) for _ in range(500)], "numpy laplace(10)", 500),
        Contender("Gaussian(10), draw_one", lambda: [draw_one(Gaussian(10)) for _ in range(500)], "numpy rint normal(10)", 500),
    ]


def opendp() -> list[Contender]:
    """OpenDP's discrete Laplace on a vector, as its users call it; nothing where it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return []
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    add_noise: Any = dp.m.make_laplace(*space, scale=10.0)
    zeros = [0] * PEER
    return [Contender("OpenDP discrete laplace(10)", lambda: add_noise(zeros), "numpy laplace(10)", PEER, calls=1)]


def cold() -> list[Contender]:
    """A million draws of a law for the first time: the table is built."""

    def build(law: Distribution) -> Callable[[], object]:
        return lambda: draws._Kept(law, in_steps(law, Fraction(1))).table.draw(MILLION, SYSTEM.stream())

    laws = ((Laplace(10), "numpy laplace(10)"), (Gaussian(LARGE), f"numpy rint normal({LARGE})"))
    return [Contender(f"{law}, table built anew", build(law), beside) for law, beside in laws]


def contenders() -> list[Contender]:
    laplace, normal = "numpy laplace({})", "numpy rint normal({})"
    found = [*numpys(10), *numpys(LARGE), *opendp()]
    for scale in (10, 100, LARGE, 2**50):
        near = 10 if scale < 1000 else LARGE  # numpy's cost does not depend on the scale
        found += [ours(Laplace(scale), laplace.format(near)), ours(Gaussian(scale), normal.format(near))]
    found += [ours(DiscreteGaussian(10), normal.format(10))]
    for scale in (10, LARGE):
        found += [ours(Laplace(scale), laplace.format(scale), steady=True)]
        found += [ours(Gaussian(scale), normal.format(scale), steady=True)]
    return [*found, *others(), *scalars(), *cold()]


def measure() -> Result:
    entrants = contenders()
    taken = interleaved({entrant.name: entrant.run for entrant in entrants})
    each = {entrant.name: taken[entrant.name] / (entrant.calls * entrant.count) for entrant in entrants}
    rows = [
        {
            "law": entrant.name,
            "draws a call": f"{entrant.count:,}",
            "ns each": 1e9 * each[entrant.name],
            "million a second": 1e-6 / each[entrant.name],
            "beside": entrant.beside or "the limit",
            "times as fast": each[entrant.beside] / each[entrant.name] if entrant.beside else 1.0,
        }
        for entrant in entrants
    ]
    peer = "OpenDP discrete laplace(10)"
    if peer not in each:
        rows.append(dict.fromkeys(rows[0], "not installed") | {"law": peer})
    return Result(
        title="Noise: draws of exact laws",
        rows=rows,
        notes=[
            "numpy's Generator is the limit: fast, predictable, and its floats leak; it is never used for a release",
            "numpy laplace draws continuous noise; the discrete Laplace made from numpy is the difference of two geometrics",
            f"OpenDP is called with a list of {PEER:,} integers, as its Python users call it",
            f"each turn is {REPEATS} calls in a row (one of OpenDP); what is shown is one draw",
            "draws are from the operating system's entropy through AES-256-CTR, tables are kept unless a row says otherwise",
            "first draws are timed inside new processes after `import twoworlds.sampling.draws` and the law's own module",
        ],
        bars=[*speed_bars(each), *first_bars()],
        versions={"opendp": metadata.version("opendp")} if peer in each else {},
    )


def speed_bars(each: dict[str, float]) -> list[Bar]:
    """Every ratio that was asked for, from this one run."""
    asked = [
        ("discrete Laplace at scale 10 beside numpy laplace", "numpy laplace(10)", "Laplace(10)", 5.0),
        ("the same beside numpy's discrete one", "numpy geometric difference(10)", "Laplace(10)", 5.0),
        ("rounded Gaussian at sigma 10 beside numpy rint normal", "numpy rint normal(10)", "Gaussian(10)", 4.0),
        ("discrete Laplace at scale 2^20 beside numpy laplace", f"numpy laplace({LARGE})", f"Laplace({LARGE})", 0.3),
        ("rounded Gaussian at sigma 2^20 beside numpy rint normal", f"numpy rint normal({LARGE})", f"Gaussian({LARGE})", 0.3),
        ("discrete Laplace at scale 10 beside OpenDP", "OpenDP discrete laplace(10)", "Laplace(10)", 1000.0),
    ]
    bars = []
    for bar, limit, mine, least in asked:
        if limit not in each:
            print(f"not measured: {bar}", file=sys.stderr)
            continue
        ratio = each[limit] / each[mine]
        bars.append(Bar(bar, f"at least {least:g} times as fast", f"{ratio:,.3g} times", ratio >= least))
    served = 1e6 * each["Laplace(10), one by one from a supply"]
    bars.append(Bar("scalar loop of 100,000 draws", "at most 0.3 us each", f"{served:.2g} us", served <= 0.3))
    return bars


# Beside the usual: standard deviations of 128, 1,000 and 2^20, and lists of many weights.
FIRST = (
    "Laplace(10)",
    "Gaussian(10)",
    "Gumbel(10)",
    "Skellam(50)",
    "NegativeBinomial(3, '1/10')",
    *(f"{law}({sigma})" for law in ("Laplace", "Gaussian", "DiscreteGaussian", "Gumbel") for sigma in (128, 1000, 2**20)),
    *(f"Skellam({sigma**2 // 2})" for sigma in (128, 1000, 2**20)),
    *(f"NegativeBinomial(4, '2/{sigma}')" for sigma in (128, 1000, 2**20)),
    *(f"NegativeBinomial('1/4', '1/{2 * sigma}')" for sigma in (128, 1000, 2**20)),
    "Categorical([1] + ['1/1000000'] * 1000)",
    "ExponentialWeights([0] * 999 + [1000], 1)",
)


def first_bars() -> list[Bar]:
    """The first draw of a process."""
    setup = "from twoworlds.sampling.draws import draw_one\nfrom twoworlds.worlds.distributions import *"
    bars = []
    for law in FIRST:
        spent = 1e3 * first(setup, f"draw_one({law})")
        bars.append(Bar(f"first draw in a new process, {law}", "at most 5 ms CPU", f"{spent:.2g} ms", spent <= 5))
    return bars


if __name__ == "__main__":
    publish(measure())
