"""What a policy says that is allowed, and probably not meant: from the declaration alone, no row is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from twoworlds.queries.declared import Complaint, lines, place_in
from twoworlds.queries.policy import Budget, ColumnPolicy, Policy, TablePolicy

__all__ = ["linted"]

Key = tuple[str, ...]
Doubt = tuple[Key, str, str]

WEAK = 10
"""An epsilon from which on one person's odds may change by a factor of more than 20,000."""

SPARE = 10
"""Delta is to be so many times below one over the number of people."""

WIDE = 10**9
"""A range of whole numbers of this width is rarely one that somebody thought about."""

MANY = 10_000
"""So many rows for one user are rarely one person's."""


def linted(policy: Policy, text: str) -> list[Complaint]:
    """Doubts about a policy that can be used, in the order of its lines."""
    places = lines(text)
    found = [
        Complaint(place_in(places, at), ".".join(at), what, fix)
        for at, what, fix in (*_whole(policy), *_budgets(policy), *_tables(policy), *_units(policy))
    ]
    return sorted(found, key=lambda one: one.line or 0)


def _whole(policy: Policy) -> Iterator[Doubt]:
    people = [table.size for table in policy.tables.values() if table.size is not None]
    if people and policy.delta * SPARE * min(people) > 1:
        most = Fraction(1, SPARE * min(people))
        what = f"is {float(policy.delta):g}, and a delta near one over the number of rows lets whole records out"
        yield ("delta",), what, f"Write {float(most):.0e} or less"
    elif policy.delta > Fraction(1, 10**5):
        yield ("delta",), f"is {float(policy.delta):g}, large for most tables", "Write a number far below one over the people"
    elif policy.delta == 0 and any(budget.filter == "concentrated" for budget in policy.budgets.values()):
        yield ("delta",), "is 0, and a request for epsilon means nothing to the concentrated filter", "Write delta = 1e-6"
    if sum(policy.analysts.values()) > 1:
        total = float(sum(policy.analysts.values()))
        yield ("analysts",), f"have shares of {total:g} together", "Write shares of 1 at most together, or the first take all"
    for name in policy.budgets:
        if all(table.population != name for table in policy.tables.values()):
            yield ("budgets", name), "pays for no table", "Leave it out, or name it as the population of a table"


def _budgets(policy: Policy) -> Iterator[Doubt]:
    for name, budget in policy.budgets.items():
        at = ("budgets", name)
        if budget.epsilon is not None and budget.epsilon >= WEAK:
            what = f"is {float(budget.epsilon):g}: of two equally likely worlds a guesser may tell the right one almost always"
            yield (*at, "epsilon"), what, "Write 1 to protect well; from 10 on hardly anybody is protected"
        if budget.rho is not None and budget.rho >= WEAK:
            yield (*at, "rho"), f"is {float(budget.rho):g}, which protects hardly anybody", "Write 0.1 to protect well"
        yield from _deltas(policy, budget, at)
        if budget.renewal_days is not None:
            what = f"starts the budget anew every {budget.renewal_days} days, and what it promises is for one period"
            fix = "Tell the people so: over k periods the guarantee is k times as weak; leave it out for one for ever"
            yield (*at, "renewal_days"), what, fix


def _deltas(policy: Policy, budget: Budget, at: Key) -> Iterator[Doubt]:
    sizes = [table.size for table in policy.tables.values() if table.population == budget.population and table.size is not None]
    if sizes and budget.delta * min(sizes) > 1:
        what = f"is {float(budget.delta):g}, above one over the declared {min(sizes):,} rows: a whole record may be let out"
        yield (*at, "delta"), what, f"Write {float(Fraction(1, SPARE * min(sizes))):.0e} or less"
    elif budget.delta > Fraction(1, 1000):
        yield (*at, "delta"), f"is {float(budget.delta):g}: so often nothing is promised", "Write 1e-5 or less"


def _tables(policy: Policy) -> Iterator[Doubt]:
    for name, table in policy.tables.items():
        at = ("tables", name)
        yield from _unit(table, at)
        for column in table.columns.values():
            yield from _column(column, (*at, "columns", column.name), table)
        if not table.source.is_file():
            yield (*at, "source"), f"is {table.source}, which is not there", "Correct the path, it is beside the policy"


def _units(policy: Policy) -> Iterator[Doubt]:
    """Tables of one population whose units differ: their charges add up to a promise for none of them alone."""
    first: dict[str, TablePolicy] = {}
    for name, table in policy.tables.items():
        other = first.setdefault(table.population, table)
        if (table.unit.column, table.unit.relation) != (other.unit.column, other.unit.relation):
            what = f"protects {_promise(table)}, and {other.name}, which {table.population} pays for too, {_promise(other)}"
            yield ("tables", name, "unit"), what, "Protect the same in both, or give each a budget of its own"


def _promise(table: TablePolicy) -> str:
    who = "single rows" if table.unit.is_row else f"all rows of one {table.unit.column}"
    return f"{who} that {'are replaced' if table.unit.relation == 'replace' else 'come or go'}"


def _unit(table: TablePolicy, at: Key) -> Iterator[Doubt]:
    unit = table.unit
    if unit.is_row:
        alike = [name for name in table.columns if _names_people(name)]
        if alike:
            what = f"protects single rows, and {alike[0]} looks like the name of a person, who may have many"
            yield (*at, "unit"), what, f'Write column = "{alike[0]}" unless each has one row'
        return
    kind = table.columns[unit.column or ""].type
    if kind not in ("text", "integer"):
        what = f"names a {kind} column: names that read as the same {kind} are one person, who is protected less well than two"
        yield (*at, "unit", "column"), what, f'Declare {unit.column} as {{type = "text"}}'
    if unit.rows > MANY:
        what = f"is {unit.rows:,}: noise is for a user who has them all"
        yield (*at, "unit", "rows"), what, "Write what most users have; the rest count less. --suggest-bounds finds a number"
    if unit.groups > unit.rows:
        yield (*at, "unit", "groups"), "is above rows", "A user cannot be in more groups than there are rows to count"


def _column(column: ColumnPolicy, at: Key, table: TablePolicy) -> Iterator[Doubt]:
    if column.bounds is not None:
        low, high = column.bounds.low, column.bounds.high
        if low == high:
            yield (*at, "bounds"), "are one number, so sums and quantiles of it are refused", "Write the range that is possible"
        elif column.type in ("integer", "real") and high - low >= WIDE:
            yield (*at, "bounds"), "are very wide, and the noise of sums is as wide", "Write the range that is plausible"
        if column.values is not None:
            outside = [one for one in column.values if not isinstance(one, str) and not low <= one <= high]
            if outside:
                yield at, f"lists {outside[0]}, which is outside its bounds", "Widen the bounds, or leave it out"
    if (
        column.type in ("integer", "real")
        and column.bounds is None
        and column.values is None
        and column.name != table.unit.column
    ):
        yield at, "has no bounds, so it is neither summed nor averaged without a clip", "Write bounds = [low, high]"
    if column.values is not None and column.name == table.unit.column:
        yield (*at, "values"), "publish who is in the table", "Leave them out: users are never groups"


def _names_people(name: str) -> bool:
    words = name.lower().replace("-", "_").split("_")
    people = {"user", "patient", "person", "customer", "client", "member", "household", "employee", "student", "userid", "uid"}
    return bool(people & set(words)) and (len(words) == 1 or bool({"id", "no", "nr", "number", "key"} & set(words)))
