"""A theorem's cost is that of the card's own expressions, whatever the card calls its parameters and whatever their signs are."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from twoworlds.mechanisms.catalogue import card
from twoworlds.proofs.checker import with_z3
from twoworlds.proofs.rules import apply
from twoworlds.proofs.statements import Statement, stated, statements

HEAD = """
from twoworlds.losses.prices import GaussianPrivacy, Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import BernoulliExp, Gaussian, Laplace, Uniform
from twoworlds.worlds.neighbours import L2, Each

"""
CAPTURED = """
@mechanism(neighbours=L2("values", by=1), price={price})
def captured(values, *, {scale}, sample):
    return values + sample({law}({scale}), len(values))
"""
NEGATIVE = """
@mechanism(neighbours=Each("scores", by=1), price=Pure("2 * rate / scale + scale"))
def negative(scores, *, rate, scale, sample):
    best = max(scores)
    left = [i for i in range(len(scores))]
    for _ in range(len(scores)):
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(rate * (best - scores[pick]) / scale)):
            return pick
        left = [i for i in left if i != pick]
    return None
"""


def accepted(found: object) -> bool | None:
    """Whether the solver accepts the theorem's cost; None where no theorem fits."""
    assert isinstance(found, Statement)
    applied = apply(found)
    return None if applied is None else with_z3(applied.obligations) is None


BY_RULE = [
    "binary_tree",
    "exponential",
    "gaussian",
    "k_ary_response",
    "laplace_euclidean",
    "partition_selection",
    "permute_and_flip",
]


@pytest.mark.parametrize("name", BY_RULE)
def test_the_rules_fit_the_cards_that_they_are_for(name: str) -> None:
    """The theorem is recognised in the card and costs no more than the card's price."""
    assert accepted(stated(card(name))) is True


@pytest.mark.parametrize(
    ("law", "price", "honest"),
    [("Laplace", 'Pure("sqrt(len(values))")', 'Pure("sqrt(len(values)) / {scale}")'), ("Gaussian", 'GaussianPrivacy("1")', "")],
)
@pytest.mark.parametrize("scale", ["by", "sigma", "SCALE"])
def test_a_parameter_called_by_is_not_the_relations_bound(law: str, price: str, honest: str, scale: str) -> None:
    """Noise of scale `by` for a move of 1 costs 1 / by: were the name taken for the bound, it would cost 1 whatever the scale."""
    honest = honest or 'GaussianPrivacy("1 / {scale}")'
    for stated_price, holds in ((price, False), (honest.format(scale=scale), True)):
        [found] = statements(HEAD + CAPTURED.format(law=law, price=stated_price, scale=scale))
        assert accepted(found) is holds


def test_a_coins_divisor_may_be_negative() -> None:
    """With rate = scale = -1 this is permute and flip at epsilon 2; its price is right for scales above 0 only."""
    [found] = statements(HEAD + NEGATIVE)
    assert accepted(found) is False


@pytest.mark.parametrize(("factor", "holds"), [("0.99999999999999999999", False), ("1.00000000000000000001", True)])
def test_a_price_is_proved_as_it_is_charged(factor: str, holds: bool) -> None:
    """What is charged are the digits of the formula; the float that Python makes of these would be 1."""
    text = f"""
@mechanism(neighbours=L2("values", by=1), price=GaussianPrivacy("{factor} / sigma"))
def priced(values, *, sigma, sample):
    return values + sample(Gaussian(sigma), len(values))
"""
    [found] = statements(HEAD + text)
    assert accepted(found) is holds
    assert (found.price.at({"sigma": 1})["mu"] >= 1) is holds  # type: ignore[union-attr]  # it was read


SELECTION_TWINS = {
    "a shorter tail": ("range(2 * reach + 1)", "range(2 * reach)"),
    "half the noise": ("1 / epsilon", "2 / epsilon"),
    "a step of two": ("by=1", "by=2"),
    "half steps": ("grid=1)", 'grid="1/2")'),
    "steps of any size": (", grid=1", ""),
    "half a reach": ("reach: int", "reach"),
    "a lower threshold": ("count > reach", "count >= reach"),
    "a smaller delta": ('"exp(-reach', '"0.9 * exp(-reach'),
    "a smaller epsilon": ('"epsilon",', '"epsilon * 0.9",'),
}


@pytest.mark.parametrize("twin", SELECTION_TWINS)
def test_the_rule_for_naming_groups_fits_no_wrong_twin(twin: str) -> None:
    """Whole steps of 1, a whole reach, this noise, this threshold and no less than this price: each is needed."""
    slip, instead = SELECTION_TWINS[twin]
    text = Path(inspect.getfile(card("partition_selection").function)).read_text()
    assert slip in text
    (found,) = statements(text.replace(slip, instead, 1))
    assert accepted(found) is not True
