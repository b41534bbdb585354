"""How far a neighbour moves each step of a relation: Fuzz's metric types on plans, by the shared table of rules.

Every node gets a relation between neighbouring tables, a distance and the rule that says so. All that is private below a question
is one table; where users are protected, every step keeps a user's rows apart from those of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from twoworlds.queries.expressions import converted, elaborated, place_of, settled
from twoworlds.queries.functions.ranges import hull
from twoworlds.queries.lengths import checked
from twoworlds.queries.measures import Derivation
from twoworlds.queries.plan import (
    Aggregate,
    Call,
    Column,
    Distinct,
    Expression,
    JoinPublic,
    PerUser,
    Place,
    Relation,
    Sample,
    Scan,
    Select,
    Union,
    Where,
    joined_name,
)
from twoworlds.queries.policy import Policy, TablePolicy, Type
from twoworlds.queries.refusals import Refused, nearest
from twoworlds.queries.shapes import Shape, of_column
from twoworlds.worlds.neighbours import AddRemove, AddRemoveUser, Neighbours, Replace, User
from twoworlds.worlds.sensitivity import rule

__all__ = ["Moved", "moved"]

RELATIONS: Mapping[tuple[bool, str], type[Neighbours]] = {
    (True, "add_remove"): AddRemove,
    (True, "replace"): Replace,
    (False, "add_remove"): AddRemoveUser,
    (False, "replace"): User,
}
MOST_COLUMNS = 400


@dataclass(frozen=True)
class Moved:
    """A relation with what is known of it: columns, metric, distance, why, and at which rate its units were sampled.

    `lengths` are of the columns that were made, written out.
    """

    relation: Relation
    schema: Mapping[str, Shape]
    metric: type[Neighbours]
    distance: Fraction
    derivation: Derivation
    table: TablePolicy
    sampled: Fraction = Fraction(1)
    lengths: Mapping[str, int] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, Type]:
        return {name: shape.type for name, shape in self.schema.items()}

    @property
    def by_user(self) -> bool:
        """Whether whole users come and go."""
        return self.metric in (User, AddRemoveUser)


@dataclass(frozen=True)
class _Asked:
    policy: Policy
    text: str | None


def moved(relation: Relation, policy: Policy, text: str | None = None) -> Moved:
    """The relation, elaborated, with the distance between its two worlds."""
    return _moved(relation, _Asked(policy, text))


def _moved(relation: Relation, asked: _Asked) -> Moved:
    match relation:
        case Scan():
            return _scan(relation, asked)
        case Where(source, predicate):
            below = _moved(source, asked)
            found = _typed(predicate, below, asked, "boolean")[0]
            return _step(below, "filter", replace(relation, source=below.relation, predicate=found), "WHERE")
        case Select(source, columns):
            return _select(columns, _moved(source, asked), asked)
        case Union(left, right):
            return _union(_moved(left, asked), _moved(right, asked), asked)
        case Distinct(source):
            below = _moved(source, asked)
            return _step(below, "distinct", Distinct(below.relation), "DISTINCT")
        case Sample(source, rate):
            return _sample(_moved(source, asked), rate)
        case PerUser(source, columns):
            return _per_user(columns, _moved(source, asked), asked)
        case JoinPublic():
            return _join(relation, _moved(relation.source, asked), asked)


def _step(below: Moved, operation: str, relation: Relation, name: str, **parameters: object) -> Moved:
    """One step by one rule of the table."""
    used = rule(operation, below.metric)
    distance = used.bound([below.distance], parameters)
    derivation = Derivation(name, used.output.__name__, distance, f"{used.reason} [{used}]", (below.derivation,))
    return replace(below, relation=relation, metric=used.output, distance=distance, derivation=derivation)


def _scan(relation: Scan, asked: _Asked) -> Moved:
    table = asked.policy.tables.get(relation.table)
    if table is None:
        known = list(asked.policy.tables)
        raise Refused(
            "TW-R005",
            f"there is no table {relation.table}",
            text=asked.text,
            place=relation.place,
            repairs=nearest(relation.table, known),
        )
    metric = RELATIONS[table.unit.is_row, table.unit.relation]
    who = "one row" if table.unit.is_row else f"all rows of one {table.unit.column}"
    how = "is there or not" if table.unit.relation == "add_remove" else "may be any other"
    reason = f"The policy protects {who} of {table.name}, which {how}."
    schema = {name: of_column(column) for name, column in table.columns.items()}
    return Moved(
        relation, schema, metric, Fraction(1), Derivation(f"table {table.name}", metric.__name__, Fraction(1), reason), table
    )


def _typed(expression: Expression, below: Moved, asked: _Asked, wanted: str | None = None) -> tuple[Expression, Shape]:
    """An expression of the relation's rows, as it is looked at."""
    typing = settled(elaborated(expression, below.schema, asked.text))
    checked([typing[0]], below.types, below.lengths, asked.text)
    if wanted == "boolean":
        fitting = converted(typing, "boolean")
        if fitting is None:
            raise Refused(
                "TW-R007", f"a condition is wanted here, not a {typing[1].type}", text=asked.text, place=place_of(expression)
            )
        return fitting
    return typing


