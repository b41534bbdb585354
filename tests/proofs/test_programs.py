"""The mechanisms of the literature on proofs: each is proved at its true price, and not at a hundredth less."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from twoworlds.losses.prices import Approximate, Pure
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.prover import certified, proof
from twoworlds.proofs.recheck import apart_of, script
from twoworlds.proofs.statements import Statement, statements
from twoworlds.worlds.errors import Unsupported

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = {
    found.name: found
    for path in sorted(FOLDER.glob("*.py"))
    for found in statements(path.read_text(encoding="utf-8"))
    if isinstance(found, Statement)
}
BEYOND = {
    "noisy_max_with_gap": "no output names the runner-up, whose noise must be moved where there are ties",
    "top_k_with_gap": "no output names the first that is not among the best k, whose noise must be moved where there are ties",
}
SLOW = frozenset(BEYOND) | {
    "top_two",
    "top_k",
    "binary_tree_of_eight",
    "concentrated_search",
    "binary_tree_of_four",
    "two_searches",
    "noisy_max_monotone_one_sided",
    "smart_sum_of_blocks",
    "svt_adaptive",
    "pick_and_learn",
    "sampled_search",
    "svt_gap",
    "svt_lee_clifton",
    "svt_monotone",
    "svt_numeric",
}


def marked(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in names]


@pytest.mark.parametrize("name", marked(sorted(PROGRAMS)))
def test_it_is_proved_at_its_true_price(name: str) -> None:
    """Both solvers accept the obligations of the certificate. What is beyond the prover is not proved, and never refuted."""
    found = PROGRAMS[name]
    certificate = certified(found)
    if name in BEYOND:
        assert certificate.verdict in ("NOT PROVED", "UNSUPPORTED"), BEYOND[name]
        return
    assert certificate.verdict == "PROVED"
    text = script(found, certificate)
    assert with_z3(text) is None
    assert with_cvc5(text) is None
    assert "hints" not in certificate.details or apart_of(found, certificate) is None


TIGHT = [
    pytest.param(name, marks=pytest.mark.slow) if isinstance(found.price, Pure | Approximate) or name in SLOW else name
    for name, found in PROGRAMS.items()
    if name not in BEYOND
]


@pytest.mark.parametrize("name", TIGHT)
def test_it_is_not_proved_below_its_true_price(name: str) -> None:
    """The same program that claims a hundredth less."""
    found = PROGRAMS[name]
    less = replace(found, price=_less(found.price))
    with suppress(Unsupported):  # outside of what alignments cover: not proved either
        assert proof(less) is None


def _less(price: Any) -> Any:
    first, *others = price.formulas.values()
    if "log(" in str(first):  # what is within is an exact ratio, of which a hundredth is taken away
        return type(price)(str(first).replace("log(", "log(99 / 100 * "), *others)
    return type(price)(f"99 / 100 * ({first})", *others)
