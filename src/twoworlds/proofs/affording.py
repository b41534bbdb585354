"""The end of a trusted proof: the charges of all draws, within the bounds that exits keep, cost at most the price."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

from twoworlds.proofs.runs import Runs, State, formula, number
from twoworlds.worlds.errors import Unsupported

__all__ = ["Affording"]


class Affording(Runs):
    """Charges, scales and the price, as obligations on the parameters alone."""

    given: State

    def drawn(self, charge: str) -> tuple[str, ...]:
        scale, divisors = self.scales[charge]
        return (f"(< 0.0 {scale})", *(f"(distinct {divisor} 0.0)" for divisor in divisors))

    def idle(self, bound: str) -> str:
        """What makes a bound on charges void: none of them was ever made."""
        return f"(and {' '.join(f'(= {name} 0.0)' for name in self.charges if name in _tokens(bound))} true)"

    def bounds(self) -> list[str]:
        bounds = self.hints["bounds"]
        if not all(bound.startswith("(<= ") and len(_parts(bound)) == 3 for bound in bounds):
            raise Unsupported(1, "a bound on charges is no inequality", "Write it as (<= charges bound)")
        return [f"(or {self.idle(bound)} {bound})" for bound in bounds]

    def afford(self) -> None:
        """Whichever sites were drawn from, the charges within their bounds cost at most the price, or each purse its own."""
        charges = [self.symbol(name) for name in self.charges if name in self.scales]
        for name in charges:
            self.proportional(name)
        for count in range(1, len(charges) + 1):
            for chosen in combinations(charges, count):
                facts = [f"(<= 0.0 {name})" if name in chosen else f"(= {name} 0.0)" for name in self.charges]
                facts += [self.given.fill(self.hints["signs"][name[2:]]) for name in chosen if name[2:] in self.hints["signs"]]
                facts += [self.given.fill(bound) for bound in self.bounds()]
                for weight in dict.fromkeys(self.weight(name) for name in chosen):
                    facts += self.weighed(weight)
                for sites, price in self.purses:
                    paid = [name for name in chosen if sites is None or int(name[2:]) in sites]
                    total = " ".join(f"(* {number(self.rate(name)[1])} {self.weight(name)} {name})" for name in paid)
                    goal = f"(<= (+ {total} 0.0) {price})" if paid else f"(<= 0.0 {price})"
                    if sites is not None:  # where nothing is charged, it is enough that all purses together are not below 0
                        goal = f"(or (and {' '.join(f'(= {name} 0.0)' for name in chosen)} true) {goal})"
                    self.queries.append((tuple(facts), goal, "the charges cost at most the price"))

    def rate(self, name: str) -> tuple[str, Fraction]:
        """A site whose scale is this many times the scale of this one."""
        site, ratio = self.hints["rates"].get(name[2:], (name[2:], "1"))
        if Fraction(ratio) <= 0:
            raise Unsupported(1, f"a scale is said to be {ratio} times another", "Scales that are drawn with are above 0")
        return f"$K{site}", Fraction(ratio)

    def proportional(self, name: str) -> None:
        other, ratio = self.rate(name)
        if self.scales[other] != self.scales[name] or ratio != 1:
            equal = f"(= {self.scales[other][0]} (* {number(ratio)} {self.scales[name][0]}))"
            self.queries.append((self.drawn(name), equal, "one scale is a multiple of another"))

    def weight(self, name: str) -> str:
        """What one unit of the charge costs, in terms of its reference site: by / b for units of $u, else 1 / b."""
        unit = self.hints["shifts"][name[2:]][0]["charge"] is not None
        return self.symbol(f"{'$unit' if unit else '$size'}{self.rate(name)[0][2:]}")

    def weighed(self, weight: str) -> list[str]:
        """The weight's definition without division, and every bound multiplied by it."""
        scale, by = self.scales[f"$K{weight[5:]}"][0], formula(self.relation.by)
        above, below = _parts(scale)[1:] if scale.startswith("(/ ") else (scale, "1.0")
        unit = weight.startswith("$unit")
        facts = [f"(<= 0.0 {weight})", f"(= (* {above} {weight}) {f'(* {by} {below})' if unit else below})"]
        facts.append(f"(<= (* {weight} $u) (* {weight} {by}))")
        for bound in self.hints["bounds"]:
            _, low, high = _parts(bound)
            more = self.given.fill(f"(<= (* {weight} {low}) (* {weight} {high}))")
            facts.append(f"(or {self.idle(bound)} {more})")
        return facts


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\s()]+", text)


def _parts(text: str) -> list[str]:
    """The parts of an expression in brackets."""
    parts, depth = [""], 0
    for sign in text[1:-1]:
        depth += (sign == "(") - (sign == ")")
        if sign == " " and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]
