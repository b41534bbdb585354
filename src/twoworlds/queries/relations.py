"""Relations as text for the engine: every row carries its columns and, where users are protected, its user in a column of ours.

What one row of the result is made of is what the typing says: itself, for maps and filters; itself and public rows, for joins;
one user's rows, for what is made per user. No order in which rows are stored is read anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twoworlds.queries.expressions import type_of, written
from twoworlds.queries.plan import (
    Aggregate,
    Distinct,
    JoinPublic,
    PerUser,
    Relation,
    Sample,
    Scan,
    Select,
    Union,
    Where,
    joined_name,
)
from twoworlds.queries.policy import Policy, Type
from twoworlds.queries.sources import quoted, text
from twoworlds.worlds.errors import BadArgument

__all__ = ["USER", "Writing"]

USER = '" user"'
"""The user of a row: a name that no policy can declare, for names begin without a space."""

_HASHES = 2**64


@dataclass(frozen=True)
class Writing:
    """Writes relations of a policy. `salt` keys the hashes, and is new for every release."""

    policy: Policy
    salt: str = ""

    def relation(self, relation: Relation) -> str:
        """A table expression with the columns of the relation."""
        match relation:
            case Scan():
                unit = self.policy.tables[relation.table].unit
                user = f", {quoted(unit.column)} AS {USER}" if unit.column is not None else ""
                return f"(SELECT *{user} FROM {quoted(relation.table)})"
            case Where():
                kept = written(relation.predicate, self.types(relation.source))
                return f"(SELECT * FROM {self.relation(relation.source)} WHERE {kept})"
            case Select():
                types = self.types(relation.source)
                shown = [f"{written(value, types)} AS {quoted(name)}" for name, value in relation.columns]
                return f"(SELECT {', '.join([*shown, *self._carried(relation)])} FROM {self.relation(relation.source)})"
            case Union():
                names = ", ".join([*map(quoted, self.types(relation.left)), *self._user(relation)])
                parts = (f"SELECT {names} FROM {self.relation(side)}" for side in (relation.left, relation.right))
                return f"({' UNION ALL '.join(parts)})"
            case Distinct():
                return f"(SELECT DISTINCT * FROM {self.relation(relation.source)})"
            case Sample():
                drawn = self._user(relation) or [quoted(name) for name in self.types(relation.source)]
                coin = self.hashed(*drawn, str(_samples(relation.source)))
                below = f"CAST({int(relation.rate * _HASHES)} AS HUGEINT)"
                return f"(SELECT * FROM {self.relation(relation.source)} WHERE {coin} < {below})"
            case PerUser():
                return self._per_user(relation)
            case JoinPublic():
                return self._join(relation)

    def types(self, relation: Relation) -> Mapping[str, Type]:
        """The types of its columns."""
        match relation:
            case Scan():
                return {name: column.type for name, column in self.policy.tables[relation.table].columns.items()}
            case Select():
                types = self.types(relation.source)
                return {name: type_of(value, types) for name, value in relation.columns} | self._person(relation)
            case Union():
                return self.types(relation.left)
            case PerUser():
                types = self.types(relation.source)
                return {name: _made_type(aggregate, types) for name, aggregate in relation.columns} | self._person(relation)
            case JoinPublic():
                own, public = self.types(relation.source), self.policy.public[relation.public].columns
                return {**own, **{joined_name(name, relation.public, own): kind for name, kind in public.items()}}
        return self.types(relation.source)

    def hashed(self, *texts: str) -> str:
        """A keyed hash of what is given: 64 bits that nobody can foresee.

        Twice, for the engine's hash of several is an exclusive or: the salt would turn the same bits of all hashes over.
        """
        return f"hash(hash({', '.join([*texts, text(self.salt)])}))"

    def _person(self, relation: Relation) -> dict[str, Type]:
        """The users' own column with its type, where rows carry their user."""
        match relation:
            case Scan():
                table = self.policy.tables[relation.table]
                return {} if table.unit.column is None else {table.unit.column: table.columns[table.unit.column].type}
            case Union():
                return self._person(relation.left)
        return self._person(relation.source)

    def _user(self, relation: Relation) -> list[str]:
        return [USER] if self._person(relation) else []

    def _carried(self, relation: Relation) -> list[str]:
        """The user, for us and under the name of the users' own column."""
        return [*self._user(relation), *(f"{USER} AS {quoted(name)}" for name in self._person(relation))]

    def _per_user(self, node: PerUser) -> str:
        types = self.types(node.source)
        made = [f"{_one_users(aggregate, types)} AS {quoted(name)}" for name, aggregate in node.columns]
        rows = self.relation(node.source)
        return f"(SELECT {', '.join([*made, *self._carried(node)])} FROM {rows} WHERE {USER} IS NOT NULL GROUP BY {USER})"

    def _join(self, node: JoinPublic) -> str:
        """The first `most` public rows of each key, in an order of their content, however many there are."""
        public = self.policy.public[node.public]
        own, keys = self.types(node.source), [quoted(theirs) for _, theirs in node.on]
        shown = [f"p.{quoted(name)} AS {quoted(joined_name(name, node.public, own))}" for name in public.columns]
        ordered = ", ".join(quoted(name) for name in public.columns)
        number = f"row_number() OVER (PARTITION BY {', '.join(keys)} ORDER BY {ordered})"
        few = f'(SELECT * FROM (SELECT *, {number} AS " place" FROM {quoted(node.public)}) WHERE " place" <= {public.most})'
        on = " AND ".join(f"r.{quoted(mine)} = p.{quoted(theirs)}" for mine, theirs in node.on)
        return f"(SELECT {', '.join(['r.*', *shown])} FROM {self.relation(node.source)} AS r JOIN {few} AS p ON {on})"


def _samples(relation: Relation) -> int:
    """How often it was sampled: each time by other coins."""
    if isinstance(relation, Scan):
        return 0
    if isinstance(relation, Union):
        return max(_samples(relation.left), _samples(relation.right))
    return _samples(relation.source) + isinstance(relation, Sample)


def _one_users(aggregate: Aggregate, types: Mapping[str, Type]) -> str:
    """An aggregate of one user's rows. Whole numbers add up exactly, reals in the order of their size, never as stored."""
    value = written(aggregate.arguments[0], types) if aggregate.arguments else "*"
    if aggregate.kind in ("count", "minimum", "maximum"):
        return f"{ {'count': 'count', 'minimum': 'min', 'maximum': 'max'}[aggregate.kind] }({value})"
    if aggregate.kind == "count_distinct":
        return f"count(DISTINCT {value})"
    if aggregate.kind not in ("sum", "mean"):
        raise BadArgument("aggregate", aggregate.kind, "is not made per user", "Use count, sum, mean, min or max")
    whole = type_of(aggregate.arguments[0], types) == "integer"
    if whole and aggregate.kind == "sum":
        return f"TRY_CAST(sum({value}) AS BIGINT)"
    total = f"CAST(sum({value}) AS DOUBLE)" if whole else f"list_sum(list_sort(list({value}) FILTER ({value} IS NOT NULL)))"
    made = total if aggregate.kind == "sum" else f"{total} / count({value})"
    return f"(CASE WHEN count({value}) > 0 AND isfinite({made}) THEN {made} + 0e0 END)"


def _made_type(aggregate: Aggregate, types: Mapping[str, Type]) -> Type:
    if aggregate.kind in ("count", "count_distinct"):
        return "integer"
    return "real" if aggregate.kind == "mean" else type_of(aggregate.arguments[0], types)
