"""Approximate prices that are sums of a pure part and of concentrated parts, each of which may fail: how they are read.

Theorem. Let the draws of a program be of several kinds: along every path the charges of the first kind sum to epsilon at most,
and those of kind g, whose shifts are known before they are drawn, are concentrated and sum to rho_g at most. Then the program is
(epsilon + sum of rho_g + 2 sqrt(rho_g log(1 / delta_g)), sum of delta_g)-private. For the privacy loss of a tape is the sum of
the losses of its draws. Given the past, each draw of kind g multiplies the moment of order a - 1 by exp(a (a - 1) rho) at most,
and draws of other kinds leave it as it is; so kind g alone exceeds rho_g + 2 sqrt(rho_g log(1 / delta_g)) with a chance of
delta_g at most, as in the proof of proposition 1.3 of Bun and Steinke 2016, whichever way later draws depend on earlier ones
(Feldman and Zrnic 2021). On all other tapes the losses sum to the stated epsilon at most, and tapes of run 1 map to tapes of
run 2 one to one. (Where nothing is charged the loss is 0; the pure part must not be below 0 elsewhere.)

The alignment must be one for all outputs: what is shown of each output by itself does not add up when something is left over.
Where the price has a value, rho_g log(1 / delta_g) and log(1 / delta_g) are not below 0, and so neither is rho_g.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from twoworlds.losses.prices import Approximate
from twoworlds.proofs.ratios import Ratio, atom, constant, valued
from twoworlds.worlds.errors import Unsupported

__all__ = ["Parts", "names_in", "parts"]


@dataclass(frozen=True)
class Parts:
    """The pure part of an epsilon, and the concentrated ones."""

    pure: Ratio
    concentrated: tuple[Ratio, ...]


@dataclass
class _Functions:
    """Roots and logarithms as names, by what they are of."""

    known: dict[str, Ratio] = field(default_factory=dict)

    def apply(self, function: str, arguments: list[Ratio]) -> Ratio:
        if function not in ("sqrt", "log"):
            raise Unsupported(1, f"{function} is outside of approximate prices", "Use roots and logarithms")
        same = (name for name, of in self.known.items() if name.startswith(f"${function}") and _equal(of, arguments[0]))
        name = next(same, f"${function}!{len(self.known)}")
        self.known[name] = arguments[0]
        return atom(name)

    def named(self, function: str) -> list[str]:
        return [name for name in self.known if name.startswith(f"${function}")]


def parts(price: Approximate) -> Parts | None:
    """The parts of epsilon + rho + 2 sqrt(rho log(1 / delta)) + ..., if their deltas sum to that of the price."""
    functions = _Functions()
    try:
        epsilon, delta = (valued(formula, atom, functions.apply) for formula in (price.epsilon, price.delta))
        roots = functions.named("sqrt")
        for root in roots:
            epsilon = epsilon - 2 * atom(root)
        for chosen in product(*(_concentrated(functions, root) for root in roots)):
            if roots and _equal(sum((failure for _, failure in chosen), constant(0)), delta):
                pure = epsilon - sum((rho for rho, _ in chosen), constant(0))
                return None if _has_functions(pure) else Parts(pure, tuple(rho for rho, _ in chosen))
    except (Unsupported, LookupError, ArithmeticError):
        return None  # a price of another shape
    return None


def _concentrated(functions: _Functions, root: str) -> Iterator[tuple[Ratio, Ratio]]:
    """What rho and delta are in sqrt(rho log(1 / delta)); the logarithm may also be written -log(delta)."""
    inside = functions.known[root]
    for log in functions.named("log"):
        rho, of = inside / atom(log), functions.known[log]
        if not _has_functions(rho) and not _has_functions(of):
            yield rho, 1 / of
            yield -rho, of


def _has_functions(quotient: Ratio) -> bool:
    return any(name.startswith(("$sqrt", "$log")) for name in names_in(quotient))


def names_in(quotient: Ratio) -> frozenset[str]:
    return frozenset(name for part in (quotient.top, quotient.bottom) for monomial in part for name, _ in monomial)


def _equal(one: Ratio, other: Ratio) -> bool:
    return not (one - other).top
