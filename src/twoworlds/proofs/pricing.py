"""The smallest provable price of a card: candidates read off its noise, those below an exact loss left out, the rest proved.

A shift by u of noise with scale b costs u / b, so a price is a sum over the draws of the text: how often each is shifted, times
`by` over its scale. What is returned is proved like any stated price; that no smaller one is provable is not claimed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Pure
from twoworlds.proofs.alignments import options
from twoworlds.proofs.attempts import MOST_ALIGNMENTS, SHIFTED, Task
from twoworlds.proofs.effort import Effort, Exhausted
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.monomials import Monomial, monomial, total
from twoworlds.proofs.prover import proof, prove
from twoworlds.proofs.refuter import glance, refute
from twoworlds.proofs.search import candidates
from twoworlds.proofs.statements import Statement, Unread, stated, statements
from twoworlds.proofs.trials import trials
from twoworlds.source.program import Literal, Many, Name, Program, Return, walk
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import BadArgument, TwoWorldsError, Unsupported

__all__ = ["cheapest", "price"]

_MOST_SITES = 4
_MOST_PROOFS = 4  # proofs that are begun; most candidates fail in the trials, which are quick
_FEW_PROOFS, _FEW_ALIGNMENTS = 2, 3  # where more verdicts wait behind the price
_CUT = Fraction(1, 2**40)
_ROUNDING = 1e-9
_LONG, _MANY = 1_000, 3  # a list's length and a count, where candidates are put in order


def price(card: Card | str) -> Certificate:
    """The card's certificate at the smallest price for which a proof is found, whatever price it states; NOT PROVED if none is.

    A text must hold one card; it is parsed and never run. A price that is not pure is tried as it is stated.
    """
    if isinstance(card, str):
        found_all = statements(card)
        if len(found_all) != 1:
            raise Unsupported(1, f"the text holds {len(found_all)} cards", "Give the text of one card")
        found = found_all[0]
    elif isinstance(card, Card):
        found = stated(card)
    else:
        raise BadArgument("card", card, "is no card", "Give a function decorated with @mechanism(...), or the text of one")
    if isinstance(found, Unread):
        return prove(card)
    cheap = cheapest(found)
    return cheap if cheap is not None else replace(prove(card), details={})


def cheapest(found: Statement, briefly: bool = False) -> Certificate | None:
    """The certificate at the smallest price that can be proved; `briefly` gives up after a few seconds of work.

    Work is counted, never timed, so the answer is the same on every machine.
    """
    start = time.monotonic()
    try:
        tried = _Pricing(found, briefly)
        for text in tried.candidates():
            claim = replace(found, price=Pure(text))
            proved = proof(claim, _FEW_ALIGNMENTS if briefly else MOST_ALIGNMENTS)
            if proved is not None:
                details = {"neighbours": str(found.relation), **proved[1]}
                return Certificate(
                    found.name, found.digest, "PROVED", str(claim.price), proved[0], details, time.monotonic() - start
                )
    except Unsupported:
        return None
    return None


class _Pricing:
    """One card with the prices that it may have."""

    def __init__(self, found: Statement, briefly: bool = False) -> None:
        self.found, self.program, self.most = found, lower(found.program), _FEW_PROOFS if briefly else _MOST_PROOFS
        self.least = list(_losses(found, glance if briefly else refute))
        self.task = Task(self.program, found.relation, found.price, found.whole)
        self.guesses = _numbers_returned(self.program)

    def candidates(self) -> Iterator[str]:
        """Prices at which some alignment survives the trials, smallest first where lists are long."""
        begun = 0
        for text in sorted(set(self.written()), key=self.size):
            if self.is_possible(text) and self.survives(text):
                yield text
                begun += 1
            if begun == self.most:
                return

    def written(self) -> Iterator[str]:
        if isinstance(self.found.price, Pure):
            yield str(self.found.price.epsilon)
        rates = [rate for draw in self.program.draws if draw.noise.law in SHIFTED and (rate := self.rate(draw)) is not None]
        if not rates or len(rates) > _MOST_SITES:
            return
        for times in product(self.times(), repeat=len(rates)):
            yield total(time * rate for time, rate in zip(times, rates, strict=True))

    def rate(self, draw: Any) -> Monomial | None:
        """What a shift by the whole bound costs."""
        scale, by = monomial(draw.noise.arguments[0]), monomial(self.found.relation.by)
        return None if scale is None or by is None or not scale.factor else by / scale

    def times(self) -> list[Monomial]:
        """How often a draw may be shifted: never, once or twice, in all, per counted event or per entry of the list."""
        counts: list[Mapping[str, int]] = [{}, *({name: 1} for name in sorted(self.found.whole))]
        if _is_list(self.found):
            counts.append({f"len({self.found.relation.parameter})": 1})
        return [Monomial(Fraction(0)), *(Monomial(Fraction(units), powers) for powers in counts for units in (1, 2))]

    def size(self, text: str) -> tuple[Fraction, int, str]:
        values: dict[str, Any] = {
            name: Fraction(_MANY if name in self.found.whole else 1) for name in self.found.program.parameters
        }
        values[self.found.relation.parameter] = [0] * _LONG
        try:
            return Pure(text).at(values)["epsilon"], len(text), text
        except TwoWorldsError:
            return Fraction(10**9), len(text), text

    def is_possible(self, text: str) -> bool:
        """Whether no known loss is above the price."""
        try:
            return all(float(Pure(text).at(values)["epsilon"]) >= epsilon - _ROUNDING for values, epsilon in self.least)
        except TwoWorldsError:
            return True

    def survives(self, text: str) -> bool:
        """Whether some alignment keeps both runs together at this price wherever it is tried."""
        found, claim = self.found, Pure(text)
        if not self.task.shifted:
            return True
        seen = trials(self.program, found.relation, claim, found.whole)
        directed = type(found.relation).__name__ == "Monotone"
        for names in ((), self.guesses):
            menu = options(self.program, found.relation.parameter, self.task.shifted, names, directed)
            with suppress(Exhausted):
                if next(candidates(self.program, menu, seen, Effort()), None) is not None:
                    return True
        return False


def _losses(found: Statement, refuted: Callable[[Statement], Any]) -> Iterator[tuple[Mapping[str, Any], float]]:
    """Exact losses of some neighbouring worlds, with the parameters there: no price is below them."""
    for case in found.worst:
        with suppress(TwoWorldsError, ArithmeticError, TypeError, ValueError):
            table = tabulate(found.program, case.world, case.other, neighbours=found.relation, cut=_CUT, **case.at)
            yield {**case.at, found.relation.parameter: case.world}, table.epsilon.lower
    for claim in (replace(found, worst=()), replace(found, price=Pure(0), worst=())):
        seen = refuted(claim)
        if seen is None or seen.details.get("epsilon") is None:
            continue
        details = seen.details
        public = {name: Fraction(str(value)) for name, value in details["parameters"].items() if not isinstance(value, list)}
        yield {**public, found.relation.parameter: details["world"]}, details["epsilon"]
        for length, epsilon in details.get("growth") or ():
            yield {**public, found.relation.parameter: [0] * int(length) if _is_list(found) else 0}, epsilon


def _numbers_returned(program: Program) -> tuple[Name, ...]:
    """Ghosts of the numbers in the output, which an alignment may guess."""
    found: dict[str, None] = {}
    for node in walk(program.body):
        if isinstance(node, Return):
            for at, part in enumerate(node.value.entries if isinstance(node.value, Many) else (node.value,)):
                if not isinstance(part, Literal) or isinstance(part.value, Fraction):
                    found[f"$o{at}"] = None
    return tuple(map(Name, found))


def _is_list(found: Statement) -> bool:
    return hasattr(found.relation, "norm") or hasattr(found.relation, "relation")
