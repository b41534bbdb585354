"""From a card to a certificate: a proof for all inputs, or an honest answer that there is none."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from twoworlds.losses.prices import Pure
from twoworlds.proofs.attempts import Task, attempt
from twoworlds.proofs.checker import check
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.refuter import refute
from twoworlds.proofs.statements import Statement, Unread, stated, statements
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate, Verdict
from twoworlds.worlds.errors import Unsupported

__all__ = ["prove", "prove_each", "prove_file", "prove_text"]


def prove(card: Card | str) -> Certificate:
    """A certificate for a card, or for the only card in a text; a text is parsed and never run."""
    if isinstance(card, str):
        certificates = prove_text(card)
        if len(certificates) != 1:
            raise Unsupported(1, f"the text holds {len(certificates)} cards", "Give the text of one card, or call prove_text")
        return certificates[0]
    return _certified(stated(card))


def prove_file(path: str | Path) -> list[Certificate]:
    """A certificate for every card of a file, in order; the file is parsed, never imported or run."""
    return prove_text(Path(path).read_text(encoding="utf-8"))


def prove_text(text: str) -> list[Certificate]:
    """A certificate for every card of a Python text, in order."""
    return list(prove_each(text))


def prove_each(text: str) -> Iterator[Certificate]:
    """The certificates one by one, as soon as each is decided."""
    return map(_certified, statements(text))


def _certified(found: Statement | Unread) -> Certificate:
    start = time.monotonic()
    _forget()
    if isinstance(found, Unread):
        return Certificate(found.name, "", "UNSUPPORTED", "", str(found.why), {"line": found.why.line})
    try:
        verdict, method, details = _decide(found)
    except Unsupported as why:
        verdict, method, details = "UNSUPPORTED", str(why), {"line": why.line}
    claim = {"neighbours": str(found.relation), **details}
    return Certificate(found.name, found.digest, verdict, str(found.price), method, claim, time.monotonic() - start)


def _forget() -> None:
    """Give z3 a new context: terms that it met in earlier proofs change where it looks first, and so which proof it finds."""
    try:
        import z3  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        return  # who needs it says so
    z3.z3._main_ctx = None


def _decide(found: Statement) -> tuple[Verdict, str, Mapping[str, Any]]:
    if not isinstance(found.price, Pure):
        raise Unsupported(found.line, f"{found.price} is no pure price", "Alignments prove pure prices")
    program = lower(found.program)
    for hints in attempt(Task(program, found.relation, found.price, found.whole)):
        if check(program, found.relation, found.price, found.whole, hints) is None:
            return "PROVED", "alignment", {"hints": hints}
    refutation = refute(found)
    if refutation is not None:
        return "REFUTED", "exact probabilities", refutation.details
    return "NOT PROVED", "no alignment of the known kinds", {}
