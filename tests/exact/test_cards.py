"""Every card at its worst cases and on random neighbours, and every planted wrong card."""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.choosers import SeededChooser
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.mechanisms.catalogue import cards
from twoworlds.worlds.cards import Card, Case
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.grid import on_grid
from twoworlds.worlds.neighbours import Number

BROKEN = Path(__file__).parents[1] / "broken" / "exact" / "cards.py"
CASES = [(name, case) for name, card in cards().items() for case in card.worst]
every_case = pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])


def planted(path: Path = BROKEN) -> dict[str, Card]:
    """The wrong cards of a file."""
    spec = importlib.util.spec_from_file_location(f"tests.broken.{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {value.name: value for value in vars(module).values() if isinstance(value, Card)}


def claimed(card: Card, case: Case) -> Any:
    return card.price.loss({**case.at, card.neighbours.parameter: case.world})


def table_of(card: Card, case: Case) -> Table:
    return tabulate(card, case.world, case.other, **case.at)


@every_case
def test_no_card_costs_more_than_it_says(name: str, case: Case) -> None:
    """In its worst case the exact loss of each card is at most its price, at every epsilon; pure prices bound epsilon itself."""
    card = cards()[name]
    table, loss = table_of(card, case), claimed(card, case)
    for epsilon in ("0", "1/4", "1", "2"):
        assert table.delta(epsilon).lower <= loss.delta(epsilon).upper
    price = loss.epsilon(0).upper
    if math.isfinite(price):
        assert table.epsilon.lower <= price
        assert table.delta(min(price * (1 + 1e-9), 50)).upper <= 1e-9


@pytest.mark.parametrize("name", sorted(cards()))
def test_no_random_neighbours_cost_more(name: str) -> None:
    """Drawn neighbours, rounded to the grid where they stay neighbours, never cost more than the price."""
    assert excess(cards()[name], 3) <= 0


def excess(card: Card, pairs: int) -> float:
    """By how much drawn neighbours show more than the price at most: in epsilon where the price is pure, in delta otherwise."""
    chooser, case, tried, worst = SeededChooser(7), card.worst[0], 0, -math.inf
    while tried < pairs:
        world, other = (
            _rounded(each) for each in card.neighbours.pairs(chooser, {**case.at, card.neighbours.parameter: case.world})
        )
        if card.neighbours.steps(world, other, case.at) != 1:
            continue
        tried += 1
        table = tabulate(card, world, other, **case.at)
        loss = claimed(card, Case(world, other, case.at))
        worst = max(worst, table.delta("1/2").lower - loss.delta("1/2").upper)
        if math.isfinite(loss.epsilon(0).upper):
            worst = max(worst, table.epsilon.lower - loss.epsilon(0).upper)
    return worst


@pytest.mark.parametrize("name", ["noisy_max_with_its_value", "exponential_without_the_two", "lies_too_rarely", "tells_the_coin"])
def test_random_neighbours_catch_planted_cards(name: str) -> None:
    """Planted: worlds that are drawn, and not chosen by whoever planted it, show a wrong card up."""
    assert excess(planted()[name], 6) > 0.05


def _rounded(world: Any) -> Any:
    if isinstance(world, list | tuple):
        return type(world)(map(_rounded, world))
    return world if isinstance(world, bool) else on_grid(world, Fraction(1))


@pytest.mark.parametrize("name", sorted(planted()))
def test_planted_wrong_cards_are_caught(name: str) -> None:
    """Each planted wrong card is shown to cost more than its price, with an output that witnesses it."""
    card = planted()[name]
    for case in card.worst:
        table, price = table_of(card, case), claimed(card, case).epsilon(0).upper
        assert table.epsilon.lower > price + 0.1
        assert table.delta(price).lower > 1e-6
        assert table.witness.ratio.lower > math.exp(price + 0.1)


def test_the_course_listing_pays_for_every_query() -> None:
    """The course's listing compares with T: its loss is k / 4 for k queries that all move, and grows without bound."""
    listing = planted(BROKEN.parents[1] / "proofs" / "course_above_threshold.py")["course_above_threshold"]
    for count in (1, 4, 8, 20):
        table = tabulate(listing, [1] * count, [0] * count, threshold=1, epsilon=1)
        assert table.epsilon.lower <= count / 4 <= table.epsilon.upper
        assert table.epsilon.width < 1e-12


def test_above_threshold_does_not() -> None:
    """The card's exact loss grows with the number of queries, towards its price and never past it."""
    found: list[Interval] = []
    for count in (1, 2, 5, 12, 30):
        table = tabulate(above_threshold, [0] * count + [1], [1] * count + [0], threshold=2, epsilon=1)
        found.append(table.epsilon)
    assert all(one.upper < other.lower for one, other in pairwise(found))
    assert found[-1].upper <= 1
    assert found[-1].lower > 0.999


def test_fifty_queries_at_a_small_epsilon() -> None:
    """Fifty queries at epsilon 1/10: the loss of worlds that all move one way is half the price, to many digits."""
    table = tabulate(above_threshold, [0] * 50, [1] * 50, threshold=3, epsilon="1/10")
    assert table.epsilon.lower > 0.0499999
    assert table.epsilon.upper <= 0.05
    assert len(table.outputs) == 51


def test_laplace_attains_its_scale() -> None:
    """Discrete Laplace of scale b on neighbouring integers has epsilon 1/b exactly, at every output but those between."""
    text = "def f(q, *, scale, sample):\n    return q + sample(Laplace(scale))\n"
    for scale in ("1/3", 1, "5/2", 40):
        table = tabulate(text, 0, 1, neighbours=Number("q"), scale=scale)
        assert table.epsilon.lower <= 1 / Fraction(scale) <= table.epsilon.upper
        assert table.epsilon.width <= 1e-14 * (1 + table.epsilon.upper)