def _check_names(names: Iterable[str], asked: _Asked, place: Place | None = None) -> None:
    """An engine tells no capitals apart and takes the first of two columns of one name; names of ours begin with a space.

    So a second name for one of ours would put what an analyst likes in the place of the user.
    """
    seen: set[str] = set()
    for name in names:
        if name[:1].isspace():
            raise Refused("TW-R021", f"the name {name!r} begins with a space, as only our own do", text=asked.text, place=place)
        if name.lower() in seen:
            raise Refused("TW-R009", f"two columns are called {name}", text=asked.text, place=place)
        seen.add(name.lower())


def _select(columns: tuple[tuple[str, Expression], ...], below: Moved, asked: _Asked) -> Moved:
    if len(columns) > MOST_COLUMNS:
        raise Refused("TW-R017", f"a relation has at most {MOST_COLUMNS} columns", text=asked.text)
    typed = {name: _typed(expression, below, asked) for name, expression in columns}
    person = below.table.unit.column
    if person is not None and person in typed:
        raise Refused("TW-R021", f"{person} is the name of the users' column", text=asked.text, place=place_of(typed[person][0]))
    _check_names((*(name for name, _ in columns), *((person,) if person is not None else ())), asked)
    schema = {name: shape for name, (_, shape) in typed.items()}
    if person is not None:
        schema[person] = below.schema[person]
    relation = Select(below.relation, tuple((name, expression) for name, (expression, _) in typed.items()))
    lengths = dict(zip(typed, checked((one for one, _ in typed.values()), below.types, below.lengths, asked.text), strict=True))
    return replace(_step(below, "map", relation, "SELECT"), schema=schema, lengths=lengths)


def _union(left: Moved, right: Moved, asked: _Asked) -> Moved:
    """All rows of both. Both parts are of one table, so a user's rows in the union are made of that user's rows."""
    if left.table != right.table:
        raise Refused(
            "TW-R022", "the two parts ask different private tables", text=asked.text, repairs=("ask each of them alone",)
        )
    if set(left.schema) != set(right.schema) or left.by_user != right.by_user:
        raise Refused("TW-R022", "the two parts have different columns, or rows of different kinds", text=asked.text)
    left, right, schema = _alike(left, right, asked)
    relation = Union(left.relation, right.relation)
    lengths = {name: left.lengths.get(name, 0) + right.lengths.get(name, 0) for name in {**left.lengths, **right.lengths}}
    if left.by_user:
        found = _step(left, "flat_map", relation, "UNION ALL", most=2)
        derivation = replace(found.derivation, below=(left.derivation, right.derivation))
        return replace(found, schema=schema, derivation=derivation, sampled=Fraction(1), lengths=lengths)
    if left.metric is not right.metric:
        left, right = (
            one if one.metric is AddRemove else _step(one, "filter", one.relation, "all rows") for one in (left, right)
        )
    used = rule("union", left.metric, right.metric)
    distance = used.bound([left.distance, right.distance])
    reason = f"{used.reason} [{used}]"
    derivation = Derivation("UNION ALL", used.output.__name__, distance, reason, (left.derivation, right.derivation))
    return Moved(relation, schema, used.output, distance, derivation, left.table, lengths=lengths)


def _alike(left: Moved, right: Moved, asked: _Asked) -> tuple[Moved, Moved, Mapping[str, Shape]]:
    """Both parts with columns of the same types: whole numbers become reals beside reals."""
    schema: dict[str, Shape] = {}
    changed: tuple[dict[str, Expression], dict[str, Expression]] = ({}, {})
    for name, shape in left.schema.items():
        twin = right.schema[name]
        kinds = {shape.type, twin.type}
        if len(kinds) > 1 and kinds != {"integer", "real"}:
            raise Refused("TW-R022", f"{name} is {shape.type} in one part and {twin.type} in the other", text=asked.text)
        for part, side in zip((shape, twin), changed, strict=True):
            side[name] = (
                Column(name) if part.type == shape.type == twin.type or part.type == "real" else Call("real", (Column(name),))
            )
        values = (*shape.values, *twin.values) if shape.values is not None and twin.values is not None else None
        merged = None if values is None else tuple(dict.fromkeys(values))
        kind = "real" if len(kinds) > 1 else shape.type
        schema[name] = Shape(kind, hull([shape, twin]), shape.nullable or twin.nullable, merged)
    parts = [
        one
        if all(isinstance(expression, Column) for expression in side.values())
        else _step(
            one, "map", Select(one.relation, tuple(pair for pair in side.items() if pair[0] != one.table.unit.column)), "SELECT"
        )
        for one, side in zip((left, right), changed, strict=True)
    ]
    return parts[0], parts[1], schema


