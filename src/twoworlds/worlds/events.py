"""What happened, never what it cost. The meaning of an event never changes once it has been released.

`losses` prices events; the ledger stores them beside the price that was charged, so that a better accountant can re-run history
and a later edit of a card cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, positive

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

    @staticmethod
    def of(card: str, digest: str, parameters: Mapping[str, object], distance: Distance | None = None, length: int = 1) -> Ran:
        return Ran(card, digest, tuple(sorted(parameters.items())), distance or Distance(), length)


class Scheme:
    """How a batch is drawn from the records; random and secret, or it amplifies nothing."""

    __slots__ = ()


@dataclass(frozen=True)
class Poisson(Scheme):
    """Each record joins independently with this probability."""

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
        if not 0 < self.size <= self.records:
            raise BadArgument("size", self.size, f"is not from 1 to {self.records}", "Draw at least one record and at most all")


@dataclass(frozen=True)
class WithReplacement(Scheme):
    """`size` independent uniform picks out of a public number of records; one record may be picked several times."""

    size: int
    records: int

    def __post_init__(self) -> None:
        if self.size <= 0 or self.records <= 0:
            raise BadArgument(
                "size", self.size, "or the number of records is not positive", "Draw at least once from at least one"
            )


@dataclass(frozen=True)
class Sampled(Event):
    """The event, run on a random batch instead of on all records."""

    scheme: Scheme
    event: Event


@dataclass(frozen=True)
class Repeated(Event):
    """The same event, `count` times, with fresh noise."""

    count: int
    event: Event

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or isinstance(self.count, bool) or self.count < 1:
            raise BadArgument("count", self.count, "is not a whole number of 1 or more", "Say how many times it ran")


@dataclass(frozen=True)
class Composed(Event):
    """All of these, on the same records."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Parallel(Event):
    """Each of these on its own part of the records, the parts disjoint by a public rule."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Correlated(Event):
    """One event per row of the matrix with noise correlated by it (prefix sums, matrix mechanisms)."""

    matrix: tuple[tuple[Fraction, ...], ...]
    event: Event


@dataclass(frozen=True)
class Shared(Event):
    """Noise made jointly by parties of whom only this fraction is honest."""

    honest: Fraction
    event: Event

    def __post_init__(self) -> None:
        object.__setattr__(self, "honest", positive(self.honest, "honest"))


@dataclass(frozen=True)
class Shuffled(Event):
    """The local event of each of n people, seen only as a shuffled multiset."""

    people: int
    event: Event
