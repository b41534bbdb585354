"""A question and a policy give a typed question: every part with a bound, or a refusal. No data are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod

from twoworlds.queries.expressions import converted, elaborated, place_of, settled
from twoworlds.queries.lengths import checked
from twoworlds.queries.lowering import Lowering
from twoworlds.queries.measures import Derivation, Measure, Typed
from twoworlds.queries.moves import Moved, moved
from twoworlds.queries.plan import Aggregate, Call, Column, Constant, Expression, Key, Output, Query, Value
from twoworlds.queries.policy import Policy
from twoworlds.queries.refusals import Refused, nearest
from twoworlds.queries.shapes import Shape, finite_values
from twoworlds.worlds.neighbours import L1, AddRemove, AddRemoveUser
from twoworlds.worlds.sensitivity import rule

__all__ = ["MOST_GROUPS", "typed"]

MOST_GROUPS = 200_000
LISTS = ("histogram", "top")
"""Aggregates that answer several numbers: nothing is computed from them afterwards."""

Answer = tuple[Output, Shape, tuple[int, ...]]


def typed(query: Query, policy: Policy, text: str | None = None) -> Typed:
    """What the policy says of the question; `text` is what it was read from, for the places in refusals."""
    below = moved(query.source, policy, text)
    keys = [_key(key, below, text) for key in query.keys]
    unknown = any(key.values is None for key, _ in keys)
    _check_keys([key for key, _ in keys], unknown, below, policy, text)
    lowering = Lowering(below.schema, text)
    shapes = {key.name: shape for key, shape in keys}
    answers = _answers(query, shapes, lowering)
    aggregated = [
        one for output, _, _ in answers.values() if isinstance(output.value, Aggregate) for one in output.value.arguments
    ]
    checked([*(key.expression for key, _ in keys), *aggregated], below.types, below.lengths, text)
    if not lowering.measures and not unknown:
        raise Refused("TW-R020", "no aggregate is asked for", text=text, repairs=("SELECT COUNT(*)",))
    shapes |= {name: shape for name, (_, shape, _) in answers.items()}
    having = None if query.having is None else _condition(query.having, _single(shapes, answers), text)
    _check_names(query, shapes, text)
    return Typed(
        replace(
            query,
            source=below.relation,
            outputs=tuple(answers[output.name][0] for output in query.outputs),
            keys=tuple(key for key, _ in keys),
            having=having,
        ),
        below.table,
        below.distance,
        "add_remove" if below.metric in (AddRemove, AddRemoveUser) else "replace",
        tuple(lowering.measures),
        tuple(answers[output.name][2] for output in query.outputs),
        _conclusion(below, lowering.measures),
        unknown,
        below.by_user,
        below.sampled,
        below.schema,
        shapes,
    )


def _key(key: Key, below: Moved, text: str | None) -> tuple[Key, Shape]:
    """A key with its public values, the unknown one last; without values, groups are those that enough users have."""
    expression, shape = settled(elaborated(key.expression, below.schema, text))
    if isinstance(expression, Column) and expression.name == below.table.unit.column:
        repairs = ("SELECT ... FROM (SELECT ... GROUP BY user) for numbers per user", "COUNT(DISTINCT ...)")
        raise Refused(
            "TW-R021", f"groups of one {expression.name} each would be people", text=text, place=key.place, repairs=repairs
        )
    if key.values is not None:
        return replace(key, expression=expression), shape
    listed = finite_values(shape) if shape.type != "real" else None
    values: tuple[Value, ...] | None = None
    if listed is not None:
        values = (*(one for one in listed if not isinstance(one, float)), *((None,) if shape.nullable else ()))
    return replace(key, expression=expression, values=values), shape


def _check_keys(keys: list[Key], unknown: bool, below: Moved, policy: Policy, text: str | None) -> None:
    for key in keys:
        if key.values is not None and len(set(key.values)) < len(key.values):
            reason = f"a value of {key.name} is listed twice, so its rows would count in two groups"
            raise Refused("TW-R010", reason, text=text, place=key.place)
    groups = prod(len(key.values) for key in keys if key.values is not None)
    if groups > MOST_GROUPS:
        raise Refused("TW-R017", f"there are {groups} groups, {MOST_GROUPS} at most are asked", text=text, place=keys[0].place)
    if not unknown:
        return
    free = next(key for key in keys if key.values is None)
    budget = policy.budgets.get(below.table.population)
    name = free.expression.name if isinstance(free.expression, Column) else "the key"
    if budget is not None and (budget.filter == "pure" or not budget.delta):
        raise Refused(
            "TW-R013",
            f"the values of {name} are not public, and choosing those that enough users have takes a delta",
            text=text,
            place=free.place,
            repairs=(f"declare values for {name} in privacy.toml", "give the budget a delta"),
        )
    if below.distance != 1:
        units = "users" if below.by_user else "rows"
        raise Refused(
            "TW-R013",
            f"the values of {name} are not public, and one neighbour changes {below.distance} {units} here, where naming groups"
            f" knows what one changes",
            text=text,
            place=free.place,
            repairs=(f"declare values for {name} in privacy.toml", "ask the table itself, without UNION ALL or JOIN"),
        )


def _answers(query: Query, keys: Mapping[str, Shape], lowering: Lowering) -> dict[str, Answer]:
    """Every output typed: aggregates first, plain sums before means, which share them; then arithmetic on those."""
    found: dict[str, Answer] = {}
    aggregates = [output for output in query.outputs if isinstance(output.value, Aggregate)]
    for output in sorted(aggregates, key=lambda one: isinstance(one.value, Aggregate) and one.value.kind != "sum"):
        assert isinstance(output.value, Aggregate), "chosen so"
        value, shape, uses = lowering.lowered(output.value)
        found[output.name] = replace(output, value=value), shape, uses
    for output in query.outputs:
        if isinstance(output.value, Aggregate):
            continue
        shapes = {**keys, **{name: shape for name, (_, shape, _) in found.items()}}
        expression, shape = settled(elaborated(output.value, _single(shapes, found), lowering.text))
        used = sorted({one for name in _columns(expression) if name in found for one in found[name][2]})
        found[output.name] = replace(output, value=expression), shape, tuple(used)
    return found


def _single(shapes: Mapping[str, Shape], answers: Mapping[str, Answer]) -> dict[str, Shape]:
    """Answers that are one number, and keys."""
    lists = {
        name for name, (output, _, _) in answers.items() if isinstance(output.value, Aggregate) and output.value.kind in LISTS
    }
    return {name: shape for name, shape in shapes.items() if name not in lists}


def _condition(expression: Expression, shapes: Mapping[str, Shape], text: str | None) -> Expression:
    found = converted(settled(elaborated(expression, shapes, text)), "boolean")
    if found is None:
        raise Refused("TW-R007", "HAVING wants a condition", text=text, place=place_of(expression))
    return found[0]


def _check_names(query: Query, shapes: Mapping[str, Shape], text: str | None) -> None:
    """What is shown and sorted by is there, once."""
    names = [key.name for key in query.keys] + [output.name for output in query.outputs]
    for name in names:
        if names.count(name) > 1:
            raise Refused("TW-R009", f"two columns of the answer are called {name}", text=text)
    for name in (*query.columns, *(order.name for order in query.order)):
        if name not in shapes:
            raise Refused("TW-R016", f"the answer has no column {name}", text=text, repairs=nearest(name, names))


def _columns(expression: Expression) -> list[str]:
    if isinstance(expression, Column):
        return [expression.name]
    return [name for one in expression.arguments for name in _columns(one)] if isinstance(expression, Call) else []


def _conclusion(below: Moved, measures: list[Measure]) -> Derivation:
    """The measures, above the relation that they are of."""
    steps = tuple(_measured(below, measure) for measure in measures)
    who = "user" if below.by_user else "row"
    reason = f"What one neighbour moves, for each vector of numbers over the groups; a step below it counts {who}s."
    return Derivation("the question", below.metric.__name__, below.distance, reason, (*steps, below.derivation))


def _measured(below: Moved, measure: Measure) -> Derivation:
    """How far a vector over the groups moves in L1, by the rules for rows; of users, the engine keeps that many rows."""
    name = measure.kind if measure.value is None else f"{measure.kind} of {shown(measure.value)}"
    if measure.kind in ("users", "distinct"):
        unit = below.table.unit
        most = 1 if not below.by_user else unit.groups if measure.kind == "users" else unit.rows
        sides = 1 if below.metric in (AddRemove, AddRemoveUser) else 2
        reason = "Each counts once in each group that it is in, in so many of them at the most."
        if sides == 2:
            reason += " One that changes may leave as many and enter as many."
        return Derivation(name, "L1", below.distance * most * sides, reason)
    rows = below.distance * below.table.unit.rows if below.by_user else below.distance
    metric = AddRemove if below.by_user else below.metric
    bounded = f"A user counts for at most {below.table.unit.rows} rows. " if below.by_user else ""
    if below.by_user and below.metric is not AddRemoveUser:
        rows *= 2
    if measure.kind == "sum":
        low, high = _extent(measure)
        used = rule("group_sum", metric, output=L1)
        return Derivation(name, "L1", used.bound([rows], {"low": low, "high": high}), f"{bounded}{used.reason} [{used}]")
    used = rule("histogram", metric, output=L1)
    return Derivation(name, "L1", used.bound([rows]), f"{bounded}{used.reason} [{used}]")


def _extent(measure: Measure) -> tuple[Fraction, Fraction]:
    """The range of what is summed: distances from the centre, their squares or products."""
    assert measure.bounds is not None, "sums have bounds"
    low, high = measure.bounds.low - measure.centre, measure.bounds.high - measure.centre
    if measure.other_bounds is not None:
        other = measure.other_bounds.low - measure.other_centre, measure.other_bounds.high - measure.other_centre
        corners = [a * b for a in (low, high) for b in other]
        return min(corners), max(corners)
    if measure.power == 2:
        return Fraction(0), max(low**2, high**2)
    return low, high


def shown(expression: Expression) -> str:
    """An expression for people."""
    if isinstance(expression, Column):
        return expression.name
    if isinstance(expression, Constant):
        return (
            "NULL"
            if expression.value is None
            else repr(expression.value)
            if isinstance(expression.value, str)
            else str(expression.value)
        )
    return f"{expression.function}({', '.join(map(shown, expression.arguments))})"
