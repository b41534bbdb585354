"""From the question to the noise is a short way: few functions, few files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from twoworlds.mechanisms.laplace import laplace
from twoworlds.sampling.run import run

MOST_FUNCTIONS, MOST_FILES = 60, 12
PACKAGE = str(Path(sys.modules["twoworlds"].__file__ or "").parent)


def crossed(journey: Callable[[], object]) -> set[tuple[str, str]]:
    """The functions of ours that the journey enters, as (file, name)."""
    seen: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        journey()
    finally:
        sys.setprofile(before)
    return seen


def test_one_noisy_sum_is_a_short_way() -> None:
    """A noisy sum, once its card has been parsed, crosses at most 60 functions in 12 files, and does cross some."""
    for grid in (1, "1/1024"):
        ask = lambda grid=grid: run(laplace, 12, sensitivity=1, epsilon="1/2", grid=grid)  # noqa: E731  the journey
        ask()
        seen = crossed(ask)
        files = {file for file, _ in seen}
        assert 10 <= len(seen) <= MOST_FUNCTIONS, sorted(seen)
        assert len(files) <= MOST_FILES, sorted(files)
