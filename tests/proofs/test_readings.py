"""What costs more than its concentrated or Gaussian price is never proved; each condition of the theorems is needed for that."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.broken.proofs import concentrated
from twoworlds.proofs import readings
from twoworlds.proofs.prover import proof
from twoworlds.proofs.readings import Reading
from twoworlds.proofs.statements import Statement, statements
from twoworlds.worlds.errors import Unsupported

TEXT = Path(concentrated.__file__).read_text(encoding="utf-8")
BROKEN = {found.name: found for found in statements(TEXT) if isinstance(found, Statement)}


def marked(names: list[str]) -> list[Any]:
    """The search for loops takes half a minute."""
    return [pytest.param(name, marks=pytest.mark.slow) if name == "gaussian_search" else name for name in names]


def test_every_broken_program_is_read() -> None:
    """None of them is unproved because it is not understood."""
    assert len(BROKEN) == TEXT.count("@mechanism(")


def is_proved(found: Statement) -> bool:
    """Whether any method proves it; what is outside of all of them is not."""
    with suppress(Unsupported):
        return proof(found) is not None
    return False


@pytest.mark.parametrize("name", marked(sorted(BROKEN)))
def test_it_is_not_proved(name: str) -> None:
    """No reading of its price is proved."""
    assert not is_proved(BROKEN[name])


@pytest.mark.parametrize("name", marked(["moved_twice_as_far", "gaussian_search", "choice_by_doubled_scores"]))
def test_a_shift_that_is_too_long_or_waits_for_its_draw_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this condition the twin's proof would pass for one of the program."""
    monkeypatch.setattr(Reading, "admits", lambda *_: True)
    assert is_proved(BROKEN[name])


@pytest.mark.parametrize(
    ("name", "condition", "instead"),
    [
        ("discrete_is_not_gaussian", "_GAUSSIAN", ("Gaussian", "DiscreteGaussian")),
        ("choice_is_not_gaussian", "_GAUSSIAN", ("Gaussian", "ExponentialWeights")),
        ("one_sided", "ONE_SIDED", ()),
    ],
)
def test_a_law_that_the_theorem_does_not_speak_of_has_no_twin(
    name: str, condition: str, instead: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its price has a reading only if the list of laws is wrong."""
    found = BROKEN[name]
    assert not any(way.is_twin for way in readings.readings(found))
    monkeypatch.setattr(readings, condition, instead)
    if name == "one_sided":
        monkeypatch.setattr(readings, "TWINNED", (*readings.TWINNED, "Exponential"))
    assert any(way.is_twin for way in readings.readings(found))


def test_a_choice_that_is_charged_by_the_index_is_refused() -> None:
    """A bound that holds for one index alone is none on how far all scores move apart."""
    [way] = [way for way in readings.readings(BROKEN["choice_paid_linearly"]) if way.is_twin]
    for charge, fits in ((None, False), ("3", False), ("2", True)):
        case = {"when": "true", "by": {}, "charge": charge}
        assert way.admits({"guess": False, "shifts": {"0": [case]}}, "scores") is fits


def test_a_choice_in_the_twin_costs_the_half_of_its_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the scale that it has in the program it would pass at a price that is linear in epsilon."""
    monkeypatch.setattr(readings, "_choice", lambda size, _: size)
    assert is_proved(BROKEN["choice_paid_linearly"])