def _sample(below: Moved, rate: Fraction) -> Moved:
    """Each unit by its own coin. Where one unit is added or removed below, sampling amplifies."""
    relation = Sample(below.relation, rate)
    if below.by_user:
        found = _step(below, "filter", relation, "SAMPLE")
        reason = "Every possible user has a coin of their own, thrown beforehand; given the coins this is a filter. "
        found = replace(found, derivation=replace(found.derivation, because=reason + found.derivation.because))
    else:
        found = _step(below, "sample", relation, "SAMPLE")
    amplifies = below.distance == 1 and below.metric in (AddRemove, AddRemoveUser)
    return replace(found, sampled=below.sampled * rate if amplifies else Fraction(1))


def _per_user(columns: tuple[tuple[str, Aggregate], ...], below: Moved, asked: _Asked) -> Moved:
    person = below.table.unit.column
    if person is None or not below.by_user:
        raise Refused("TW-R018", "these rows are not users' rows, so they are not aggregated per user", text=asked.text)
    made: list[tuple[str, Aggregate]] = []
    schema: dict[str, Shape] = {}
    for name, asked_for in columns:
        found, schema[name] = _of_one_user(asked_for, below, asked)
        made.append((name, found))
    if person in schema:
        raise Refused("TW-R021", f"{person} is the name of the users' column", text=asked.text)
    _check_names((*(name for name, _ in columns), person), asked)
    schema[person] = below.schema[person]
    relation = PerUser(below.relation, tuple(made))
    return replace(_step(below, "per_user", relation, f"GROUP BY {person}"), schema=schema, lengths={})


def _of_one_user(given: Aggregate, below: Moved, asked: _Asked) -> tuple[Aggregate, Shape]:
    typed = [_typed(argument, below, asked) for argument in given.arguments]
    arguments = tuple(expression for expression, _ in typed)
    shape = typed[0][1] if typed else Shape("integer")
    numeric = shape.type in ("integer", "real")
    match given.kind:
        case "count" | "count_distinct":
            return replace(given, arguments=arguments), Shape("integer", None, False)
        case "sum" if numeric:
            return replace(given, arguments=arguments), Shape(shape.type, None, True)
        case "mean" if numeric:
            return replace(given, arguments=arguments), Shape("real", shape.bounds, True)
        case "minimum" | "maximum" if shape.type != "boolean":
            return replace(given, arguments=arguments), replace(shape, nullable=True)
    what = f"{given.kind} of {shape.type} values" if typed else given.kind
    raise Refused(
        "TW-R018",
        f"there is no {what} per user",
        text=asked.text,
        place=given.place,
        repairs=("use COUNT, SUM, AVG, MIN or MAX",),
    )


def _join(relation: JoinPublic, below: Moved, asked: _Asked) -> Moved:
    public = asked.policy.public.get(relation.public)
    if public is None:
        known = list(asked.policy.public)
        raise Refused(
            "TW-R005",
            f"there is no public table {relation.public}",
            text=asked.text,
            place=relation.place,
            repairs=nearest(relation.public, known),
        )
    for ours, theirs in relation.on:
        for name, columns in ((ours, below.schema), (theirs, public.columns)):
            if name not in columns:
                raise Refused(
                    "TW-R006",
                    f"there is no column {name}",
                    text=asked.text,
                    place=relation.place,
                    repairs=nearest(name, list(columns)),
                )
        kinds = below.schema[ours].type, public.columns[theirs]
        if kinds[0] != kinds[1]:
            reason = f"{ours} is {kinds[0]} and {public.name}.{theirs} is {kinds[1]}, so they are never equal"
            raise Refused("TW-R024", reason, text=asked.text, place=relation.place)
    schema, named = dict(below.schema), {name: joined_name(name, public.name, below.schema) for name in public.columns}
    _check_names((*schema, *named.values()), asked, relation.place)
    for name, kind in public.columns.items():
        values = public.values.get(name, (False, True) if kind == "boolean" else None)
        schema[named[name]] = Shape(kind, values=values)
    found = _step(below, "join_public", replace(relation, source=below.relation), f"JOIN {public.name}", most=public.most)
    return replace(found, schema=schema)
