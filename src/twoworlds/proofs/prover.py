"""From a card to a certificate: a proof for all inputs, or an honest answer that there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from twoworlds.proofs.attempts import MOST_ALIGNMENTS, Task, attempt
from twoworlds.proofs.checker import check, with_z3
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.outcomes import tabulated
from twoworlds.proofs.readings import readings
from twoworlds.proofs.refuter import glance, refute
from twoworlds.proofs.rounds import METHOD, one_round
from twoworlds.proofs.rules import apply
from twoworlds.proofs.soundings import sounded
from twoworlds.proofs.statements import Statement, Unread, stated, statements
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate, Verdict
from twoworlds.worlds.errors import BadArgument, Missing, Unsupported

__all__ = ["certified", "proof", "prove", "prove_each", "prove_file", "prove_text"]

T = TypeVar("T")
_EFFORT = 1_000_000  # a table has many obligations, each easy or out of reach


def prove(card: Card | str) -> Certificate:
    """A certificate for a card, or for the only card in a text; a text is parsed and never run."""
    if isinstance(card, str):
        certificates = prove_text(card)
        if len(certificates) != 1:
            raise Unsupported(1, f"the text holds {len(certificates)} cards", "Give the text of one card, or call prove_text")
        return certificates[0]
    if not isinstance(card, Card):
        raise BadArgument("card", card, "is not a card", "Give a function under @mechanism(...), or the text of one")
    return certified(stated(card))


def prove_file(path: str | Path) -> list[Certificate]:
    """A certificate for every card of a file, in order; the file is parsed, never imported or run."""
    return prove_text(Path(path).read_text(encoding="utf-8"))


def prove_text(text: str) -> list[Certificate]:
    """A certificate for every card of a Python text, in order."""
    return list(prove_each(text))


def prove_each(text: str) -> Iterator[Certificate]:
    """The certificates one by one, as soon as each is decided."""
    return map(certified, statements(text))


def certified(found: Statement | Unread) -> Certificate:
    """The certificate of a statement that has been read."""
    start = time.monotonic()
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


def proof(found: Statement, alignments: int = MOST_ALIGNMENTS) -> tuple[str, dict[str, Any]] | None:
    """How the statement is proved, and what a checker needs to see it again; None if it is not. Never says why."""
    _forget()
    for method in (_by_rule, _by_table, _by_round, partial(_by_alignment, most=alignments)):
        shown = _sturdy(method, found)
        if shown is not None:
            return shown
    return None


def _sturdy(method: Callable[[Statement], T], found: Statement) -> T:
    """What the method finds. A program at which it fails ends neither the other methods nor the other programs of a file."""
    try:
        return method(found)
    except (Unsupported, Missing):
        raise
    except Exception as error:  # whatever the fault, no proof is claimed
        why = f"the prover fails at this program ({type(error).__name__}: {error})"
        raise Unsupported(found.line, why, "Please report it; a simpler way of writing the program may be proved") from error


def _by_rule(found: Statement) -> tuple[str, dict[str, Any]] | None:
    applied = apply(found)
    if applied is None or with_z3(applied.obligations) is not None:
        return None
    return f"rule: {applied.theorem.name}", {"theorem": applied.theorem.name, "cite": applied.theorem.cite}


def _by_table(found: Statement) -> tuple[str, dict[str, Any]] | None:
    script = tabulated(found)
    return None if script is None or with_z3(script, _EFFORT) is not None else ("table of all outcomes", {})


def _by_round(found: Statement) -> tuple[str, dict[str, Any]] | None:
    script = one_round(found)
    return None if script is None or with_z3(script, _EFFORT) is not None else (METHOD, {})


def _by_alignment(found: Statement, most: int) -> tuple[str, dict[str, Any]] | None:
    ways = list(readings(found))
    if not ways:
        raise Unsupported(
            found.line, f"{found.price} is no price of aligned noise", "Alignments prove pure and concentrated ones"
        )
    for way in ways:
        program, relation = lower(way.program), way.relation or found.relation
        align = () if way.relation else found.align  # it speaks of all draws of the text
        for hints in attempt(Task(program, relation, way.price, found.whole, align, found.invariant), most):
            fits = way.admits(hints, relation.parameter)
            if fits and check(program, relation, way.price, found.whole, hints) is None:
                named = {"theorem": way.theorem, "cite": way.cite} if way.theorem else {}
                return "alignment", {"hints": hints, **named}
    return None


def _decide(found: Statement) -> tuple[Verdict, str, Mapping[str, Any]]:
    """What is refuted at a glance, else a proof, else a refutation, else why there is neither."""
    why: Unsupported | None = None
    seen = _sturdy(glance, found)
    if seen is not None:
        return "REFUTED", seen.method, seen.details
    try:
        shown = proof(found)
        if shown is not None:
            return "PROVED", *shown
    except Unsupported as outside:
        why = outside
    refutation = _sturdy(refute, found)
    if refutation is not None:
        return "REFUTED", refutation.method, refutation.details
    if why is not None:
        raise why
    return "NOT PROVED", "no alignment of the known kinds", _sturdy(sounded, found)
