"""The mechanisms of the literature on proofs: each is proved at its true price, and not at a hundredth less."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from twoworlds.losses.prices import Pure
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.prover import certified, proof
from twoworlds.proofs.recheck import script
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
    "flipped_bits": "coins on a list of any length have no alignment yet",
    "noisy_max_with_gap": "the winner's shift depends on noise that is drawn after it",
    "top_two": "the shifts depend on which entries win",
    "top_k": "the shifts depend on which entries win",
    "top_k_with_gap": "the shifts depend on which entries win",
    "peeled": "a list of outputs is not guessed",
    "gaussian_twice": "Gaussian noise does not compose with other draws",
    "discrete_gaussian_rounds": "Gaussian noise does not compose with other draws",
    "gaussian_queries": "Gaussian noise does not compose with other draws",
    "gaussian_number": "Gaussian noise does not compose with other draws",
    "gaussian_and_laplace": "Gaussian noise does not compose with other draws",
    "concentrated_search": "Gaussian noise does not compose with other draws",
}
SLOW = frozenset(BEYOND) - {"flipped_bits"} | {
    "binary_tree_of_eight",
    "binary_tree_of_four",
    "two_searches",
    "noisy_max_monotone_one_sided",
    "smart_sum_of_blocks",
    "svt_adaptive",
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


PURE = [name for name, found in PROGRAMS.items() if isinstance(found.price, Pure) and name not in BEYOND]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in PURE])
def test_it_is_not_proved_below_its_true_price(name: str) -> None:
    """The same program that claims a hundredth less."""
    found = PROGRAMS[name]
    assert isinstance(found.price, Pure)
    less = replace(found, price=Pure(f"99 / 100 * ({found.price.epsilon})"))
    with suppress(Unsupported):  # outside of what alignments cover: not proved either
        assert proof(less) is None
