"""The last way to refute a claim: run the program in both worlds, learn an event, and confirm it on fresh runs.

The program that was parsed is run by the plain interpreter on exact noise; the file it came from never is. Worlds are chosen, the
event is learned and the bound is computed on three separate sets of runs, and the confidence is spent once, on the last. Noise
comes from a stream seeded with the program's hash, so the same program gets the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from twoworlds.audits.audit import Experiment, attack
from twoworlds.losses.prices import Approximate, Pure
from twoworlds.proofs.measures import CANNOT, priced
from twoworlds.proofs.patterns import Pair, is_list, pairs, settings
from twoworlds.proofs.refutations import plain
from twoworlds.proofs.statements import Statement
from twoworlds.sampling.draws import Supply
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.source.interpreter import interpret
from twoworlds.worlds.claims import Certificate, Evidence
from twoworlds.worlds.distributions import Bernoulli, BernoulliExp, Distribution
from twoworlds.worlds.rationals import float_above

__all__ = ["CONFIDENCE", "attacked", "evidence"]

CONFIDENCE = 1 - 1e-9
"""A verdict must not be a matter of luck: at 99.9 % every thousandth private program would be refuted."""
_LOOKS, _ENOUGH, _LOOK = 6, 24, 300
_LENGTHS = (4, 12)


def attacked(found: Statement, certificate: Certificate, runs: int) -> Certificate:
    """The certificate, or one that says REFUTED where fresh runs contradict the price."""
    shown = evidence(found, runs)
    if shown is None:
        return certificate
    pair, seen, price = shown
    if seen.epsilon_lower <= price:
        return certificate
    details = {
        "neighbours": str(found.relation),
        "world": plain(pair.one),
        "other": plain(pair.other),
        "parameters": {name: plain(value) for name, value in pair.public.items()},
        "event": seen.event,
        "epsilon": seen.epsilon_lower,
        "price": price,
        "confidence": seen.confidence,
        "runs": seen.trials,
        "rates": [1 - seen.points[0][1], seen.points[0][0]],
        "grows": False,
    }
    return replace(certificate, digest=found.digest, verdict="REFUTED", method="learned event, fresh runs", details=details)


def evidence(found: Statement, runs: int) -> tuple[Pair, Evidence, float] | None:
    """What so many runs in each world show of the most promising of a few pairs, and the price it is held against."""
    if not isinstance(found.price, Pure | Approximate):
        return None
    entropy = SeededEntropy(int(found.digest[:15], 16))
    best: tuple[float, Pair, float, float] | None = None
    looked = 0
    for pair in _pairs(found):
        if looked == _ENOUGH:
            break
        try:
            price = priced(found, pair)
            delta = float_above(price.get("delta", Fraction(0)))
            seen = attack(*_both(found, pair, entropy), trials=_LOOK, delta=delta, confidence=0.9)
        except CANNOT:
            continue
        looked += 1
        epsilon = float_above(price["epsilon"])
        score = seen.epsilon_lower / epsilon if epsilon else seen.epsilon_lower
        if best is None or score > best[0]:
            best = score, pair, epsilon, delta
    if best is None:
        return None
    _, pair, epsilon, delta = best
    try:
        return pair, attack(*_both(found, pair, entropy), trials=runs, delta=delta, confidence=CONFIDENCE), epsilon
    except CANNOT:
        return None


def _pairs(found: Statement) -> Iterator[Pair]:
    for public in settings(found):
        for length in _LENGTHS if is_list(found) else _LENGTHS[:1]:
            yield from islice(pairs(found, public, length), _LOOKS)


def _both(found: Statement, pair: Pair, entropy: SeededEntropy) -> tuple[Experiment, Experiment]:
    """The program in either world."""
    supplies: dict[Distribution, Supply] = {}

    def draw(_: int, law: Distribution) -> Any:
        if law not in supplies:
            supplies[law] = Supply(law, entropy=entropy)
        value = supplies[law].next()
        return bool(value) if isinstance(law, Bernoulli | BernoulliExp) else Fraction(value)

    def experiment(world: Any) -> Experiment:
        values = {**pair.public, found.relation.parameter: world}
        return lambda runs: [interpret(found.program, values, draw) for _ in range(runs)]

    return experiment(pair.one), experiment(pair.other)
