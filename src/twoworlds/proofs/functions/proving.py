"""A sensitivity proved or refuted: what fits the trials, reduced to what both runs keep; or two inputs that move too far.

    twoworlds.sensitivity(function)

The function is parsed, never run; two inputs that refute a claim are confirmed by the interpreter, exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.proofs.checker import with_z3
from twoworlds.proofs.functions.bounds import bounds, value
from twoworlds.proofs.functions.causes import cause
from twoworlds.proofs.functions.claims import Measure, Stated, stated_of
from twoworlds.proofs.functions.guesses import guesses
from twoworlds.proofs.functions.invariants import Invariants
from twoworlds.proofs.functions.reading import Function, from_file, from_function, from_text
from twoworlds.proofs.functions.runs import RELATIONS, obligations
from twoworlds.proofs.functions.settling import settled
from twoworlds.proofs.functions.trials import FAILURES, far, heads
from twoworlds.proofs.functions.worlds import Worlds, pairs
from twoworlds.source.program import While, walk
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import BadArgument, Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["certified", "sensitivities", "sensitivity"]

_PAIRS, _HEADS = 360, 90
_MOST_BOUNDS = 60
_FIRST = 20  # worlds that most candidates already fail on
_LARGE = 400  # a distance that only far-off numbers can make

Tried = tuple[Worlds, Any, Any, Fraction | None]


def sensitivity(
    function: Callable[..., Any] | str, *, neighbours: Neighbours | None = None, by: object = None, metric: Measure | None = None
) -> Certificate:
    """Whether a function's outputs are at most `by` apart on all neighbouring inputs, or two inputs that show otherwise.

    What is not said here is taken from `@sensitive(...)` on the function. Without `by` the smallest provable bound among the
    candidates is inferred. `metric` measures outputs: "L1" (for one number the absolute difference), "L2", "Linf", "discrete".
    A text is parsed and never run.
    """
    own = None if isinstance(function, str) else stated_of(function)
    if neighbours is None and (by is not None or metric is not None) and own is None:
        raise BadArgument(
            "neighbours", None, "is missing", 'Say which inputs are neighbours, such as neighbours=Each("xs", by=1)'
        )
    stated = own
    if neighbours is not None:
        stated = Stated.of(neighbours, by, metric or "L1")
    elif own is not None:
        stated = Stated.of(own.neighbours, by if by is not None else own.by, metric or own.metric)
    return certified(from_text(function, stated) if isinstance(function, str) else from_function(function, stated))


def sensitivities(text: str) -> Iterator[Certificate]:
    """A certificate for every function of a text that is decorated with @sensitive(...), one by one."""
    return map(certified, from_file(text))


def certified(function: Function) -> Certificate:
    """The certificate of a function that has been read."""
    start = time.monotonic()
    bound = "" if function.stated is None else function.stated.bound

    def certificate(verdict: Any, method: str, **details: Any) -> Certificate:
        known = (
            {} if function.stated is None else {"neighbours": str(function.stated.neighbours), "metric": function.stated.metric}
        )
        return Certificate(
            function.name,
            function.digest,
            verdict,
            details.pop("bound", bound),
            method,
            known | details,
            time.monotonic() - start,
        )

    try:
        return _decided(function, certificate)
    except Unsupported as why:
        return certificate("UNSUPPORTED", str(why), line=why.line)


def _decided(function: Function, certificate: Callable[..., Certificate]) -> Certificate:
    if function.why is not None:
        raise function.why
    assert function.program is not None and function.stated is not None
    relation = function.stated.neighbours
    if type(getattr(relation, "relation", relation)) not in RELATIONS:
        known = ", ".join(kind.__name__ for kind in RELATIONS)
        raise Unsupported(function.line, f"{relation} is not covered", f"Use {known}, or Monotone of one of them")
    tried = list(_tried(function))
    refuted = _refuted(function.stated, tried)
    if refuted is not None:
        return certificate("REFUTED", "two neighbouring inputs", **_shown(function, refuted))
    program = settled(function)
    seen = heads(program, [worlds for worlds, *_ in tried[:_HEADS]])
    found = Invariants(program, function.stated, function.whole, guesses(function, program, seen))
    found.settle()
    candidates = [function.stated.by] if function.stated.by is not None else _fitting(function, tried)
    proved = found.first_within(candidates)
    if proved is None:
        no_bound = cause(function, found.unmet) if _moves_far(tried) or found.unmet else None
        if no_bound is not None:
            raise no_bound
        return certificate("NOT PROVED", found.unmet or "no invariant of the known kinds carries the bound")
    stated = replace(function.stated, by=proved)
    hints = found.needed(proved)
    if (flaw := with_z3(obligations(program, stated, function.whole, hints))) is not None:
        return certificate("NOT PROVED", flaw)
    attained = next(
        (
            _shown(function, (worlds, one, two, apart))
            for worlds, one, two, apart in tried
            if apart and apart == _most(stated, worlds)
        ),
        None,
    )
    details = {} if attained is None else {"attained": attained}
    return certificate(
        "PROVED", "invariants of two runs", bound=stated.bound, by=str(proved), hints={"invariants": hints}, **details
    )


def _tried(function: Function) -> Iterator[Tried]:
    """Neighbouring inputs on which the function gives something in both worlds, with what it gives."""
    assert function.program is not None and function.stated is not None
    runs_on = any(isinstance(node, While) for node in walk(function.program.body))
    for worlds in pairs(function, _PAIRS):
        try:
            yield (worlds, *far(function.program, function.stated, worlds))
        except FAILURES as why:
            if runs_on and isinstance(why, Unsupported):
                raise  # a loop without an end would be run through in every other world too


def _public(stated: Stated, worlds: Worlds) -> Mapping[str, Any]:
    return {**worlds.public, stated.neighbours.parameter: worlds.one}


def _most(stated: Stated, worlds: Worlds) -> Fraction | None:
    """The bound at these parameters in the measure of `apart`; None where it is negative or has no value: no claim there."""
    assert stated.by is not None
    most = value(stated.by, _public(stated, worlds))
    if most is None or most < 0:
        return None
    return most * most if stated.metric == "L2" else most


def _refuted(stated: Stated, tried: Sequence[Tried]) -> Tried | None:
    """The smallest two inputs whose outputs are further apart than stated, or that no number measures."""
    found = [entry for entry in tried if entry[3] is None]
    if stated.by is not None:
        found += [
            entry for entry in tried if entry[3] is not None and (most := _most(stated, entry[0])) is not None and entry[3] > most
        ]
    return min(found, key=lambda entry: len(str(entry[0].one)) + len(str(entry[0].two)) + len(str(entry[0].public)), default=None)


def _fitting(function: Function, tried: Sequence[Tried]) -> list[Expression]:
    """Candidate bounds that nothing tried exceeds, smallest first."""
    assert function.stated is not None
    stated = function.stated
    measured = [(worlds, apart) for worlds, *_, apart in tried if apart is not None]
    found = []
    for formula in bounds(function):
        claim = replace(stated, by=formula)
        most = [_most(claim, worlds) for worlds, _ in measured[:_FIRST]]
        if all(known is None or apart <= known for known, (_, apart) in zip(most, measured, strict=False)):
            most += [_most(claim, worlds) for worlds, _ in measured[_FIRST:]]
            known = [(size, apart) for size, (_, apart) in zip(most, measured, strict=True) if size is not None]
            if 2 * len(known) >= len(most) and all(apart <= size for size, apart in known):
                found.append((sum((size for size, _ in known), Fraction(0)), len(str(formula)), formula))
    return [formula for *_, formula in sorted(found, key=lambda entry: entry[:2])[:_MOST_BOUNDS]]


def _moves_far(tried: Sequence[Tried]) -> bool:
    return any(apart is not None and apart >= _LARGE for *_, apart in tried)


def _shown(function: Function, found: Tried) -> dict[str, Any]:
    """Two inputs with both outputs, as plain data."""
    worlds, one, two, apart = found
    assert function.stated is not None
    most = None if function.stated.by is None else value(function.stated.by, _public(function.stated, worlds))
    shown = {
        "world": _plain(worlds.one),
        "other": _plain(worlds.two),
        "parameters": {name: _plain(given) for name, given in worlds.public.items()},
    }
    squared = " squared" if function.stated.metric == "L2" else ""
    return {
        **shown,
        "outputs": [_plain(one), _plain(two)],
        "distance": f"{apart}{squared}" if apart is not None else "not a number",
        "bound_there": None if most is None else str(most),
    }


def _plain(given: Any) -> Any:
    if isinstance(given, Fraction):
        return int(given) if given.denominator == 1 else str(given)
    return [_plain(entry) for entry in given] if isinstance(given, list | tuple) else given
