"""The statistical helpers: right size, real power, and no test that cannot fail."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.house import ROOT
from tests.statistics import RUN, SHARE, Comparison, Judge, binomial_test, chi_square


def laplace_counts(scale: float, draws: int, seed: int, cells: int = 60) -> list[int]:
    """Counts of rounded Laplace draws in the cells -cells..cells, both tails in the outer cells."""
    chance = random.Random(seed)
    counts = [0] * (2 * cells + 1)
    for _ in range(draws):
        value = round(chance.expovariate(1 / scale) - chance.expovariate(1 / scale))
        counts[max(-cells, min(cells, value)) + cells] += 1
    return counts


def laplace_expected(scale: float, draws: int, cells: int = 60) -> list[float]:
    def below(x: float) -> float:
        return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2

    inner = [below(i + 0.5) - below(i - 0.5) for i in range(1 - cells, cells)]
    tail = below(0.5 - cells)
    return [draws * p for p in (tail, *inner, tail)]


def test_the_right_law_fits_and_a_wider_one_does_not(judge: Judge) -> None:
    """20,000 Laplace draws fit their law; with noise scaled by 1.3 they do not."""
    expected = laplace_expected(10, 20_000)
    judge.fits(chi_square(laplace_counts(10, 20_000, seed=1), expected))
    judge.rejects(chi_square(laplace_counts(13, 20_000, seed=2), expected), planted="scale x 1.3")


def test_p_values_have_the_right_size(judge: Judge) -> None:
    """Under the right law a p-value falls below 1 in 20 about 1 time in 20; twice as often would be noticed."""
    expected = laplace_expected(5, 2_000, cells=20)
    seeds = range(400)
    low = sum(chi_square(laplace_counts(5, 2_000, seed, cells=20), expected).p_value < 0.05 for seed in seeds)
    judge.fits(binomial_test(low, 400, 0.05))
    judge.rejects(binomial_test(low, 400, 0.15), planted="size x 3")


def test_the_binomial_test_is_exact() -> None:
    """Against sums written out: 0 of 10 at one half has p = 2 / 1024, 5 of 10 has p = 1."""
    assert binomial_test(0, 10, 0.5).p_value == pytest.approx(2 / 1024)
    assert binomial_test(5, 10, 0.5).p_value == 1
    assert binomial_test(1, 10, 0.0).p_value == 0


def test_an_impossible_cell_is_rejected() -> None:
    """One draw where the law has none is enough."""
    assert chi_square([500, 499, 1], [500, 500, 0]).p_value == 0


@pytest.mark.parametrize(
    ("counts", "expected"), [([100, 100], [150, 100]), ([100], [100]), ([1, 1], [1, 1]), ([100, 100], [200])]
)
def test_what_cannot_be_compared_is_an_error(counts: list[float], expected: list[float]) -> None:
    """A missing tail, a single cell and too few draws are errors, never a p-value."""
    with pytest.raises(ValueError, match="cell"):
        chi_square(counts, expected)


def test_a_test_without_power_is_refused() -> None:
    """A judge that accepted something and rejected nothing fails at its end; one that rejected a planted fault does not."""
    judge = Judge()
    judge.fits(Comparison("fair", 0.5))
    with pytest.raises(AssertionError, match="cannot fail"):
        judge.close()
    judge.rejects(Comparison("planted", 0.0), planted="scale x 1.3")
    judge.close()
    assert judge.spent == SHARE <= RUN / 100


def test_a_fault_that_goes_unseen_fails() -> None:
    """A planted fault that fits the law fails the test, and so does a law that does not fit."""
    with pytest.raises(AssertionError, match="no power"):
        Judge().rejects(Comparison("planted", 0.5), planted="scale x 1.001")
    with pytest.raises(AssertionError, match="do not fit"):
        Judge().fits(Comparison("wrong", 1e-9))


PLANTED = """
import pytest
from tests.statistics import RUN, Comparison

@pytest.mark.parametrize("n", range({tests}))
def test_planted(judge, n):
    judge.fits(Comparison("fair", 0.5, alpha=RUN / 10))
    judge.rejects(Comparison("planted", 0.0), planted="scale x 1.3")
"""


@pytest.mark.parametrize(
    ("workers", "tests", "code", "said"),
    [("0", 10, 0, "10 tests spent 1e-06"), ("0", 11, 1, "OVERSPENT"), ("2", 11, 1, "OVERSPENT")],
)
def test_a_run_cannot_overspend(tmp_path: Path, workers: str, tests: int, code: int, said: str) -> None:
    """Ten tenths are the whole budget; one more fails a run in which every test passed, in one process or several."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_planted.py").write_text(PLANTED.format(tests=tests))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "-n", workers, tmp_path]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, said in ran.stdout) == (code, True), ran.stdout + ran.stderr
