"""What the tests of the ledger share: an event, a question and its answer, a folder whose syncs cost little."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.losses.prices import Pure
from twoworlds.worlds.events import Ran

EVENT = Ran.of("laplace", "0" * 64, {"epsilon": Fraction(1, 10)})


@contextmanager
def light_folder() -> Iterator[Path]:
    """In memory where the system has a place for that: for tests of what is written, not of when it is on disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None, ignore_cleanup_errors=True) as name:
        yield Path(name)


def ask(ledger: Ledger, answer: Any, *, epsilon: object = "0.1", population: str = "people", **options: Any) -> Any:
    """Reserve, release, and what may then be let out."""
    reserved = ledger.reserve(population, EVENT, Pure(epsilon), **options)
    return reserved.answer if reserved.released else ledger.release(reserved, answer).value


def spent(ledger: Ledger, population: str = "people") -> Fraction:
    """The pure epsilon that the ledger says is spent."""
    return ledger.budget(population)[1]["epsilon"]


def charged(ledger: Ledger, population: str = "people") -> Fraction:
    """The sum of all charges in the history."""
    history = [json.loads(entry.content) for entry in ledger.history(population)]
    return sum((Fraction(entry["charge"]["epsilon"]) for entry in history if "charge" in entry), Fraction(0))


def answered(ledger: Ledger, population: str = "people") -> list[Any]:
    """Every answer that was released."""
    return [entry.value for entry in ledger.history(population) if entry.kind == "RELEASE"]
