"""Outputs whose numbers share noise, written another way: each number less multiples of the ones before it.

Running totals share all but one draw; their differences share none. Such a change of coordinates is a bijection of outputs, the
same in every world, so no divergence notices it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.exact.unseen import Linear

__all__ = ["Differences", "Encoding", "whole"]

Rule = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Encoding:
    """For each number of an output, which multiples of the earlier encoded numbers are taken away from it."""

    rules: tuple[Rule, ...]

    @staticmethod
    def of(numbers: Sequence[Any]) -> Encoding:
        """The encoding that leaves every draw in the first number that holds it alone."""
        owners: dict[int, tuple[int, Fraction]] = {}
        rules: list[Rule] = []
        encoded: list[Any] = []
        for place, number in enumerate(numbers):
            rule: dict[int, Fraction] = {}
            for draw, factor in number.terms if isinstance(number, Linear) else ():
                if draw in owners:
                    owner, own = owners[draw]
                    rule[owner] = factor / own
            rest = _less(number, rule, encoded)
            if isinstance(rest, Linear) and len(rest.terms) == 1:
                ((draw, factor),) = rest.terms
                owners.setdefault(draw, (place, factor))
            encoded.append(rest)
            rules.append(tuple(rule.items()))
        return Encoding(tuple(rules))

    @cached_property
    def is_plain(self) -> bool:
        return not any(self.rules)

    def encode(self, numbers: Sequence[Any]) -> list[Any]:
        if self.is_plain:
            return list(numbers)
        encoded: list[Any] = []
        for number, rule in zip(numbers, self.rules, strict=True):
            encoded.append(_less(number, dict(rule), encoded))
        return encoded

    def decode(self, numbers: Sequence[Any]) -> list[Any] | None:
        """The numbers themselves; None if one of them needs a number that is only known as a range."""
        if not all(isinstance(number, Fraction | int) for number in numbers):
            return None
        return [
            whole(number + sum(factor * numbers[place] for place, factor in rule))
            for number, rule in zip(numbers, self.rules, strict=True)
        ]


def whole(number: Any) -> Any:
    """Whole numbers as ints, as people write them."""
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def _less(number: Any, rule: dict[int, Fraction], encoded: Sequence[Any]) -> Any:
    for place, factor in rule.items():
        number = number - encoded[place] * factor
    return number


@dataclass(frozen=True)
class Differences:
    """A set of outputs by the differences of their numbers: some number is a range, and others are counted from it."""

    output: Any
    encoding: Encoding

    def __str__(self) -> str:
        return f"{self.output} as differences"
