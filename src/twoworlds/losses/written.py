"""The mechanisms that can be written down by name, as in `gaussian(sigma=1)`: their parameters and what they cost.

Laplace noise is named by its scale, Gaussian noise by its standard deviation, always. `sensitivity` is how far one neighbour can
move the value: in L1 for Laplace noise, in L2 for Gaussian noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.losses import prices
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Ran
from twoworlds.worlds.rationals import exact

if TYPE_CHECKING:
    from twoworlds.losses.loss import Loss
    from twoworlds.losses.moments import MomentBound

__all__ = ["BY_NAME", "WRITTEN", "Written", "loss_as_written", "written"]

Numbers = Mapping[str, Fraction]
BY_NAME = "known by its name"  # stands where an event of a card has the hash of its source


@dataclass(frozen=True)
class Written:
    """A name with its parameters: those it needs, and those it has a value for."""

    name: str
    needs: tuple[str, ...]
    about: str
    loss: Callable[[Numbers], Loss | MomentBound]
    defaults: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.needs, *self.defaults)

    @property
    def shape(self) -> str:
        """How it is written."""
        return f"{self.name}({', '.join(f'{name}=' for name in self.needs)})"


def written(name: str, **parameters: object) -> Ran:
    """The event that this mechanism ran once."""
    entry = next((one for one in WRITTEN if one.name == name and set(one.needs) <= set(parameters)), None)
    if entry is None:
        shapes = " or ".join(one.shape for one in WRITTEN if one.name == name) or ", ".join(sorted({one.name for one in WRITTEN}))
        raise BadArgument("mechanism", name, "is not known with these parameters", f"Write it as {shapes}")
    unknown = set(parameters) - set(entry.parameters)
    if unknown:
        raise BadArgument(min(unknown), parameters[min(unknown)], f"is no parameter of {name}", f"Write it as {entry.shape}")
    numbers = {key: exact(value, key) for key, value in parameters.items()}
    event = Ran.of(name, BY_NAME, {**entry.defaults, **numbers})
    loss_as_written(event)  # a parameter out of range is reported where it is written
    return event


def loss_as_written(event: Ran) -> Loss | MomentBound:
    """What a written mechanism costs."""
    if not isinstance(event, Ran):
        raise BadArgument("event", event, "is not an event that ran", "Give written('gaussian', sigma=1), or an Event")
    numbers = dict(event.parameters)
    for entry in WRITTEN:
        if event.digest == BY_NAME and entry.name == event.card and set(numbers) == set(entry.parameters):
            return entry.loss({name: exact(value, name) for name, value in numbers.items()})
    raise BadArgument("event", event.card, "is no mechanism that can be priced by its name", "Give a lookup that knows its price")


def _gaussian(numbers: Numbers) -> Loss:
    from twoworlds.losses.loss import gaussian  # noqa: PLC0415  the numeric core loads only when a number is asked for

    return gaussian(numbers["sigma"], numbers["sensitivity"])


def _laplace(numbers: Numbers) -> Loss:
    from twoworlds.losses.loss import laplace  # noqa: PLC0415  the numeric core loads only when a number is asked for

    return laplace(numbers["scale"], numbers["sensitivity"])


def _discrete_laplace(numbers: Numbers) -> Loss:
    from twoworlds.losses.loss import discrete_laplace  # noqa: PLC0415  the numeric core loads only when a number is asked for

    return discrete_laplace(numbers["scale"], numbers["sensitivity"])


def _coin(numbers: Numbers) -> Loss:
    from twoworlds.losses.loss import finite  # noqa: PLC0415  the numeric core loads only when a number is asked for

    truth = numbers["p"]
    if not 0 < truth < 1:
        raise BadArgument("p", float(truth), "tells the answer outright", "Give a probability strictly between 0 and 1")
    return finite([truth, 1 - truth], [1 - truth, truth], attained_by="the two answers")


def _priced(price: Callable[..., prices.Dialect]) -> Callable[[Numbers], Loss | MomentBound]:
    def loss(numbers: Numbers) -> Loss | MomentBound:
        return price(**numbers).loss()

    return loss


_ONE = {"sensitivity": Fraction(1)}

WRITTEN: tuple[Written, ...] = (
    Written("gaussian", ("sigma",), "Gaussian noise of this standard deviation", _gaussian, _ONE),
    Written("laplace", ("scale",), "Laplace noise of this scale", _laplace, _ONE),
    Written("discrete_laplace", ("scale",), "discrete Laplace noise on a whole number", _discrete_laplace, _ONE),
    Written("randomized_response", ("p",), "the truth with probability p, else the opposite", _coin),
    Written("randomized_response", ("epsilon",), "randomized response at this epsilon", _priced(prices.Pure)),
    Written("exponential", ("epsilon",), "the exponential mechanism, or any selection with this epsilon", _priced(prices.Pure)),
    Written("pure", ("epsilon",), "anything that is pure private", _priced(prices.Pure)),
    Written("approximate", ("epsilon", "delta"), "anything that is approximately private", _priced(prices.Approximate)),
    Written("gdp", ("mu",), "anything with this Gaussian privacy", _priced(prices.GaussianPrivacy)),
    Written("zcdp", ("rho",), "anything with this concentrated privacy", _priced(prices.Concentrated), {"delta": Fraction(0)}),
    Written("tcdp", ("rho", "omega"), "anything with this truncated privacy", _priced(prices.Truncated)),
    Written("rdp", ("order", "epsilon"), "anything with this Renyi privacy at one order", _priced(prices.Renyi)),
    Written("tv", ("delta",), "anything within this total variation", _priced(prices.TotalVariation)),
)
