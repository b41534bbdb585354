"""The account: one certified answer, everything around it computed from the same loss, and plain data for machines."""

from __future__ import annotations

import json
import math

import pytest

from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses import loss, prices
from twoworlds.losses.account import account
from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import parse
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Ran

TEXT = "gaussian(sigma=1) sampled at 0.01, 10000 times"


def test_an_account_at_a_delta() -> None:
    """The certified epsilon, the curve, the odds, the verdict and the older methods, all of the same releases."""
    found = account(TEXT, delta="1e-6", records=1000)
    assert found.text == TEXT and found.asked == "delta" and found.delta.lower == found.delta.upper == 1e-6
    assert found.epsilon == loss_of(parse(TEXT)).epsilon("1e-6") and found.epsilon.is_certified
    assert found.curve[0][0] == 0 and found.curve[-1][0] == 1 and found.curve[-1][1].upper == 0
    lowers = [beta.lower for _, beta in found.curve]
    assert lowers == sorted(lowers, reverse=True) and all(beta.lower <= 1 - alpha + 1e-12 for alpha, beta in found.curve)
    assert [one.prior for one in found.odds] == [0.001, 0.01, 0.1, 0.5]
    assert all(one.prior < one.posterior < 1 and one.guess >= max(one.prior, 1 - one.prior) for one in found.odds)
    assert "1,000 records" in found.verdict[1]
    assert min(priced.epsilon for priced in found.older) >= found.epsilon.lower


def test_an_account_at_an_epsilon() -> None:
    """Asked the other way round, delta is the certified answer, and the older methods answer at that delta."""
    found = account("laplace(scale=2)", epsilon="0.25")
    assert found.asked == "epsilon" and found.epsilon.upper == 0.25
    assert found.delta.upper == pytest.approx(1 - math.exp(-0.125)) and found.delta.lower <= found.delta.upper
    assert not account("pure(epsilon=1)", epsilon=1, older=False).older


def test_accounts_of_bare_bounds_and_of_cards() -> None:
    """Moment bounds have accounts too, and so do events of cards, given who knows their price."""
    bare = account("zcdp(rho=0.1), 3 times", delta="1e-6")
    assert bare.epsilon.lower == 0 and bare.curve[3][1].lower > 0
    card = Ran.of("count", "digest", {"epsilon": "0.5"})
    found = account(card, delta="1e-6", lookup=lambda _: prices.Pure("epsilon"))
    assert found.epsilon.upper <= 0.5 and "count" in found.text


def test_what_is_infinite_is_null_in_json() -> None:
    """The account is plain JSON; numbers that are not finite become null."""
    plain = json.loads(json.dumps(account("gaussian(sigma=1), 3 times", delta=1e-5).json(), allow_nan=False))
    assert plain["epsilon"]["method"] == "certified" and plain["older"][0]["epsilon"] is None
    assert plain["curve"][0]["alpha"] == 0 and set(plain["odds"][0]) == {"prior", "posterior", "guess"}
    hopeless = account("gaussian(sigma=1)", delta=0).json()
    assert hopeless["epsilon"]["upper"] is None and "tell outright" in hopeless["verdict"][0]


def test_malformed_accounts_are_refused() -> None:
    """Exactly one of delta and epsilon, in range, and something to account for."""
    for what in (*MALFORMED, "nonsense"):
        with pytest.raises(BadArgument):
            account(what, delta=0.1)
    for asked in ({}, {"delta": 0.1, "epsilon": 1}):
        with pytest.raises(BadArgument, match="one of both is needed"):
            account("pure(epsilon=1)", **asked)
    assert accepted(lambda delta: account("pure(epsilon=1)", delta=delta, older=False), {"delta": 0.1}) == []
    assert accepted(lambda epsilon: account("pure(epsilon=1)", epsilon=epsilon, older=False), {"epsilon": 1}) == []
    records = {"records": (None,)}
    assert (
        accepted(lambda records: account("pure(epsilon=1)", delta=0.1, records=records, older=False), {"records": 9}, records)
        == []
    )
    assert loss.pure(1).epsilon(0.1).upper < 1


@pytest.mark.parametrize("text", ["approximate(epsilon=1, delta=1e-6)", "pure(epsilon=1e6)", "gaussian(sigma=1e-5)"])
def test_an_account_is_given_at_the_edges(text: str) -> None:
    """A delta that is all used up, and an epsilon beyond any double's exponential, have an account like others."""
    found = account(text, delta="1e-6", older=False)
    assert math.isfinite(found.epsilon.upper)
    assert all(0 <= belief.posterior <= 1 for belief in found.odds)
