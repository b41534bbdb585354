"""The whole question: which groups, which aggregates, what is done to the noisy answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from twoworlds.queries.plan import Aggregate, Call, Column, Constant, Expression, Key, Order, Output, Query, Relation
from twoworlds.queries.policy import Policy
from twoworlds.queries.reading.aggregates import aggregate, is_aggregate
from twoworlds.queries.reading.grammar import Asked, place, statement
from twoworlds.queries.reading.relations import columns_in, grouped, source, with_views
from twoworlds.queries.reading.rows import Leaf, row
from twoworlds.queries.reading.scopes import Entry, Scope
from twoworlds.queries.refusals import Refused

__all__ = ["read", "read_expression"]

MOST_OUTPUTS = 200


def read(text: str, policy: Policy, frames: Mapping[str, Relation] | None = None) -> Query:
    """The plan of a question in SQL; refused with a code and a place if it has none. `frames` are views by their names."""
    asked = Asked(text, policy, frames or {})
    try:
        return _query(statement(asked), asked)
    except RecursionError:
        raise asked.refused("TW-R017", "the question is nested too deeply") from None


def read_expression(text: str, columns: tuple[str, ...], policy: Policy) -> Expression:
    """One expression over named columns, like `age > 30`: what dataframes take as a text."""
    before = "SELECT "
    asked = Asked(before + text, policy)
    tree = statement(asked)
    if (
        not isinstance(tree, exp.Select)
        or len(tree.expressions) != 1
        or {name for name, part in tree.args.items() if part} != {"expressions"}
    ):
        raise asked.refused("TW-R001", "one expression is wanted", None, ("write for example: age > 30",))
    return row(tree.expressions[0], asked, columns_in(Scope(tuple(Entry("", name, name) for name in columns)), asked))


@dataclass
class _Select:
    """A SELECT while it is read: the keys and outputs found so far, by what they mean."""

    tree: exp.Expr
    scope: Scope
    asked: Asked
    keys: list[Key] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    @property
    def rows(self) -> Leaf:
        return columns_in(self.scope, self.asked)

    def names(self) -> set[str]:
        return {name.lower() for name in self._names()}

    def fresh(self, wanted: str) -> str:
        """A name that nothing has yet."""
        name, number = wanted, 1
        while name.lower() in self.names():
            number += 1
            name = f"{wanted}_{number}"
        return name

    def hidden(self, value: Aggregate) -> str:
        """The name of the output that is this aggregate, added if there is none."""
        for output in self.outputs:
            if output.value == value:
                return output.name
        name = self.fresh(f"_{value.kind}")
        self.outputs.append(Output(name, value))
        return name

    def noisy(self, node: exp.Expr) -> Expression | None:
        """Reads what an answer is computed from: keys, aggregates, and names of answers."""
        if is_aggregate(node):
            return Column(self.hidden(aggregate(node, self.asked, self.rows, self.scope.person)), place(node))
        key = self.key_of(node)
        if key is not None:
            return Column(key.name, place(node))
        if isinstance(node, exp.Column):
            named = self.named(node)
            if named is not None:
                return Column(named, place(node))
            found = self.scope.found(node, self.asked)
            raise self.asked.refused(
                "TW-R011",
                f"{found.name} is of single rows, and an answer has aggregates and keys only",
                node,
                (f"AVG({found.name})", f"add GROUP BY {found.name}"),
            )
        return None

    def key_of(self, node: exp.Expr) -> Key | None:
        """The key that an expression of the row is."""
        if not self.keys or isinstance(node, exp.Literal | exp.Boolean | exp.Null | exp.Interval):
            return None
        if isinstance(node, exp.Column) and node.table == "" and self._is_not_in_reach(node):
            return next((key for key in self.keys if key.name.lower() == node.name.lower()), None)
        if _sees_aggregate(node):
            return None
        try:
            value = row(node, self.asked, self.rows)
        except (TypeError, Refused):  # it is of something else than columns of rows, or of nothing: whoever reads on will say
            return None
        return next((key for key in self.keys if key.expression == value), None)

    def _is_not_in_reach(self, node: exp.Column) -> bool:
        return not any(entry.name.lower() == node.name.lower() for entry in self.scope.entries)

    def named(self, node: exp.Column) -> str | None:
        """A name of the answer, which columns of rows hide."""
        if node.table:
            return None
        return next((name for name in self._names() if name.lower() == node.name.lower()), None)

    def _names(self) -> list[str]:
        return [key.name for key in self.keys] + [output.name for output in self.outputs]


def _sees_aggregate(node: exp.Expr) -> bool:
    return any(is_aggregate(part) for part in node.walk())


def _query(tree: exp.Expr, asked: Asked) -> Query:
    asked.checked(tree)
    while isinstance(tree, exp.Subquery | exp.Paren) and not tree.args.get("alias"):
        tree = tree.this
        asked.checked(tree)
    if isinstance(tree, exp.Union):
        raise asked.refused(
            "TW-R020", "the parts of a UNION are asked one by one", tree, ("write SELECT ... FROM (... UNION ALL ...)",)
        )
    if not isinstance(tree, exp.Select):
        raise asked.refused("TW-R002", f"{type(tree).__name__.upper()} is no question", tree, ("ask one SELECT",))
    if tree.args.get("kind"):
        raise asked.refused("TW-R003", f"SELECT {tree.args['kind']} has no meaning here", tree)
    relation, scope = source(tree, with_views(tree, {}, asked), asked)
    if tree.args.get("distinct") is not None or not grouped(tree):
        raise asked.refused(
            "TW-R020",
            "this asks for rows, and rows are never released",
            tree.expressions[0] if tree.expressions else tree,
            ("SELECT COUNT(*)", "add GROUP BY and aggregates"),
        )
    found = _Select(tree, scope, asked)
    _read_keys(found)
    shown = _read_outputs(found)
    having = _having(found)
    order = _order(found, shown)
    return Query(relation, tuple(found.outputs), tuple(found.keys), having, order, _limit(tree, asked), tuple(shown))


def _read_keys(found: _Select) -> None:
    group = found.tree.args.get("group")
    if group is None:
        return
    found.asked.checked(group)
    nodes = list(group.expressions)
    if group.args.get("all"):
        nodes = [inner for item in found.tree.expressions if not _sees_aggregate(inner := _inner(item))]
    for node in nodes:
        target, name = _key_target(node, found)
        value = row(target, found.asked, found.rows)
        if isinstance(value, Constant):
            raise found.asked.refused("TW-R013", "a constant makes no groups", node)
        if all(key.expression != value for key in found.keys):
            found.keys.append(Key(found.fresh(name), value, None, place(node)))


def _inner(item: exp.Expr) -> exp.Expr:
    inner: exp.Expr = item.this if isinstance(item, exp.Alias) else item
    return inner


def _key_target(node: exp.Expr, found: _Select) -> tuple[exp.Expr, str]:
    """What is grouped by, and what it is called: an ordinal and an alias mean what is selected."""
    items = found.tree.expressions
    if isinstance(node, exp.Literal) and not node.is_string:
        number = int(node.this) if str(node.this).isdecimal() and len(node.this) < 6 else 0
        if not 1 <= number <= len(items):
            raise found.asked.refused("TW-R009", f"there is no column number {str(node.this)[:20]}", node)
        item = items[number - 1]
        return _inner(item), item.alias_or_name or f"key_{number}"
    if isinstance(node, exp.Column) and not node.table:
        in_reach = any(entry.name.lower() == node.name.lower() for entry in found.scope.entries)
        aliased = [item for item in items if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower()]
        if aliased and not in_reach:
            return aliased[0].this, aliased[0].alias
    for item in items:
        if isinstance(item, exp.Alias) and item.this == node:
            return node, item.alias
    return node, node.name if isinstance(node, exp.Column) else f"key_{len(found.keys) + 1}"


def _read_outputs(found: _Select) -> list[str]:
    """The names of the answer's columns, in order."""
    shown: list[str] = []
    for number, item in enumerate(found.tree.expressions, 1):
        if number > MOST_OUTPUTS:
            raise found.asked.refused("TW-R017", f"an answer has at most {MOST_OUTPUTS} columns", item)
        node = _inner(item)
        if isinstance(item, exp.Alias):
            found.asked.checked(item)
        alias = item.alias if isinstance(item, exp.Alias) else ""
        key = found.key_of(node)
        if key is not None:
            shown.append(_shown_key(found, key, alias, shown))
            continue
        name = alias or (found.asked.text[spot.start : spot.end].split("(")[0].lower() if (spot := place(node)) else "value")
        if alias and alias.lower() in found.names():
            raise found.asked.refused("TW-R009", f"two columns are called {alias}", item, ("give one another name with AS",))
        name = found.fresh(name or "value")
        if is_aggregate(node):
            value: Aggregate | Expression = aggregate(node, found.asked, found.rows, found.scope.person)
        else:
            value = row(node, found.asked, found.noisy)
            name = found.fresh(name)
        found.outputs.append(Output(name, value))
        shown.append(name)
    return shown


