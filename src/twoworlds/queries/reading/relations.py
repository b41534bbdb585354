"""What stands after FROM: private tables, rows made of rows, one row per user, joins with public tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from sqlglot import exp

from twoworlds.queries.moves import moved
from twoworlds.queries.plan import (
    Aggregate,
    Column,
    Distinct,
    Expression,
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
from twoworlds.queries.policy import PublicTable
from twoworlds.queries.reading.aggregates import aggregate, is_aggregate
from twoworlds.queries.reading.grammar import Asked, place
from twoworlds.queries.reading.rows import Leaf, number, row
from twoworlds.queries.reading.scopes import Entry, Scope
from twoworlds.queries.refusals import nearest

__all__ = ["View", "Views", "columns_in", "grouped", "source", "with_views"]


@dataclass(frozen=True)
class View:
    """A named query, with the names that it may use itself: those before it, so that none can mean itself."""

    tree: exp.Expr
    known: Views


Views = Mapping[str, View]
"""The queries of WITH, by their names in small letters: read anew wherever they are used."""

T = TypeVar("T")
MOST_VIEWS = 30
Read = tuple[Relation, Scope]


@dataclass(frozen=True)
class _Names:
    """What the columns of a subquery are called and made of."""

    columns: tuple[tuple[str, Expression], ...]
    persons: tuple[str, ...]


def with_views(tree: exp.Expr, views: Views, asked: Asked) -> Views:
    """The named queries that a statement brings along; a later one may use the earlier."""
    clause = tree.args.get("with_")
    if clause is None:
        return views
    asked.checked(clause)
    found = dict(views)
    for named in clause.expressions:
        asked.checked(named)
        asked.checked(named.args["alias"])
        name = named.alias.lower()
        if name in found or name in {table.lower() for table in (*asked.policy.tables, *asked.policy.public)}:
            raise asked.refused("TW-R009", f"{named.alias} is already the name of something", named.args["alias"])
        found[name] = View(named.this, dict(found))
    if len(found) > MOST_VIEWS:
        raise asked.refused("TW-R017", f"there are more than {MOST_VIEWS} named queries", clause)
    return found


def source(tree: exp.Expr, views: Views, asked: Asked, depth: int = 0) -> Read:
    """The rows after FROM, WHERE applied, and the names in reach."""
    clause = tree.args.get("from_")
    if clause is None:
        raise asked.refused("TW-R020", "no table is asked", tree, ("write FROM and a table",))
    asked.checked(clause)
    relation, scope = _table(clause.this, views, asked, depth)
    for join in tree.args.get("joins") or ():
        relation, scope = _joined(relation, scope, join, asked, views)
    sample = tree.args.get("sample")
    if sample is not None:
        relation = _sampled(relation, sample, asked)
    where = tree.args.get("where")
    if where is not None:
        asked.checked(where)
        relation = Where(relation, row(where.this, asked, columns_in(scope, asked)))
    return relation, scope


def columns_in(scope: Scope, asked: Asked) -> Leaf:
    """Reads columns by the names in reach."""

    def leaf(node: exp.Expr) -> Expression | None:
        return scope.found(node, asked) if isinstance(node, exp.Column) else None

    return leaf


def grouped(tree: exp.Expr) -> bool:
    """Whether a SELECT aggregates: by GROUP BY, or by an aggregate among what is selected."""
    if tree.args.get("group") is not None or tree.args.get("having") is not None:
        return True
    return any(_has_aggregate(item) for item in tree.expressions)


def _has_aggregate(node: exp.Expr) -> bool:
    pending = [node]
    while pending:
        one = pending.pop()
        if is_aggregate(one):
            return True
        if not isinstance(one, exp.Subquery | exp.Select | exp.Union):
            pending.extend(one.iter_expressions())
    return False


def _table(node: exp.Expr, views: Views, asked: Asked, depth: int) -> Read:
    if depth > 20:
        raise asked.refused("TW-R017", "queries are nested too deeply", node)
    asked.checked(node)
    alias = node.args.get("alias")
    if alias is not None:
        asked.checked(alias)
    if isinstance(node, exp.Subquery):
        relation, scope = _rows(node.this, views, asked, depth + 1)
        scope = scope.renamed(node.alias)
    elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        name = node.name
        view = views.get(name.lower())
        if view is not None:
            relation, scope = _rows(view.tree, view.known, asked, depth + 1)
        else:
            relation, scope = _scan(name, node, asked)
        scope = scope.renamed(node.alias or name)
    else:
        raise asked.refused("TW-R003", "only tables and queries are read from", node)
    for join in node.args.get("joins") or ():
        relation, scope = _joined(relation, scope, join, asked, views)
    sample = node.args.get("sample")
    return (_sampled(relation, sample, asked) if sample is not None else relation), scope


def _scan(name: str, node: exp.Expr, asked: Asked) -> Read:
    frame = _named(name, asked.frames)
    if frame is not None:
        known = moved(frame, asked.policy)
        entries = tuple(Entry(name, column, column) for column in known.schema)
        return frame, Scope(entries, known.table.unit.column if known.by_user else None)
    table = _named(name, asked.policy.tables)
    if table is None:
        if _named(name, asked.policy.public) is not None:
            raise asked.refused("TW-R005", f"{name} is public: ask it without us, or JOIN it to a private table", node.this)
        raise asked.refused("TW-R005", f"there is no table {name}", node.this, nearest(name, list(asked.policy.tables)))
    entries = tuple(Entry(name, column, column) for column in table.columns)
    return Scan(table.name, place(node.this)), Scope(entries, table.unit.column)


def _rows(tree: exp.Expr, views: Views, asked: Asked, depth: int) -> Read:
    """A query that gives rows: it may not aggregate except per user."""
    if depth > 20:
        raise asked.refused("TW-R017", "queries are nested too deeply", tree)
    asked.checked(tree)
    views = with_views(tree, views, asked)
    for clause in ("order", "limit"):
        if tree.args.get(clause) is not None:
            raise asked.refused(
                "TW-R015",
                "rows have no public order, so none of them come first",
                tree.args[clause],
                ("sort and limit the answer instead", "use TABLESAMPLE BERNOULLI (10 PERCENT)"),
            )
    if isinstance(tree, exp.Subquery):
        return _rows(tree.this, views, asked, depth + 1)
    if isinstance(tree, exp.Union):
        return _union(tree, views, asked, depth)
    if not isinstance(tree, exp.Select):
        raise asked.refused("TW-R003", f"{type(tree).__name__.upper()} gives no rows here", tree)
    if tree.args.get("kind"):
        raise asked.refused("TW-R003", f"SELECT {tree.args['kind']} has no meaning here", tree)
    relation, scope = source(tree, views, asked, depth)
    if grouped(tree):
        return _per_user(tree, relation, scope, asked)
    names = _selected(tree, scope, asked)
    relation = Select(relation, names.columns)
    if tree.args.get("distinct") is not None:
        asked.checked(tree.args["distinct"])
        if tree.args["distinct"].expressions:
            raise asked.refused("TW-R003", "DISTINCT takes no list here", tree.args["distinct"])
        relation = Distinct(relation)
    return relation, _scope_of(names, scope.person)


def _scope_of(names: _Names, person: str | None) -> Scope:
    entries = [Entry("", name, name) for name, _ in names.columns]
    entries += [Entry("", name, person) for name in names.persons if person is not None]
    return Scope(tuple(entries), person)


def _selected(tree: exp.Expr, scope: Scope, asked: Asked) -> _Names:
    columns: dict[str, Expression] = {}
    persons: list[str] = []
    for item in tree.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            asked.checked(item)
            table = item.table if isinstance(item, exp.Column) else ""
            if isinstance(item, exp.Column):
                asked.checked(item.this)
            seen = [entry for entry in scope.entries if not table or entry.qualifier.lower() == table.lower()]
            new: list[tuple[str, Expression]] = [(entry.name, Column(entry.column)) for entry in seen]
        else:
            value = row(_unaliased(item, asked), asked, columns_in(scope, asked))
            new = [(_name_of(item, asked), value)]
        for name, expression in new:
            if name.lower() in {known.lower() for known in (*columns, *persons)}:
                raise asked.refused("TW-R009", f"two columns are called {name}", item, ("give one another name with AS",))
            if isinstance(expression, Column) and expression.name == scope.person:
                persons.append(name)
            elif name == scope.person:
                raise asked.refused(
                    "TW-R021", f"{name} is the name of the users' column", item, ("give it another name with AS",)
                )
            else:
                columns[name] = expression
    return _Names(tuple(columns.items()), tuple(persons))


def _unaliased(item: exp.Expr, asked: Asked) -> exp.Expr:
    if isinstance(item, exp.Alias):
        asked.checked(item)
        inner: exp.Expr = item.this
        return inner
    return item


def _name_of(item: exp.Expr, asked: Asked) -> str:
    name = item.alias if isinstance(item, exp.Alias) else item.name if isinstance(item, exp.Column) else ""
    if not name:
        raise asked.refused("TW-R009", "this column has no name", item, ("give it one with AS",))
    return str(name)


def _per_user(tree: exp.Expr, relation: Relation, scope: Scope, asked: Asked) -> Read:
    """SELECT user, aggregates ... GROUP BY user: one row for each user."""
    leaf, group = columns_in(scope, asked), tree.args.get("group")
    if group is not None:
        asked.checked(group)
    keys = [row(key, asked, leaf) for key in group.expressions] if group is not None else []
    if scope.person is None or keys != [Column(scope.person)]:
        whom = f"GROUP BY {scope.person} only" if scope.person else "a table whose unit is a user"
        raise asked.refused("TW-R018", f"a query inside a query may aggregate per user alone: {whom}", group or tree)
    if tree.args.get("distinct") is not None:
        raise asked.refused("TW-R003", "DISTINCT has no meaning beside GROUP BY", tree)
    columns: dict[str, Aggregate] = {}
    persons: list[str] = []
    for item in tree.expressions:
        value = _unaliased(item, asked)
        name = _name_of(item, asked)
        if name.lower() in {known.lower() for known in (*columns, *persons)}:
            raise asked.refused("TW-R009", f"two columns are called {name}", item, ("give one another name with AS",))
        if is_aggregate(value):
            columns[name] = aggregate(value, asked, leaf, scope.person)
        elif isinstance(value, exp.Column) and scope.found(value, asked).name == scope.person:
            persons.append(name)
        else:
            raise asked.refused("TW-R011", "beside the users' column there are aggregates of each user's rows only", value)
    names = _Names(tuple((name, Column(name)) for name in columns), tuple(persons))
    made, seen = PerUser(relation, tuple(columns.items())), _scope_of(names, scope.person)
    having = tree.args.get("having")
    if having is not None:
        asked.checked(having)
        by_value = {value: name for name, value in columns.items()}

        def inner(node: exp.Expr) -> Expression | None:
            if is_aggregate(node):
                found = aggregate(node, asked, leaf, scope.person)
                if found not in by_value:
                    raise asked.refused("TW-R016", "HAVING sees aggregates that are selected", node, ("select it too",))
                return Column(by_value[found], place(node))
            return columns_in(seen, asked)(node)

        return Where(made, row(having.this, asked, inner)), seen
    return made, seen


def _union(tree: exp.Expr, views: Views, asked: Asked, depth: int) -> Read:
    if tree.args.get("distinct"):
        raise asked.refused("TW-R003", "UNION drops equal rows", tree, ("write UNION ALL", "put SELECT DISTINCT around it"))
    left, scope = _rows(tree.this, views, asked, depth + 1)
    right, other = _rows(tree.expression, views, asked, depth + 1)
    names, others = scope.entries, other.entries
    alike = len(names) == len(others) and all(
        (entry.column == scope.person) == (twin.column == other.person) for entry, twin in zip(names, others, strict=True)
    )
    if not alike or scope.person != other.person:
        raise asked.refused("TW-R022", "the two parts have different columns", tree.expression)
    pairs = [(entry, twin) for entry, twin in zip(names, others, strict=True) if entry.column != scope.person]
    if any(entry.column != twin.column for entry, twin in pairs):
        right = Select(right, tuple((entry.column, Column(twin.column)) for entry, twin in pairs))
    return Union(left, right), scope


def _sampled(relation: Relation, sample: exp.Expr, asked: Asked) -> Relation:
    asked.checked(sample)
    method, percent = sample.args.get("method"), sample.args.get("percent")
    if method is None or method.name.upper() != "BERNOULLI" or percent is None:
        raise asked.refused(
            "TW-R003", "a sample takes each row by its own coin", sample, ("write TABLESAMPLE BERNOULLI (10 PERCENT)",)
        )
    rate = number(percent, asked) / 100
    if not 0 < rate <= 1:
        raise asked.refused("TW-R019", "the share of a sample is above 0 and at most 100 percent", sample)
    return Sample(relation, Fraction(rate))


def _joined(relation: Relation, scope: Scope, join: exp.Expr, asked: Asked, views: Views) -> Read:
    """JOIN with a public table by equality."""
    asked.checked(join)
    node = join.this
    if str(join.args.get("kind") or "INNER").upper() != "INNER" or join.args.get("side"):
        raise asked.refused("TW-R024", "a join keeps rows that meet, nothing else", join, ("write JOIN ... USING (key)",))
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise asked.refused("TW-R014", "only a declared public table is joined", join)
    asked.checked(node)
    public = _named(node.name, asked.policy.public)
    if public is None:
        if _named(node.name, asked.policy.tables) is not None or node.name.lower() in views:
            raise asked.refused(
                "TW-R014",
                f"{node.name} is private, and how many of its rows a row meets has no bound",
                node.this,
                (f"declare [public.{node.name}] if it is no secret",),
            )
        raise asked.refused(
            "TW-R005", f"there is no public table {node.name}", node.this, nearest(node.name, list(asked.policy.public))
        )
    alias = node.alias or node.name
    if alias.lower() in {qualifier.lower() for qualifier in scope.qualifiers()}:
        raise asked.refused("TW-R009", f"two tables are called {alias}", node, ("give one another name",))
    taken = {entry.column for entry in scope.entries} | ({scope.person} if scope.person else set())
    entries = [Entry(alias, column, joined_name(column, public.name, taken)) for column in public.columns]
    on = _equalities(join, scope, entries, public, asked)
    by_using = {public_column for _, public_column in on} if join.args.get("using") else set()
    shown = [entry for entry in entries if entry.name not in by_using]
    return JoinPublic(relation, public.name, on, place(node.this)), scope.joined(shown)


def _equalities(
    join: exp.Expr, scope: Scope, entries: list[Entry], public: PublicTable, asked: Asked
) -> tuple[tuple[str, str], ...]:
    """Pairs of a private and a public column that have to be equal."""
    pairs: list[tuple[str, str]] = []
    for name in join.args.get("using") or ():
        inner = exp.column(name.name)
        inner.this._meta = name._meta
        if name.name not in public.columns:
            raise asked.refused(
                "TW-R006", f"{public.name} has no column {name.name}", name, nearest(name.name, list(public.columns))
            )
        pairs.append((scope.found(inner, asked).name, name.name))
    condition = join.args.get("on")
    both = scope.joined(entries)
    by_column = {entry.column: entry.name for entry in entries}
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition] if condition is not None else []:
        sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
        if not sides or not all(isinstance(side, exp.Column) for side in sides):
            raise asked.refused("TW-R024", "a join is by equality of columns", part)
        found = [both.found(side, asked).name for side in sides]
        ours = [name for name in found if name not in by_column]
        theirs = [by_column[name] for name in found if name in by_column]
        if len(ours) != 1 or len(theirs) != 1:
            raise asked.refused("TW-R024", "each equality has one column of either table", part)
        pairs.append((ours[0], theirs[0]))
    if not pairs:
        raise asked.refused("TW-R024", "the join says nothing about which rows meet", join, ("write USING (key)",))
    return tuple(pairs)


def _named(name: str, known: Mapping[str, T]) -> T | None:
    """The table of a name; capitals do not matter."""
    return known.get(name) or next((table for key, table in known.items() if key.lower() == name.lower()), None)
