"""A question as data: one frozen tree for SQL and dataframes, before anything is known of its price.

    Expression   something computed from one row: Column, Constant, Call of a listed total function
    Relation     a table of rows: Scan, Where, Select, Union, Distinct, Sample, PerUser, JoinPublic
    Aggregate    a number, or several, computed from the rows of one group; always released with noise
    Query        aggregates of a relation for each group, and what is done to the noisy answers afterwards

A node knows its place in the text that it was read from, for error messages; the place is no part of what it means, so equal
questions are equal trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, cast

from twoworlds.queries.policy import Type

__all__ = [
    "Aggregate",
    "Call",
    "Column",
    "Constant",
    "Distinct",
    "Expression",
    "JoinPublic",
    "Key",
    "Kind",
    "Order",
    "Output",
    "PerUser",
    "Place",
    "Query",
    "Relation",
    "Sample",
    "Scan",
    "Select",
    "Union",
    "Value",
    "Where",
    "joined_name",
]

Value = bool | int | Fraction | str | None
Kind = Literal[
    "count",
    "count_users",
    "count_distinct",
    "sum",
    "mean",
    "variance",
    "stddev",
    "quantile",
    "minimum",
    "maximum",
    "histogram",
    "top",
    "covariance",
    "correlation",
]


@dataclass(frozen=True)
class Place:
    """Where in the given text something stands: characters start to end, counted from 0."""

    start: int
    end: int


@dataclass(frozen=True)
class Column:
    """A column of the relation below."""

    name: str
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Constant:
    """A public value; exact, so 0.1 is 1/10. Dates are ISO texts inside a call of `date`.

    A whole number is an integer however it is written, and a real where 64 bits do not hold it or a real is needed. NULL passes
    for a truth value until something else is needed. The type is part of the value: true is not 1.
    """

    value: Value
    place: Place | None = field(default=None, compare=False, repr=False)
    type: Type = field(default=cast(Type, ""))  # that of the value

    def __post_init__(self) -> None:
        value = self.value
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
            object.__setattr__(self, "value", value)
        if not self.type:
            object.__setattr__(self, "type", _own_type(value))


def _own_type(value: Value) -> Type:
    if value is None or isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    return "integer" if isinstance(value, int) and -(2**63) <= value < 2**63 else "real"


@dataclass(frozen=True)
class Call:
    """A listed total function of expressions of the same row; `functions.FUNCTIONS` has the list and what each means."""

    function: str
    arguments: tuple[Expression, ...]
    place: Place | None = field(default=None, compare=False, repr=False)


Expression = Column | Constant | Call


@dataclass(frozen=True)
class Scan:
    """A table of the policy."""

    table: str
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Where:
    """The rows for which the predicate is true; unknown (NULL) is not true."""

    source: Relation
    predicate: Expression


@dataclass(frozen=True)
class Select:
    """New columns, each computed from its own row; the user's column is always carried along."""

    source: Relation
    columns: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class Union:
    """All rows of both, equal ones too."""

    left: Relation
    right: Relation


@dataclass(frozen=True)
class Distinct:
    """Each different row once; where users are protected, once per user."""

    source: Relation


@dataclass(frozen=True)
class Sample:
    """Each row (where users are protected: each user) joins by its own coin, from a keyed hash that is new for every release."""

    source: Relation
    rate: Fraction


@dataclass(frozen=True)
class PerUser:
    """One row per user, made of that user's rows alone: count, sum, mean, minimum or maximum of them, or different values.

    A sum of whole numbers beyond 64 bits is unknown, and so is a number that is not finite.
    """

    source: Relation
    columns: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True)
class JoinPublic:
    """Each row meets the rows of a public table that have its key; at most `most` of them.

    The result has the columns of the source and those of the public table; one whose name the source has already is called
    `table.column`.
    """

    source: Relation
    public: str
    on: tuple[tuple[str, str], ...]
    place: Place | None = field(default=None, compare=False, repr=False)


def joined_name(name: str, public: str, own: Iterable[str]) -> str:
    """What a column of a public table is called beside these of the rows that it is joined to; capitals make no other name."""
    return f"{public}.{name}" if name.lower() in {one.lower() for one in own} else name


Relation = Scan | Where | Select | Union | Distinct | Sample | PerUser | JoinPublic


@dataclass(frozen=True)
class Aggregate:
    """What is asked of the rows of a group.

    `parameters` are public: quantile: ("q", Fraction); histogram: ("edges", tuple of Fraction) or ("cells", int); top: ("k",
    int); variance, stddev, covariance: ("sample", bool), whether to divide by one less than the count.
    Bounds come from the policy or from a clip in the argument; an aggregate without bounds is refused.
    """

    kind: Kind
    arguments: tuple[Expression, ...] = ()
    parameters: tuple[tuple[str, Value | tuple[Value, ...]], ...] = ()
    place: Place | None = field(default=None, compare=False, repr=False)

    def only_where(self, condition: Expression) -> Aggregate:
        """Of the rows for which the condition is true: for the others its arguments are unknown."""
        arguments = tuple(Call("case", (condition, one, Constant(None))) for one in self.arguments or (Constant(True),))
        return replace(self, arguments=arguments)


@dataclass(frozen=True)
class Key:
    """What groups are made by. `values` are the public values, in order; None asks for those that enough users have.

    Dates stand there as days and timestamps as microseconds since 1970, unknown as None.
    """

    name: str
    expression: Expression
    values: tuple[Value, ...] | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Output:
    """A named number: an aggregate, or arithmetic on names of aggregates and keys (post-processing of noisy numbers)."""

    name: str
    value: Aggregate | Expression


@dataclass(frozen=True)
class Order:
    """A column of the answer to sort by: a key or a noisy number."""

    name: str
    descending: bool = False


@dataclass(frozen=True)
class Query:
    """Aggregates of a relation for every group. `having`, `order` and `limit` see keys and noisy numbers only.

    `columns` are the names of keys and outputs that the answer shows, in order; without them, all. An output that is not shown is
    there for others: for their arithmetic, `having` and `order`.
    """

    source: Relation
    outputs: tuple[Output, ...]
    keys: tuple[Key, ...] = ()
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    columns: tuple[str, ...] = ()
