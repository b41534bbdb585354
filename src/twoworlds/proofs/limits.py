"""What a refutation gives as the grid goes to 0: the ratio of densities of one output, by quadrature with certified error.

On ever finer grids discrete Laplace and one-sided exponential noise tend to their continuous namesakes, and the ratio of the
chances of one output to the ratio of its densities there. The program is run on noise without values, every comparison answered
both ways in turn, which gives the paths to the output. On each, output numbers are solved for one draw each; of the other draws
all but one, the hub, must be bounded each by itself given the hub. What is left is an integral over the hub of a product of
distribution functions, analytic between finitely many points (ball arithmetic: Johansson 2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from flint import acb, arb

from twoworlds.exact.weights import ball, interval, log, precision
from twoworlds.proofs.patterns import Pair
from twoworlds.proofs.statements import Statement
from twoworlds.source.interpreter import interpret
from twoworlds.worlds.distributions import Exponential, Laplace
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["in_the_limit"]

_MOST_PATHS = 300
_TAIL = 120  # scales of the hub's noise that are integrated on either side
_BITS = 256


class _Unknown(Exception):
    """Noise or a path that is not of the kind that is integrated here."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """A sum of draws and a number; comparing it asks the path which way to go."""

    terms: Mapping[int, Fraction]
    offset: Fraction
    path: Path

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Noisy):
            terms = {draw: self.terms.get(draw, 0) + other.terms.get(draw, 0) for draw in {**self.terms, **other.terms}}
            kept = {draw: Fraction(factor) for draw, factor in sorted(terms.items()) if factor}
            offset = self.offset + other.offset
            return Noisy(kept, offset, self.path) if kept else offset
        return Noisy(self.terms, self.offset + other, self.path)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Noisy):
            raise _Unknown
        kept = {draw: factor * other for draw, factor in self.terms.items()}
        return Noisy(kept, self.offset * other, self.path) if other else Fraction(0)

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / Fraction(other))

    def __neg__(self) -> Any:
        return self * Fraction(-1)

    def __sub__(self, other: Any) -> Any:
        return self + other * Fraction(-1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def __gt__(self, other: Any) -> bool:
        difference = self - other
        return self.path.decide(difference) if isinstance(difference, Noisy) else difference > 0

    def __lt__(self, other: Any) -> bool:
        return not self > other

    __ge__, __le__ = __gt__, __lt__

    def __eq__(self, other: object) -> bool:
        """Two sums are equal where their draws cancel; else almost never."""
        if other is None or isinstance(other, bool | tuple | str):
            return False
        difference = self - other
        return not isinstance(difference, Noisy) and difference == 0

    __hash__ = object.__hash__


@dataclass
class Path:
    """Answers given in advance, then yes; the draws and the conditions that the run met."""

    answers: list[bool]
    laws: list[Any] = field(default_factory=list)
    conditions: list[Noisy] = field(default_factory=list)

    def draw(self, _: int, law: Any) -> Noisy:
        if not isinstance(law, Laplace | Exponential):
            raise _Unknown
        self.laws.append(law)
        return Noisy({len(self.laws) - 1: Fraction(1)}, Fraction(0), self)

    def decide(self, form: Noisy) -> bool:
        """Whether the form is above 0, which it then is on this path."""
        if len(self.conditions) == len(self.answers):
            self.answers.append(True)
        answer = self.answers[len(self.conditions)]
        self.conditions.append(form if answer else -form)
        return answer


def in_the_limit(found: Statement, pair: Pair, output: Any) -> tuple[float, float] | None:
    """Bounds on the ln ratio of the output's densities as the grid goes to 0; None where they are not known."""
    try:
        with precision(_BITS):
            worlds = ({**pair.public, found.relation.parameter: world} for world in (pair.one, pair.other))
            one, other = (_density(found, arguments, output) for arguments in worlds)
            if not (one > 0 and other > 0):
                return None
            ratio = interval(log(one / other))
            return ratio.lower, ratio.upper
    except (_Unknown, TwoWorldsError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        return None


def _density(found: Statement, arguments: Mapping[str, Any], output: Any) -> arb:
    """The density of the output where it has one, else its chance: the sum over all paths."""
    total, numbers = arb(0), set()
    for path, reached in _paths(found, arguments):
        equations = list(_equations(reached, output))
        if None in equations:
            continue
        forms = [form for form in equations if isinstance(form, Noisy)]
        numbers.add(len(forms))
        if len(forms) == len([form for form in equations if form is not True]):
            total += _integrated(path, forms)
    if len(numbers) > 1:
        raise _Unknown  # a density on some paths and a chance on others
    return total


def _paths(found: Statement, arguments: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Every run, depth first."""
    answers: list[bool] = []
    for _ in range(_MOST_PATHS):
        path = Path(answers)
        yield path, interpret(found.program, arguments, path.draw)
        while answers and not answers[-1]:
            answers.pop()
        if not answers:
            return
        answers = [*answers[:-1], False]
    raise _Unknown


def _equations(reached: Any, output: Any) -> Iterator[Any]:
    """What must be 0 for the output to be reached: a form, True where it is, None where it cannot be."""
    if isinstance(reached, tuple) or isinstance(output, tuple):
        if not (isinstance(reached, tuple) and isinstance(output, tuple) and len(reached) == len(output)):
            yield None
            return
        for part, wanted in zip(reached, output, strict=True):
            yield from _equations(part, wanted)
    elif isinstance(reached, Noisy):
        is_number = isinstance(output, Fraction)
        yield reached - output if is_number else None
    else:
        yield True if type(reached) is type(output) and reached == output else None


def _integrated(path: Path, equations: list[Noisy]) -> arb:
    """The integral over all draws that satisfy the path's conditions, with a density for each equation."""
    factors: list[Any] = []
    conditions: list[Any] = list(path.conditions)
    while equations:
        form = equations.pop()
        draw, slope = next(iter(form.terms.items()))
        solved = (
            (Noisy({draw: Fraction(1)}, Fraction(0), path) - form * (1 / slope)) if len(form.terms) > 1 else -form.offset / slope
        )
        factors = [(law, _put(at, draw, solved), scale) for law, at, scale in factors]
        factors.append((path.laws[draw], solved, 1 / abs(slope)))
        equations = [_put(other, draw, solved) for other in equations]
        conditions = [_put(other, draw, solved) for other in conditions]
        if not all(isinstance(other, Noisy) for other in equations):
            raise _Unknown
    settled = [form for form in conditions if not isinstance(form, Noisy)]
    if 0 in settled:
        raise _Unknown  # a tie, which every grid decides for itself
    if any(form < 0 for form in settled):
        return arb(0)
    return _Integral(path.laws, factors, [form for form in conditions if isinstance(form, Noisy)]).value()


def _put(form: Any, draw: int, value: Any) -> Any:
    if not isinstance(form, Noisy) or draw not in form.terms:
        return form
    rest = {other: factor for other, factor in form.terms.items() if other != draw}
    return value * form.terms[draw] + (Noisy(rest, form.offset, form.path) if rest else form.offset)


class _Integral:
    """One path's integral: a hub, the draws that are bounded given the hub, and densities that depend on the hub alone."""

    def __init__(self, laws: list[Any], factors: list[Any], conditions: list[Noisy]) -> None:
        self.laws, self.factors, self.conditions = laws, factors, conditions
        drawn = {draw for form in self.forms() for draw in form.terms}
        hubs = [hub for hub in sorted(drawn) if self.is_hub(hub)]
        if drawn and not hubs:
            raise _Unknown
        self.hub = hubs[0] if hubs else None
        self.bounds: dict[int, list[tuple[Fraction, Fraction, bool]]] = {}
        for form in conditions:
            for draw in [draw for draw in form.terms if draw != self.hub] or [-1]:
                slope = form.terms.get(draw, Fraction(1))
                lean = Fraction(0) if self.hub is None else form.terms.get(self.hub, Fraction(0))
                if draw == -1:  # the hub is its only draw
                    self.bounds.setdefault(-1, []).append((lean, form.offset, True))
                else:
                    self.bounds.setdefault(draw, []).append((-lean / slope, -form.offset / slope, slope > 0))

    def forms(self) -> Iterator[Noisy]:
        yield from self.conditions
        yield from (at for _, at, _ in self.factors if isinstance(at, Noisy))

    def is_hub(self, hub: int) -> bool:
        """Whether each condition holds at most one other draw, and densities none."""
        alone = all(len(form.terms.keys() - {hub}) <= 1 for form in self.conditions)
        return alone and all(set(at.terms) == {hub} for _, at, _ in self.factors if isinstance(at, Noisy))

    def value(self) -> arb:
        if self.hub is None:
            return self.at(acb(0), Fraction(0)).real
        reach = _TAIL * self.laws[self.hub].scale
        points = sorted({-reach, reach, *(point for point in self.breaks() if -reach < point < reach)})
        total = arb(0)
        for low, high in pairwise(points):
            piece = partial(self.on, (low + high) / 2)
            total += acb.integral(piece, acb(ball(low)), acb(ball(high))).real
        most = ball(1)
        for law, _, scale in self.factors:
            most *= ball(scale / law.scale)
        beyond = arb(0).union((-arb(_TAIL)).exp() * most)
        return total + beyond

    def breaks(self) -> Iterator[Fraction]:
        """Where a bound meets another or a kink of its law, or a density its own."""
        yield Fraction(0)
        lines = [(at.terms[self.hub or 0], at.offset) for _, at, _ in self.factors if isinstance(at, Noisy)]
        for bounds in self.bounds.values():
            lines += [(slope, constant) for slope, constant, _ in bounds]
            for slope, constant, _ in bounds:
                lines += [(slope - other, constant - far) for other, far, _ in bounds]
        yield from (-constant / slope for slope, constant in lines if slope)

    def on(self, middle: Fraction, x: acb, _: object) -> acb:
        """The integrand as flint calls it."""
        return self.at(x, middle)

    def at(self, x: acb, middle: Fraction) -> acb:
        """The integrand at x, as the analytic function that it is on the piece around `middle`."""
        value = acb(1)
        if self.hub is not None:
            value = _mass(self.laws[self.hub], x, middle)
        for law, at, scale in self.factors:
            slope, constant = (at.terms[self.hub or 0], at.offset) if isinstance(at, Noisy) else (Fraction(0), at)
            value *= _mass(law, x * ball(slope) + ball(constant), slope * middle + constant) * ball(scale)
        for draw, bounds in self.bounds.items():
            if draw == -1:
                if any(slope * middle + constant <= 0 for slope, constant, _ in bounds):
                    return acb(0)
                continue
            value *= self.between(draw, bounds, x, middle)
        return value

    def between(self, draw: int, bounds: list[tuple[Fraction, Fraction, bool]], x: acb, middle: Fraction) -> acb:
        """The chance that a draw lies between its bounds."""
        law, chance = self.laws[draw], acb(1)
        lows = [(slope * middle + constant, slope, constant) for slope, constant, is_low in bounds if is_low]
        highs = [(slope * middle + constant, slope, constant) for slope, constant, is_low in bounds if not is_low]
        if lows and highs and max(lows)[0] >= min(highs)[0]:
            return acb(0)
        if highs:
            there, slope, constant = min(highs)
            chance = _below(law, x * ball(slope) + ball(constant), there)
        if lows:
            there, slope, constant = max(lows)
            chance -= _below(law, x * ball(slope) + ball(constant), there)
        return chance


def _mass(law: Any, x: acb, there: Fraction) -> acb:
    """The density of a law, as it is on the side of its kink on which `there` lies."""
    scale = ball(law.scale)
    if isinstance(law, Exponential):
        return (-x / scale).exp() / scale if there >= 0 else acb(0)
    return ((-x if there > 0 else x) / scale).exp() / (2 * scale)


def _below(law: Any, x: acb, there: Fraction) -> acb:
    """The chance to be at most x, likewise."""
    scale = ball(law.scale)
    if isinstance(law, Exponential):
        return 1 - (-x / scale).exp() if there > 0 else acb(0)
    return 1 - (-x / scale).exp() / 2 if there > 0 else (x / scale).exp() / 2
