"""Two worlds for every card: its neighbouring pairs are neighbours, and its statements are about its own parameters."""

from __future__ import annotations

import importlib
import pkgutil
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given, strategies

import twoworlds.mechanisms
from tests.choosers import HypothesisChooser, SeededChooser
from twoworlds.proofs import statuses
from twoworlds.proofs.statuses import status
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate, Status
from twoworlds.worlds.errors import BadArgument, NotNeighbours
from twoworlds.worlds.neighbours import Chooser, Local


def discover() -> dict[str, Card]:
    """Every card in the room, by the name of its file and function."""
    package = twoworlds.mechanisms
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Card) and value.function.__module__ == module.name:
                found[f"{module.name.removeprefix('twoworlds.mechanisms.')}.{name}"] = value
    return found


CARDS = discover()
every_card = pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)


def public(card: Card, chooser: Chooser) -> dict[str, Any]:
    """Values for the public parameters that the bound of the card's relation speaks of."""
    names = sorted(card.neighbours.by.names - {card.neighbours.parameter})
    return {name: Fraction(chooser.integer(1, 12), chooser.integer(1, 4)) for name in names}


def test_there_are_cards() -> None:
    """The walk finds cards: nothing below passes for want of them."""
    assert len(CARDS) >= 1


@every_card
@given(data=strategies.data())
def test_pairs_are_neighbours(card: Card, data: strategies.DataObject) -> None:
    """Each pair that a relation draws is one step apart by its own measure, in both directions, and a world is 0 from itself."""
    relation, chooser = card.neighbours, HypothesisChooser(data)
    values = public(card, chooser)
    one, other = relation.pairs(chooser, values)
    assert relation.distance(one, other) == relation.distance(other, one)
    assert relation.distance(one, one) == relation.steps(one, one, values) == 0
    assert relation.steps(one, other, values) in (0, 1)
    relation.check(one, other, values)


@every_card
@given(data=strategies.data())
def test_groups_are_walks_of_neighbours(card: Card, data: strategies.DataObject) -> None:
    """A walk of k neighbours is at most k steps long and at most as far as its parts together: group privacy stands on this."""
    relation, chooser = card.neighbours, HypothesisChooser(data)
    values = public(card, chooser)
    walk = [relation.world(chooser, values)]
    length = Fraction(0)
    for _ in range(chooser.integer(1, 4)):
        walk.append(relation.neighbour(chooser, walk[-1], values))
        length += relation.distance(walk[-2], walk[-1])
    steps, distance = relation.steps(walk[0], walk[-1], values), relation.distance(walk[0], walk[-1])
    assert steps is not None and steps < len(walk)
    assert distance is not None and distance <= length


@every_card
def test_pairs_reach_the_bound(card: Card) -> None:
    """Pairs are varied, and some are as far apart as neighbours may be: what is tested on them is tested at its edge."""
    chooser = SeededChooser(1)
    reached, seen = 0, set()
    for _ in range(200):
        values = public(card, chooser)
        one, other = card.neighbours.pairs(chooser, values)
        bound = card.neighbours.bound({card.neighbours.parameter: one, **values})
        reached += card.neighbours.distance(one, other) == bound
        seen.add((repr(one), repr(other)))
    assert reached >= 10
    assert len(seen) >= (len(card.neighbours.values or range(3)) ** 2 if isinstance(card.neighbours, Local) else 20)


@every_card
def test_statements_are_about_the_cards_parameters(card: Card) -> None:
    """Price, bound and accuracy speak of parameters that the card has, and the card says what it does and whence it is."""
    parameters = set(card.parameters)
    assert card.neighbours.parameter in parameters
    assert card.price.names | card.neighbours.by.names <= parameters
    if card.accuracy is not None:
        assert card.accuracy.alpha.names - set(card.accuracy.names) - {"beta", "grid"} <= parameters
    assert card.about and card.cite
    assert len(card.digest) == 64


@every_card
def test_every_card_has_a_status(card: Card) -> None:
    """Each card is proved, tabulated or audited only; a certificate of an older source, claim or relation is an error."""
    assert status(card) in get_args(Status)


def test_a_stale_certificate_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored certificate of another source than the one that runs is refused, not passed over."""
    card = next(iter(CARDS.values()))
    stale = Certificate(card.name, "0" * 64, "PROVED", str(card.price), "alignment", {"neighbours": str(card.neighbours)})
    monkeypatch.setattr(statuses, "proved", lambda: {card.name: stale})
    with pytest.raises(BadArgument, match="stale"):
        status(card)


@every_card
def test_worst_cases_are_two_neighbouring_worlds(card: Card) -> None:
    """Each stated worst case joins two different neighbours and gives every other parameter."""
    for case in card.worst:
        assert repr(case.world) != repr(case.other)
        card.neighbours.check(case.world, case.other, case.at)
        assert set(card.bind(**{card.neighbours.parameter: case.world}, **case.at)) == set(card.parameters)


@every_card
def test_distant_worlds_are_refused(card: Card) -> None:
    """Of two unrelated worlds, the check refuses exactly those more than one step apart, and such are found.

    Under `Local` any two worlds are neighbours, so none is refused.
    """
    relation, chooser = card.neighbours, SeededChooser(2)
    refused = 0
    for _ in range(200):
        values = public(card, chooser)
        one, other = relation.world(chooser, values), relation.world(chooser, values)
        if relation.steps(one, other, values) in (0, 1):
            relation.check(one, other, values)
        else:
            refused += 1
            with pytest.raises(NotNeighbours):
                relation.check(one, other, values)
    assert refused == 0 if isinstance(relation, Local) else refused >= 20
