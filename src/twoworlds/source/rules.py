"""What each operation makes of kinds: allowed where Python and the program give equal exact values, a clash everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from itertools import product

from twoworlds.source.kinds import (
    ARRAY,
    FRACTION,
    GRID,
    INDICES,
    INT,
    LIST,
    NATURAL,
    NONE,
    PARAMETER,
    RANGE,
    TEXT,
    TRUTH,
    WHOLE,
    Clash,
    Kind,
    Mark,
    join,
    several,
    single,
)

__all__ = ["Demand", "arithmetic", "call", "choose", "compare", "element", "index", "law", "logic", "negate", "truth"]


class Demand(Exception):
    """A parameter turns out to be something else than a number: the inference starts again knowing so."""

    def __init__(self, origin: tuple[str, int], what: str) -> None:
        self.origin, self.what = origin, what
        super().__init__(what)


_FLOAT = "Divide a parameter, or multiply by Fraction(1, 2); `//` is the whole quotient"


def number(kind: Kind, what: str) -> frozenset[str]:
    """The classes of a value that must be a number. None is let pass (a variable may start as None): it fails in every reader."""
    if kind.is_sequence:
        raise Clash(f"{what} is {kind}, where a number is needed", "Take one entry, or build a new list entry by entry")
    if TRUTH in kind.scalars:
        raise Clash(f"{what} is a truth value, where a number is needed", "Write `1 if flag else 0`")
    if TEXT in kind.scalars:
        raise Clash(f"{what} is {kind}, where a number is needed", "Use numbers here")
    return kind.numbers


def truth(kind: Kind, where: str) -> Kind:
    """A value that must be True or False."""
    if kind.origin is not None and kind.numbers and not kind.is_sequence:
        raise Demand(kind.origin, TRUTH)
    if kind.is_sequence or kind.scalars - {TRUTH}:
        raise Clash(f"{where} is {kind}, not a truth value", "Compare it: `x != 0`, `len(xs) > 0`, `x is not None`")
    return kind


def index(kind: Kind, what: str) -> Kind:
    """A value that must be a whole number that Python takes for an index, a count or a bound."""
    classes = number(kind, what)
    if not classes <= INDICES:
        raise Clash(f"{what} may be a fraction", "Use a whole number: a literal, len(xs), a loop index, a parameter, or `//`")
    return kind


def _both(one: Kind, other: Kind) -> Mark:
    return one.mark | other.mark


def arithmetic(op: str, left: Kind, right: Kind) -> Kind:
    """`left op right`, of numbers or entry by entry of arrays."""
    if left.is_sequence or right.is_sequence:
        return _entrywise(op, left, right)
    pairs = product(number(left, f"what stands left of `{op}`"), number(right, f"what stands right of `{op}`"))
    return single(*_result(op, pairs), mark=_both(left, right))


def _result(op: str, pairs: product[tuple[str, str]]) -> frozenset[str]:
    combine = _COMBINE.get(op, _ring)
    return frozenset().union(*(combine(op, a, b) for a, b in pairs))


def _ring(op: str, a: str, b: str) -> set[str]:
    """Sums, differences, products."""
    if a in WHOLE and b in WHOLE:
        return {NATURAL} if a == b == NATURAL and op != "-" else {INT}
    if GRID in (a, b):
        return {GRID} if {a, b} <= {GRID, *WHOLE} else {GRID, FRACTION}
    return {PARAMETER} if PARAMETER in (a, b) else {FRACTION}


def _quotient(_: str, a: str, b: str) -> set[str]:
    if a in WHOLE and b in WHOLE:
        raise Clash("both sides of `/` may be ints, and Python's quotient would be a float", _FLOAT)
    return {PARAMETER} if PARAMETER in (a, b) and GRID not in (a, b) else {FRACTION}


def _whole_quotient(_: str, a: str, b: str) -> set[str]:
    return {NATURAL} if a == b == NATURAL else {INT}


def _remainder(_: str, a: str, b: str) -> set[str]:
    if a in WHOLE and b in WHOLE:
        return {NATURAL} if b == NATURAL else {INT}
    return {PARAMETER} if PARAMETER in (a, b) and GRID not in (a, b) else {FRACTION}


def _power(_: str, a: str, b: str) -> set[str]:
    if b in (GRID, FRACTION):
        raise Clash("the exponent may be a fraction or a private number", "Use a literal, a loop index or a parameter")
    if a in WHOLE and b == INT:
        raise Clash("the exponent may be negative, and Python's power would be a float", "Write 1 / x ** n with a parameter x")
    if a == GRID:
        return {FRACTION}
    if PARAMETER in (a, b):
        return {PARAMETER}
    return {a}


_COMBINE: dict[str, Callable[[str, str, str], set[str]]] = {
    "/": _quotient,
    "//": _whole_quotient,
    "%": _remainder,
    "**": _power,
}


def _entrywise(op: str, left: Kind, right: Kind) -> Kind:
    """Arrays with arrays under + and -, with numbers under + - *; what Python does with plain lists is another thing."""
    for side in (left, right):
        if side.forms - {ARRAY} and side.is_sequence:
            reason = f"`{op}` is applied to {side}; between Python lists it joins or repeats them"
            raise Clash(reason, "Write a list comprehension: [x + y for x, y in zip(xs, ys)]")
        if side.is_sequence and side.scalars:
            raise Clash(f"one side of `{op}` is {side}", "Use one name for one kind of value")
    both = left.is_sequence and right.is_sequence
    if op not in ("+", "-", "*") or (op == "*" and both):
        raise Clash(f"`{op}` is applied to arrays", "Write a list comprehension: [x / y for x in xs]")
    parts = [side.entries if side.entries is not None else side for side in (left, right)]
    fitting = WHOLE if op == "*" else INDICES  # a public number off the grid is an error of the reader's when it runs
    for side in (left, right):
        if not side.is_sequence and not number(side, "what is combined with an array") <= fitting:
            raise Clash(f"an array is combined with {side}, which may lie off its grid", f"Write [x {op} y for x in xs]")
    entries = arithmetic(op, *parts)
    return several(ARRAY, entries, left.length | right.length, _both(left, right))


def negate(kind: Kind) -> Kind:
    """`-x`, of a number or of each entry of an array."""
    if kind.is_sequence:
        return _entrywise("-", single(NATURAL), kind)
    classes = number(kind, "what stands after `-`")
    return single(*(INT if c == NATURAL else c for c in classes), mark=kind.mark)


def compare(op: str, left: Kind, right: Kind) -> Kind:
    """A comparison; anything may be compared with None, otherwise both sides are numbers, or for == truth values or texts."""
    mark = left.flat() | right.flat()
    if op in ("==", "!="):
        if left.scalars == {NONE} or right.scalars == {NONE}:
            return single(TRUTH, mark=mark)
        for same in (TRUTH, TEXT):
            if same in left.scalars | right.scalars:
                return _alike(same, left, right, mark)
    for side, what in ((left, "left"), (right, "right")):
        number(side, f"what stands {what} of `{op}`")
    return single(TRUTH, mark=mark)


def _alike(same: str, left: Kind, right: Kind, mark: Mark) -> Kind:
    for side in (left, right):
        if same == TRUTH and side.origin is not None and side.numbers:
            raise Demand(side.origin, TRUTH)
        if side.is_sequence or side.scalars - {same, NONE}:
            raise Clash(f"{left} is compared with {right}", "Compare numbers with numbers, truth values with truth values")
    return single(TRUTH, mark=mark)


def logic(parts: list[Kind]) -> Kind:
    """`and`, `or`, `not`: truth values only."""
    for part in parts:
        truth(part, "what stands beside `and`, `or` or `not`")
    return single(TRUTH, mark=reduce(Mark.__or__, (part.mark for part in parts), Mark.PUBLIC))


def choose(test: Kind, then: Kind, otherwise: Kind) -> Kind:
    """`then if test else otherwise`."""
    truth(test, "the test of `if else`")
    return join((then, otherwise)).marked(test.mark).shared()


def entries_of(kind: Kind, what: str) -> Kind:
    """What the entries of a sequence may be."""
    if kind.entries is None:
        if kind.origin is not None and kind.numbers:
            raise Demand(kind.origin, LIST)
        if kind.scalars - {NONE}:
            raise Clash(f"{what} is {kind}, where a list is needed", "Use a list here")
        return Kind()
    if kind.scalars - {NONE}:
        raise Clash(f"{what} is {kind}", "Use one name for one kind of value")
    return kind.entries


def element(sequence: Kind, position: Kind) -> Kind:
    """`sequence[position]`."""
    entries = entries_of(sequence, "what is indexed")
    index(position, "the index")
    return entries.marked(sequence.mark | position.mark).shared()


# functions


def _magnitude(x: Kind) -> Kind:
    classes = number(x, "the argument of abs")
    return single(*(NATURAL if c == INT else c for c in classes), mark=x.mark)


def _argmax(xs: Kind) -> Kind:
    number(entries_of(xs, "the argument of argmax"), "an entry of it")
    return single(NATURAL, mark=xs.flat())


def _clip(x: Kind, low: Kind, high: Kind) -> Kind:
    bounds = (low, high)
    for bound in bounds:
        number(bound, "a bound of clip")
    if not x.is_sequence:
        number(x, "what is clipped")
        return replace(join((x, *bounds)), origin=x.origin)  # a parameter that is clipped may yet turn out to be a list
    if x.forms - {LIST, ARRAY} or len(x.forms) != 1:
        raise Clash(f"what is clipped is {x}", "Clip a number or a list of numbers")
    if ARRAY in x.forms and not low.numbers | high.numbers <= INDICES:
        raise Clash("an array is clipped at a bound that may lie off its grid", "Write [clip(x, low, high) for x in xs]")
    inside = _clip(entries_of(x, "what is clipped"), low, high)
    form = LIST if LIST in x.forms else ARRAY
    return several(form, inside, x.length, x.mark, owned=form == LIST)


def _summed(xs: Kind, what: str) -> Kind:
    """The kind of a running sum, which starts at the int 0."""
    entries = entries_of(xs, what)
    number(entries, f"an entry of {what}")
    total = single(NATURAL)
    while True:
        more = join((total, arithmetic("+", total, entries)))
        if more == total:
            return total.marked(xs.flat())
        total = more


def _cumsum(xs: Kind) -> Kind:
    sums = _summed(xs, "the argument of cumsum")
    if xs.forms - {LIST, RANGE, ARRAY} or len(xs.forms) > 1:
        raise Clash(f"the argument of cumsum is {xs}", "Sum up a list of numbers")
    form = ARRAY if ARRAY in xs.forms else LIST
    return several(form, sums, xs.length, xs.mark, owned=form == LIST)


def _fraction(*parts: Kind) -> Kind:
    for part in parts:
        number(part, "the argument of Fraction")
    return single(FRACTION, mark=reduce(Mark.__or__, (part.mark for part in parts)))


def _len(xs: Kind) -> Kind:
    entries_of(xs, "the argument of len")
    return single(NATURAL, mark=xs.mark | xs.length)


def _extreme(*values: Kind) -> Kind:
    if len(values) == 1:
        entries = entries_of(values[0], "the single argument of max or min")
        number(entries, "an entry of it")
        return single(*entries.scalars, mark=values[0].flat())
    for value in values:
        number(value, "an argument of max or min")
    return single(*join(values).scalars, mark=reduce(Mark.__or__, (value.mark for value in values)))


def _range(*bounds: Kind) -> Kind:
    for bound in bounds:
        index(bound, "a bound of range")
    mark = reduce(Mark.__or__, (bound.mark for bound in bounds))
    upward = len(bounds) == 1 or all(bound.scalars <= {NATURAL} for bound in (bounds[0], *bounds[2:]))
    return several(RANGE, single(NATURAL if upward else INT, mark=mark), mark, mark)


def _repeat(entries: Kind, count: Kind) -> Kind:
    index(count, "the number of repetitions")
    inside = entries_of(entries, "what is repeated")
    return several(LIST, inside.shared(), entries.length | count.mark, entries.mark, owned=True)


_CALLS: dict[str, tuple[Callable[..., Kind], int, int]] = {
    "abs": (_magnitude, 1, 1),
    "argmax": (_argmax, 1, 1),
    "clip": (_clip, 3, 3),
    "cumsum": (_cumsum, 1, 1),
    "Fraction": (_fraction, 1, 2),
    "len": (_len, 1, 1),
    "max": (_extreme, 1, 99),
    "min": (_extreme, 1, 99),
    "range": (_range, 1, 3),
    "repeat": (_repeat, 2, 2),
    "sum": (lambda xs: _summed(xs, "the argument of sum"), 1, 1),
}


def call(function: str, arguments: list[Kind]) -> Kind:
    """A listed function of these arguments."""
    rule, least, most = _CALLS[function]
    if not least <= len(arguments) <= most:
        raise Clash(f"`{function}` is called with {len(arguments)} arguments", "Give it its arguments by position")
    return rule(*arguments)


_ON_GRID = frozenset({"Laplace", "Exponential", "Gumbel", "Gaussian", "DiscreteGaussian"})
_COINS = frozenset({"Bernoulli", "BernoulliExp"})
_LISTS = frozenset({"Categorical", "ExponentialWeights"})
_PARAMETERS = {"NegativeBinomial": (2, 2), "ExponentialWeights": (1, 2)}  # all other laws take one


def law(name: str, arguments: list[Kind]) -> Kind:
    """One draw from a distribution."""
    least, most = _PARAMETERS.get(name, (1, 1))
    if not least <= len(arguments) <= most:
        raise Clash(
            f"`{name}` is given {len(arguments)} parameters", f"Give it {least}" + (f" or {most}" if most > least else "")
        )
    first, *others = arguments
    if name in _LISTS:
        first = entries_of(first, f"the first parameter of {name}")
    for argument in (first, *others):
        number(argument, f"a parameter of {name}")
    mark = reduce(Mark.__or__, (argument.flat() for argument in arguments)) | Mark.RANDOM
    if name in _COINS:
        return single(TRUTH, mark=mark)
    if name in _ON_GRID:
        return single(INT, GRID, mark=mark)
    return single(INT if name == "Skellam" else NATURAL, mark=mark)
