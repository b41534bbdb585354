"""List experiments: how many of these statements do you support? Half of the people get a list with one sensitive statement more.

The count hides the sensitive answer only behind the person's other answers, and that randomness is not the mechanism's. So there
are two verdicts (Blair and Imai 2012 describe the design; the analysis here is by the definition):

- worst case over the record, which is differential privacy: all the mechanism draws is the group, so it is (0, P[treatment]) and
  no better at any epsilon; in a treated group that is known, nothing is hidden.
- under the written assumption that the attacker knows the other answers only by their probabilities: still epsilon = infinity for
  every design (the smallest and the largest count betray the answer), with a delta that good designs lower but never to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq_poly

from twoworlds.exact.oneway import Row
from twoworlds.exact.table import Table
from twoworlds.exact.weights import rational
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import probability

__all__ = ["ListExperiment"]


@dataclass(frozen=True)
class ListExperiment:
    """Statements that are not sensitive, by how likely the person supports each, and the chance to be in the treatment group."""

    items: tuple[Fraction, ...]
    treatment: Fraction

    @staticmethod
    def of(items: Sequence[object], treatment: object = "1/2") -> ListExperiment:
        if isinstance(items, str) or not items:
            raise BadArgument("items", items, "are no probabilities", "Give how likely each other statement is supported")
        return ListExperiment(tuple(probability(item, "items") for item in items), probability(treatment, "treatment"))

    @property
    def assumption(self) -> str:
        """What the distributional verdict rests on, and nothing else does."""
        chances = ", ".join(str(item) for item in self.items)
        return f"to the attacker, the answers to the other statements are independent coins with probabilities {chances}"

    def distributional(self, people: int = 1) -> Table:
        """The sum of the counts of this many treated people, one sensitive answer no or yes, under `assumption`."""
        if isinstance(people, bool) or not isinstance(people, int) or people < 1:
            raise BadArgument("people", people, "is not a whole number of 1 or more", "Say over how many people the sum is")
        law = fmpq_poly([1])
        for item in self.items:
            law *= fmpq_poly([rational(1 - item), rational(item)])
        law = law**people
        size = len(self.items) * people + 1
        masses = [law[count] for count in range(size)]
        return _table([*masses, rational(0)], [rational(0), *masses])

    def worst_case(self, *, group_is_public: bool = False) -> Table:
        """The count of one person whose other answers are known, the sensitive answer no or yes; the group is the only noise.

        Outputs are 0 and 1, the count beyond the other answers; where the group is public, this is the treatment group.
        """
        told = rational(1) if group_is_public else rational(self.treatment)
        return _table([rational(1), rational(0)], [1 - told, told])


def _table(law: list[object], other: list[object]) -> Table:
    rows = [Row(count, p, q) for count, (p, q) in enumerate(zip(law, other, strict=True)) if p != 0 or q != 0]
    return Table(tuple(rows), rational(0), rational(0), "list experiment")
