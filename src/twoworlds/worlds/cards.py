"""The card: a mechanism written once in plain Python, with what is claimed of it.

    @mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"), cite="...")
    def name(queries, threshold, *, epsilon, sample): ...

`sample` is the function's only effect and is handed in by whoever reads the card: `sampling` runs the source, `exact` tabulates
it, `proofs` proves it, `audits` attacks it.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import FunctionType
from typing import Any, Protocol

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.rationals import exact, float_above

__all__ = ["Card", "Case", "Price", "Within", "called", "digest", "mechanism", "source"]


class Price(Protocol):
    """What a card costs, as formulas over its public parameters; `losses` has the real ones."""

    @property
    def names(self) -> frozenset[str]:
        """The parameters that the price needs."""
        ...

    def at(self, values: Mapping[str, object] | None = None) -> dict[str, Fraction]:
        """The numbers at these parameters, rounded against us."""
        ...

    def loss(self, values: Mapping[str, object] | None = None) -> Any:
        """The loss at these parameters."""
        ...


@dataclass(frozen=True)
class Within:
    """An accuracy theorem: with probability 1 - beta the answer is within `alpha` of the truth.

    On the grid a textbook bound is off by at most a step or two, so formulas may name `grid` (1 unless it is given).

    `alpha` is a formula over the card's parameters, beta, and the further names given here. What "within" means for a card,
    and so how a simulation checks it, is said by its `error` function in the tests.
    """

    alpha: Expression
    names: Mapping[str, Expression] = field(default_factory=dict)

    def __init__(self, alpha: str, **names: str) -> None:
        object.__setattr__(self, "alpha", Expression.of(alpha))
        object.__setattr__(self, "names", {name: Expression.of(text) for name, text in names.items()})

    def at(self, beta: object, values: Mapping[str, object]) -> float:
        """The bound alpha for this beta at these parameters, rounded up."""
        chance = exact(beta, "beta")
        if not 0 < chance < 1:
            raise BadArgument("beta", beta, "is not between 0 and 1", "Give the probability with which the bound may fail")
        known = {"grid": 1, **values, "beta": chance}
        known |= {name: formula.enclose(known) for name, formula in self.names.items()}
        return float_above(self.alpha.above(known))


@dataclass(frozen=True)
class Case:
    """A worst case: two neighbouring worlds and public parameters where the card leaks most."""

    world: Any
    other: Any
    at: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Card:
    """A mechanism: its function and the statements about it."""

    function: Callable[..., Any]
    neighbours: Neighbours
    price: Price
    accuracy: Within | None = None
    cite: str = ""
    worst: tuple[Case, ...] = ()
    align: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @cached_property
    def text(self) -> str:
        """The source of the function that runs, decorator included."""
        return source(self.function)

    @cached_property
    def digest(self) -> str:
        """The hash that ties a certificate to this source."""
        return digest(self.text, self.helpers.values())

    @cached_property
    def helpers(self) -> Mapping[str, str]:
        """The source of the functions of its own module that the card calls, and of those that they call, by name."""
        scope, found, waiting = getattr(self.function, "__globals__", {}), {}, [self.text]
        while waiting:
            for name in called(waiting.pop()):
                function = scope.get(name)
                if name not in found and isinstance(function, FunctionType) and function.__globals__ is scope:
                    found[name] = source(function)
                    waiting.append(found[name])
        return dict(sorted(found.items()))

    @cached_property
    def signature(self) -> inspect.Signature:
        """How its function is called."""
        return inspect.signature(self.function)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters but `sample`, in order."""
        return tuple(name for name in self.signature.parameters if name != "sample")

    @cached_property
    def whole(self) -> frozenset[str]:
        """The parameters annotated `int`: the claim is about whole numbers of 0 or more only, so nothing else is let in."""
        parameters = self.signature.parameters.values()
        return frozenset(parameter.name for parameter in parameters if parameter.annotation in (int, "int"))

    def bind(self, *values: Any, **named: Any) -> dict[str, Any]:
        """The card's parameters by name, or an error that names what is missing or unknown."""
        try:
            bound = self.signature.bind(*values, **named, sample=None)
        except TypeError as error:
            expected = ", ".join(self.parameters)
            raise BadArgument("arguments", self.name, f"cannot be called so: {error}", f"It takes: {expected}") from None
        bound.apply_defaults()
        for name in self.whole & bound.arguments.keys():
            number = exact(bound.arguments[name], name)
            if number.denominator != 1 or number < 0:
                why = "is not a whole number of 0 or more"
                raise BadArgument(name, bound.arguments[name], why, f"{self.name} counts with {name}")
        return {name: value for name, value in bound.arguments.items() if name != "sample"}

    def __repr__(self) -> str:
        return f"<card {self.name}: {self.price} for {self.neighbours}>"


