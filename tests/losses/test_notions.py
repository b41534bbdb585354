"""The survey's variants: all 49, each represented by something that exists and runs, or refused with a reason."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest

from tests.losses.malformed import MALFORMED
from twoworlds.exact.combinators import mixture
from twoworlds.exact.finite import FiniteMechanism
from twoworlds.exact.lists import ListExperiment
from twoworlds.losses import prices
from twoworlds.losses.cumulants import Line
from twoworlds.losses.drawn import drawn
from twoworlds.losses.moments import MomentBound
from twoworlds.losses.notions import Notion, notion, notions
from twoworlds.losses.verdicts import posterior
from twoworlds.worlds import neighbours
from twoworlds.worlds.claims import Claim
from twoworlds.worlds.errors import BadArgument

LAWS = {
    "D": {0: "1/2", 1: "1/2"},
    "without Ann": {0: "2/3", 1: "1/3"},
    "without Bob": {0: "3/5", 1: "2/5"},
}
NAMESPACE: dict[str, Any] = {
    **{name: getattr(prices, name) for name in prices.__all__},
    **{name: getattr(neighbours, name) for name in neighbours.__all__},
    "Claim": Claim,
    "FiniteMechanism": FiniteMechanism,
    "Fraction": Fraction,
    "LAWS": LAWS,
    "Line": Line,
    "ListExperiment": ListExperiment,
    "MomentBound": MomentBound,
    "drawn": drawn,
    "mixture": mixture,
    "posterior": posterior,
}
OFFERED = [one for one in notions() if one.is_offered]


def resolved(path: str) -> Any:
    """The object of a dotted path: the longest importable module, then attributes."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name)
        return found
    raise AssertionError(path)


def test_the_survey_is_complete() -> None:
    """49 variants, no name twice; the survey's three columns hold 15, 17 and 17."""
    names = [one.name for one in notions()]
    assert len(names) == len(set(names)) == 49 == 15 + 17 + 17
    assert (names[0], names[14], names[15], names[31], names[32], names[48]) == (
        "approximate",
        "individual",
        "per-instance",
        "distributional, by simulation",
        "active partial knowledge",
        "computational zero-knowledge",
    )
    assert Counter(one.symbol for one in notions())["(Theta, epsilon)"] == 5
    assert len(OFFERED) == 36


@pytest.mark.parametrize("one", OFFERED, ids=lambda one: one.name)
def test_what_represents_a_variant_exists_and_runs(one: Notion) -> None:
    """The dotted path imports, the example evaluates, and it is made of what the path names."""
    assert resolved(one.represented_by) is not None
    value = eval(one.example, dict(NAMESPACE))
    assert value is not None and value != []
    assert isinstance(value, tuple) or one.represented_by.rsplit(".", 1)[1] in one.example or one.name == "generic"


@pytest.mark.parametrize("one", notions(), ids=lambda one: one.name)
def test_every_variant_is_said_in_one_plain_sentence(one: Notion) -> None:
    """One sentence of its own, and a reason of substance where it is not offered."""
    assert one.means.endswith(".") and one.means.count(". ") == 0 and 30 < len(one.means) < 130
    assert one.is_offered or len(one.why_not) > 40


def test_variants_are_found_by_name() -> None:
    """A name finds its variant; a part of a name lists those that contain it; anything else lists all."""
    assert notion("pufferfish").is_offered and not notion("typical").is_offered
    with pytest.raises(BadArgument, match=r"zero-knowledge, computational zero-knowledge"):
        notion("zero-k")
    for wrong in MALFORMED:
        with pytest.raises(BadArgument, match="approximate"):
            notion(wrong)
    with pytest.raises(BadArgument, match="neither"):
        Notion("x", "nothing", "loss", "Says nothing.")
