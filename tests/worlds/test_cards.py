"""The card: its hash is of the program, its statements are about its own parameters, wrong calls say what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds.cards import Card, Within, digest, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Each, Number


@dataclass(frozen=True)
class Costs:
    """A price that is a fixed set of names."""

    names: frozenset[str] = field(default_factory=lambda: frozenset({"epsilon"}))

    def loss(self, values: Mapping[str, object]) -> Any:
        return values


@mechanism(neighbours=Number("value", by="sensitivity"), price=Costs(), accuracy=Within("log(1 / beta) / epsilon"), cite="here")
def noisy(value, sensitivity=1, *, epsilon, sample):
    """Noise on a number.

    More about it.
    """
    return value + sample(Laplace(sensitivity / epsilon))


TEXT = """
@mechanism(neighbours=Number("value", by=1), price=Pure("epsilon"), cite="{cite}")
def noisy(value, *, epsilon, sample):
    {doc}
    noise = sample(Laplace({scale}))  # {comment}
    return value + noise
"""


def text(**parts: str) -> str:
    return TEXT.format(**{"cite": "a", "doc": '"""About."""', "scale": "1 / epsilon", "comment": "noise", **parts})


def test_the_hash_is_of_the_program() -> None:
    """Layout, comments, docstring and citation do not count."""
    same = [text(cite="b"), text(doc='"""Else."""'), text(comment="x"), text(scale="(1   /   epsilon)"), "\n\n" + text()]
    same += ["    " + text().strip().replace("\n", "\n    "), text(doc="").replace("    \n", "")]
    assert {digest(other) for other in same} == {digest(text())}
    assert len(digest(text())) == 64


@pytest.mark.parametrize(
    "changed",
    [
        text(scale="2 / epsilon"),
        text().replace('price=Pure("epsilon")', 'price=Pure("2 * epsilon")'),
        text().replace("by=1", "by=2"),
        text().replace("noisy", "noisier"),
        text().replace("*, epsilon", "*, epsilon=1"),
        text().replace("value + noise", "value - noise"),
        text().replace("value + noise", "noise + value"),
    ],
)
def test_every_statement_counts(changed: str) -> None:
    """A changed scale, price, bound, name, default or order of operands makes another program."""
    assert digest(changed) != digest(text())


@pytest.mark.parametrize("bad", ["", "x = 1", "def f(:", "lambda x: x", "class A: pass", "def f(): \x00"])
def test_text_without_a_function_has_no_hash(bad: str) -> None:
    """What is no function is refused, never hashed."""
    refuses(lambda: digest(bad))


def test_a_card_tells_about_itself() -> None:
    """Name, first line, parameters in order, and the hash of the text that runs."""
    assert isinstance(noisy, Card)
    assert (noisy.name, noisy.about, noisy.cite) == ("noisy", "Noise on a number.", "here")
    assert noisy.parameters == ("value", "sensitivity", "epsilon")
    assert noisy.digest == digest(noisy.text) and "def noisy" in noisy.text
    assert "noisy" in repr(noisy) and "Number('value', by=sensitivity)" in repr(noisy)


def test_binding_names_every_parameter() -> None:
    """Positional, named and default values are found by name; `sample` is the reader's."""
    assert noisy.bind(3, epsilon=1) == {"value": 3, "sensitivity": 1, "epsilon": 1}
    assert noisy.bind(value=3, sensitivity=2, epsilon=1)["sensitivity"] == 2


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {"epsilon": 1}),
        ((1,), {}),
        ((1,), {"epsilon": 1, "delta": 1}),
        ((1, 2, 3), {"epsilon": 1}),
        ((1,), {"epsilon": 1, "sample": None}),
    ],
)
def test_wrong_calls_say_what_the_card_takes(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Missing, unknown and doubled arguments are errors that list the parameters."""
    error = refuses(lambda: noisy.bind(*values, **named))
    assert "value, sensitivity, epsilon" in str(error)


def test_a_card_without_source_says_so() -> None:
    """A function made from text at run time has nothing to read."""
    scope: dict[str, Any] = {}
    exec("def unread(value, *, epsilon, sample): return value", scope)
    card = mechanism(neighbours=Number("value"), price=Costs())(scope["unread"])
    assert "no source text" in str(refuses(lambda: card.digest))


def unsampled(value, *, epsilon):
    return value + epsilon


def sampled(value, *, epsilon, sample):
    return value + sample(Laplace(1 / epsilon))


@pytest.mark.parametrize(
    ("neighbours", "price", "function", "says"),
    [
        (Number("value"), Costs(), unsampled, "takes no `sample`"),
        (Each("queries"), Costs(), sampled, "queries"),
        (Number("value"), Costs(frozenset({"epsilonn"})), sampled, "epsilonn"),
        (Number("value", by="sensitivity"), Costs(), sampled, "sensitivity"),
    ],
)
def test_statements_are_about_the_functions_parameters(neighbours: Any, price: Any, function: Any, says: str) -> None:
    """A statement about a parameter that the function lacks is refused where the card is declared."""
    error = refuses(lambda: mechanism(neighbours=neighbours, price=price)(function))
    assert isinstance(error, BadArgument) and says in str(error)


def test_accuracy_is_rounded_up() -> None:
    """alpha is a float not below the formula's value, with further names and the grid at hand."""
    third = Within("n / 3 + 0 * beta", n="len(values)").at(0.05, {"values": [1]})
    assert Fraction(third) >= Fraction(1, 3) > Fraction(math.nextafter(third, 0))
    tenth = Within("1 / 10 + 0 * beta").at("0.5", {})
    assert Fraction(tenth) >= Fraction(1, 10)
    assert Within("2 * grid").at(0.5, {}) == 2 and Within("2 * grid").at(0.5, {"grid": "1/4"}) == 0.5
    assert Within("log(1 / beta) / epsilon").at(0.01, {"epsilon": 1}) == pytest.approx(math.log(100))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, 0, 1, -0.5, 2], ids=repr)
def test_beta_is_a_chance_strictly_between_0_and_1(bad: Any) -> None:
    """No accuracy holds with certainty, and none for a chance that is none."""
    refuses(lambda: Within("log(1 / beta)").at(bad, {}))


def test_an_accuracy_formula_is_read_where_it_is_written() -> None:
    """A formula that does not read, or lacks a value, is an error."""
    refuses(lambda: Within("log(1 / beta"))
    refuses(lambda: Within("k", k="len("))
    assert "epsilon" in str(refuses(lambda: Within("1 / epsilon").at(0.5, {})))


def test_a_parameter_annotated_int_takes_whole_numbers_only() -> None:
    """A count that is not whole would stop a card late: sparse vector with limit 1/2 releases an answer for half its price."""

    @mechanism(neighbours=Number("value"), price=Costs())
    def counted(value, *, limit: int, epsilon, sample):
        """Noise on a number."""
        return value + sample(Laplace(limit / epsilon))

    assert counted.whole == {"limit"}
    assert counted.bind(1, limit="2", epsilon=0.5) == {"value": 1, "limit": "2", "epsilon": 0.5}
    for bad in ("1/2", 1.5, *NOT_NUMBERS):
        with pytest.raises(BadArgument, match="limit"):
            counted.bind(1, limit=bad, epsilon=1)
