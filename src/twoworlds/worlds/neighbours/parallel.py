"""Parallel composition: what releases on disjoint parts of one table cost together depends on how many parts a step can touch."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours.groups import Group
from twoworlds.worlds.neighbours.relation import Neighbours
from twoworlds.worlds.neighbours.tables import AddRemove, AddRemoveUser, Edit, Parts, Replace, User, rows_of
from twoworlds.worlds.rationals import exact

__all__ = ["parallel", "parts"]


def parts(relation: Neighbours, key: str | int | None = None) -> int:
    """In how many parts one step can change something, when each row goes to the part that a public rule names for it.

    An added or removed row is in one part. A replaced row leaves one part and may come back in another: two. A user may have
    rows in every part, unless the rule goes by the user's own column (`key`): then all of them are in one. A group of k steps
    touches k times as many. Whatever else is refused, because unknown means all.
    """
    if isinstance(relation, AddRemove | Parts):
        return 1
    if isinstance(relation, Replace | Edit):
        return 2
    if isinstance(relation, Group):
        return relation.k * parts(relation.relation, key)
    if isinstance(relation, User | AddRemoveUser):
        if key == relation.column and key is not None:
            return 1
        fix = f"Split by {relation.column!r} and say so with key={relation.column!r}, or compose the parts in sequence"
        raise BadArgument("key", key, f"is not the column of {relation}: one user may have rows in every part", fix)
    raise BadArgument(
        "relation",
        str(relation),
        "does not say how many parts one step can change",
        "Compose in sequence, or price the parts for AddRemove or Replace",
    )


def parallel(relation: Neighbours, costs: Iterable[object], key: str | int | None = None) -> Fraction:
    """The cost of releases on disjoint parts: of the costs, the largest that one step can incur together.

    That is the maximum under addition and removal (McSherry 2009, theorem 4) and the sum of the two largest under replacement,
    where one record can leave a part and enter another. Under replacement each cost must therefore hold in its part for a record
    that comes, a record that goes, and a record that changes there; for a group, for the whole group in one part, for all of it
    may lie there. Costs must add up under composition (epsilon, rho).
    """
    numbers = sorted((exact(cost, "costs") for cost in rows_of(costs, "costs")), reverse=True)
    if numbers and numbers[-1] < 0:
        raise BadArgument("costs", numbers[-1], "is below 0", "A release costs 0 or more")
    return sum(numbers[: parts(relation, key)], Fraction(0))
