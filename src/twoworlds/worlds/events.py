"""What happened, never what it cost. The meaning of an event never changes once it has been released.

`losses` prices events; the ledger stores them beside the price that was charged, so that a better accountant can re-run history
and a later edit of a card cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Neighbours, parts
from twoworlds.worlds.rationals import exact

__all__ = [
    "Composed",
    "Correlated",
    "Distance",
    "Event",
    "Parallel",
    "Poisson",
    "Ran",
    "Repeated",
    "Sampled",
    "Scheme",
    "Shared",
    "Shuffled",
    "WithReplacement",
    "WithoutReplacement",
]


class Event:
    """One thing that was released, or several."""

    __slots__ = ()


@dataclass(frozen=True)
class Distance:
    """How far one neighbour can move the input of a mechanism, in each norm; None where no bound is known (so: infinite)."""

    l0: Fraction | None = None
    l1: Fraction | None = None
    l2_squared: Fraction | None = None
    linf: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("l0", "l1", "l2_squared", "linf"):
            value = getattr(self, name)
            if value is not None:
                number = exact(value, name)
                if number < 0:
                    raise BadArgument(name, value, "is below 0", "A distance is 0 or more")
                object.__setattr__(self, name, number)


@dataclass(frozen=True)
class Ran(Event):
    """A card ran: its name, the hash of its source, its public parameters, and how far a neighbour can move its input."""

    card: str
    digest: str
    parameters: tuple[tuple[str, object], ...]
    distance: Distance = field(default_factory=Distance)
    length: int = 1

    def __post_init__(self) -> None:
        _texts(card=self.card, digest=self.digest)
        _whole(self.length, "length")
        if not isinstance(self.distance, Distance):
            raise BadArgument("distance", self.distance, "is no Distance", "Give Distance(l1=...), or leave it out")
        object.__setattr__(self, "parameters", tuple((name, _public(value, name)) for name, value in self.parameters))

    @staticmethod
    def of(card: str, digest: str, parameters: Mapping[str, object], distance: Distance | None = None, length: int = 1) -> Ran:
        given = tuple(sorted(parameters.items()))
        return Ran(card, digest, given, Distance() if distance is None else distance, length)


class Scheme:
    """How a batch is drawn from the records; random and secret, or it amplifies nothing."""

    __slots__ = ()


@dataclass(frozen=True)
class Poisson(Scheme):
    """Each record joins independently with this probability; where the neighbours are about users, each user with all rows.

    The coin must be of whom the relation protects: with a coin per row, a user of many rows is nearly always in the batch.
    """

    rate: Fraction

    def __post_init__(self) -> None:
        rate = exact(self.rate, "rate")
        if not 0 < rate <= 1:
            raise BadArgument("rate", self.rate, "is not in (0, 1]", "Give the probability that a record joins the batch")
        object.__setattr__(self, "rate", rate)


@dataclass(frozen=True)
class WithoutReplacement(Scheme):
    """A uniformly random batch of fixed size out of a public number of records."""

    size: int
    records: int

    def __post_init__(self) -> None:
        if _whole(self.size, "size") > _whole(self.records, "records"):
            raise BadArgument("size", self.size, f"is not from 1 to {self.records}", "Draw at least one record and at most all")


@dataclass(frozen=True)
class WithReplacement(Scheme):
    """`size` independent uniform picks out of a public number of records; one record may be picked several times."""

    size: int
    records: int

    def __post_init__(self) -> None:
        _whole(self.size, "size")
        _whole(self.records, "records")


@dataclass(frozen=True)
class Sampled(Event):
    """The event, run on a random batch instead of on all records."""

    scheme: Scheme
    event: Event

    def __post_init__(self) -> None:
        if not isinstance(self.scheme, Scheme):
            raise BadArgument("scheme", self.scheme, "is no way to draw a batch", "Give one such as Poisson(rate)")
        _event(self.event)


@dataclass(frozen=True)
class Repeated(Event):
    """The same event, `count` times, with fresh noise."""

    count: int
    event: Event

    def __post_init__(self) -> None:
        _whole(self.count, "count")
        _event(self.event)


@dataclass(frozen=True)
class Composed(Event):
    """All of these, on the same records."""

    events: tuple[Event, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", _events(self.events))


@dataclass(frozen=True)
class Parallel(Event):
    """Each of these on its own part of the records, the parts disjoint by a public rule.

    What they cost together depends on the relation: one step can change something in `touched` of the parts, see
    `neighbours.parallel`. `Parallel.of` asks the relation and refuses where the answer is not known.
    """

    events: tuple[Event, ...]
    relation: str
    touched: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", _events(self.events))
        _texts(relation=self.relation)
        _whole(self.touched, "touched")

    @staticmethod
    def of(relation: Neighbours, events: Iterable[Event], key: str | int | None = None) -> Parallel:
        """The events on parts of a table whose neighbours these are; `key` is the column that the public rule goes by."""
        return Parallel(tuple(events), str(relation), parts(relation, key))


@dataclass(frozen=True)
class Correlated(Event):
    """One event per row of the matrix with noise correlated by it (prefix sums, matrix mechanisms)."""

    matrix: tuple[tuple[Fraction, ...], ...]
    event: Event

    def __post_init__(self) -> None:
        rows = self.matrix if isinstance(self.matrix, list | tuple) else ()
        matrix = tuple(tuple(exact(entry, "matrix") for entry in row) if isinstance(row, list | tuple) else () for row in rows)
        if not matrix or not matrix[0] or len({len(row) for row in matrix}) != 1:
            raise BadArgument("matrix", self.matrix, "is not a rectangle of numbers", "Give rows of equal length")
        object.__setattr__(self, "matrix", matrix)
        _event(self.event)


@dataclass(frozen=True)
class Shared(Event):
    """Noise made jointly by parties of whom only this fraction is honest."""

    honest: Fraction
    event: Event

    def __post_init__(self) -> None:
        honest = exact(self.honest, "honest")
        if not 0 < honest <= 1:
            raise BadArgument("honest", self.honest, "is not in (0, 1]", "Give the fraction of the parties that is honest")
        object.__setattr__(self, "honest", honest)
        _event(self.event)


@dataclass(frozen=True)
class Shuffled(Event):
    """The local event of each of n people, seen only as a shuffled multiset."""

    people: int
    event: Event

    def __post_init__(self) -> None:
        _whole(self.people, "people")
        _event(self.event)


def _whole(value: object, argument: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadArgument(argument, value, "is not a whole number of 1 or more", f"Give the {argument} as an int")
    return value


def _event(value: object) -> Event:
    if not isinstance(value, Event):
        raise BadArgument("event", value, "is no event", "Give one such as Ran.of(card, digest, parameters)")
    return value


def _events(values: object) -> tuple[Event, ...]:
    if not isinstance(values, list | tuple):
        raise BadArgument("events", values, "are not a list of events", "Give a tuple of events")
    return tuple(_event(value) for value in values)


def _texts(**values: object) -> None:
    for argument, value in values.items():
        if not isinstance(value, str) or not value:
            raise BadArgument(argument, value, "is not a text", f"Give the {argument} by its name")


def _public(value: object, name: str) -> object:
    """A public parameter in a form that can be hashed, compared and recorded: exact numbers, text, truth values, tuples."""
    if value is None or isinstance(value, str | bool) or type(value) is int:
        return value
    if isinstance(value, list | tuple):
        return tuple(_public(entry, name) for entry in value)
    return exact(value, name)
