"""Uniform whole numbers: even for every bound."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sampling.oracles import ALPHA
from tests.statistics import Judge, chi_square
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.uniform import uniform

DRAWS = 200_000


@pytest.mark.parametrize("bound", [2, 3, 200, 257, 70_001, 5 << 40])
def test_all_numbers_are_alike(judge: Judge, bound: int) -> None:
    """Equal shares, in blocks where there are many numbers; remainders of a larger range, the usual mistake, are told apart."""
    stream = SeededEntropy(61).stream()
    blocks = min(bound, 100)
    expected = [DRAWS * (-(-bound * (i + 1) // blocks) - -(-bound * i // blocks)) / bound for i in range(blocks)]
    drawn = uniform(bound, DRAWS, stream)
    assert drawn.min() >= 0 and drawn.max() < bound
    judge.fits(chi_square(np.bincount(drawn * blocks // bound, minlength=blocks).tolist(), expected, ALPHA))
    wrong = uniform(bound + -(-bound // 3), DRAWS, stream) % bound
    judge.rejects(chi_square(np.bincount(wrong * blocks // bound, minlength=blocks).tolist(), expected), planted="a remainder")


@pytest.mark.parametrize("bound", [1, 2, 2**8, 2**16, 2**32, 2**62, 2**63])
def test_every_width_of_word(bound: int) -> None:
    """Bounds at the ends of machine words are reached and not passed."""
    drawn = uniform(bound, 1000, SeededEntropy(62).stream())
    assert drawn.min() >= 0 and drawn.max() < bound
    assert bound < 3 or int(drawn.max()) > bound * 0.9


def test_no_draws_are_no_numbers() -> None:
    """An empty request is an empty array."""
    assert uniform(7, 0, SeededEntropy(1).stream()).tolist() == []