def _shown_key(found: _Select, key: Key, alias: str, shown: list[str]) -> str:
    """A key is shown under the name that it is selected by."""
    if alias and alias != key.name:
        if alias.lower() in found.names() - {key.name.lower()}:
            raise found.asked.refused("TW-R009", f"two columns are called {alias}", key.place, ("give one another name with AS",))
        if key.name not in shown:
            found.keys[found.keys.index(key)] = replace(key, name=alias)
            found.outputs[:] = [replace(output, value=_renamed(output.value, key.name, alias)) for output in found.outputs]
            return alias
    return key.name


def _renamed(value: Aggregate | Expression, old: str, new: str) -> Aggregate | Expression:
    """Arithmetic on answers, where a key has got another name."""
    if isinstance(value, Column):
        return replace(value, name=new) if value.name == old else value
    if isinstance(value, Call):
        return replace(value, arguments=tuple(_renamed(one, old, new) for one in value.arguments))  # type: ignore[misc]  # no aggregates below
    return value


def _having(found: _Select) -> Expression | None:
    clause = found.tree.args.get("having")
    if clause is None:
        return None
    found.asked.checked(clause)
    return row(clause.this, found.asked, found.noisy)


def _order(found: _Select, shown: list[str]) -> tuple[Order, ...]:
    clause = found.tree.args.get("order")
    if clause is None:
        return ()
    found.asked.checked(clause)
    orders = []
    for item in clause.expressions:
        found.asked.checked(item)
        if item.args.get("nulls_first"):
            raise found.asked.refused("TW-R003", "unknown keys come last", item, ("leave out NULLS FIRST",))
        orders.append(Order(_order_name(item.this, found, shown), bool(item.args.get("desc"))))
    return tuple(orders)


def _order_name(node: exp.Expr, found: _Select, shown: list[str]) -> str:
    if isinstance(node, exp.Literal) and not node.is_string:
        number = int(node.this) if str(node.this).isdecimal() and len(node.this) < 6 else 0
        if not 1 <= number <= len(shown):
            raise found.asked.refused("TW-R009", f"there is no column number {str(node.this)[:20]}", node)
        return shown[number - 1]
    if isinstance(node, exp.Column) and (named := found.named(node)) is not None:
        return named
    value = row(node, found.asked, found.noisy)
    if isinstance(value, Column):
        return value.name
    for output in found.outputs:
        if output.value == value:
            return output.name
    if isinstance(value, Constant):
        raise found.asked.refused("TW-R016", "a constant sorts nothing", node)
    name = found.fresh("_order")
    found.outputs.append(Output(name, value))
    return name


def _limit(tree: exp.Expr, asked: Asked) -> int | None:
    clause = tree.args.get("limit")
    if clause is None:
        return None
    asked.checked(clause)
    number = clause.expression
    if not isinstance(number, exp.Literal) or number.is_string or not str(number.this).isdecimal() or len(number.this) > 9:
        raise asked.refused("TW-R019", "LIMIT takes a whole number", clause)
    return int(number.this)