def mechanism(
    *,
    neighbours: Neighbours,
    price: Price,
    accuracy: Within | None = None,
    cite: str = "",
    worst: tuple[Case, ...] = (),
    align: tuple[str, ...] = (),
    invariant: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Card]:
    """Make a card of a plain function whose only effect is `sample`; the prover may take `align` and `invariant` as a hint."""
    if not isinstance(neighbours, Neighbours):
        raise BadArgument("neighbours", neighbours, "is not a relation", 'Give one such as Each("queries", by=1)')
    if not (hasattr(price, "names") and hasattr(price, "loss")):
        raise BadArgument("price", price, "is not a price", 'Give one such as Pure("epsilon")')

    def card(function: Callable[..., Any]) -> Card:
        parameters = inspect.signature(function).parameters
        if "sample" not in parameters:
            raise BadArgument("function", function.__name__, "takes no `sample`", "Add `*, sample` and draw all noise from it")
        if neighbours.parameter not in parameters:
            raise BadArgument(
                "neighbours",
                str(neighbours),
                f"speaks of a parameter that {function.__name__} lacks",
                "Name one of its parameters",
            )
        unknown = sorted((price.names | neighbours.by.names) - set(parameters))
        if unknown:
            raise BadArgument("price", str(price), f"or the bound needs {', '.join(unknown)}", "Name the function's parameters")
        return Card(function, neighbours, price, accuracy, cite, worst, align, invariant)

    return card


def source(function: Callable[..., Any]) -> str:
    """The text of a function, decorator included."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        name = getattr(function, "__name__", "card")
        raise BadArgument("card", name, "has no source text to read", "Write the mechanism in a file") from None


def digest(text: str, helpers: Iterable[str] = ()) -> str:
    """The hash of a function's source as a program: layout, comments and docstring do not count, statements and claims do.

    The texts of functions that it calls, in the order of their names, count with it.
    """
    return hashlib.sha256("\n".join(_outline(part) for part in (text, *helpers)).encode()).hexdigest()


def _outline(text: str) -> str:
    """A function without its docstring and without what is said of it, in one layout; the tree's dump differs between Pythons."""
    function = _function(text)
    if ast.get_docstring(function) is not None and len(function.body) > 1:
        function.body = function.body[1:]
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            decorator.keywords = [word for word in decorator.keywords if word.arg in ("neighbours", "price")]
    return ast.unparse(function)


def _function(text: str) -> ast.FunctionDef:
    try:
        return next(node for node in ast.parse(textwrap.dedent(text)).body if isinstance(node, ast.FunctionDef))
    except (SyntaxError, ValueError, StopIteration):
        raise BadArgument("text", text, "holds no function", "Write the mechanism as a plain `def`") from None


def called(text: str) -> list[str]:
    """The plain names that a function calls, each once."""
    body = ast.Module(list(_function(text).body), [])
    calls = (node.func for node in ast.walk(body) if isinstance(node, ast.Call))
    return list(dict.fromkeys(func.id for func in calls if isinstance(func, ast.Name)))
