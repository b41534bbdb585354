"""The stored certificates of the package's own cards: written after a search, checked again without one by z3 and by cvc5."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.certificates import folder, load, load_all, save
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.obligations import obligations
from twoworlds.proofs.outcomes import tabulated
from twoworlds.proofs.prover import prove
from twoworlds.proofs.rules import apply
from twoworlds.proofs.statements import Statement, Unread, stated
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import TwoWorldsError, Unsupported

__all__ = ["flaw", "flaws", "main", "script", "write"]


def write(chosen: Iterable[Card], where: Path) -> Iterator[Certificate]:
    """Prove each card and store its certificate, whatever the verdict."""
    for card in chosen:
        certificate = prove(card)
        found = stated(card)
        text = script(found, certificate) if certificate.verdict == "PROVED" and isinstance(found, Statement) else ""
        save(certificate, where, text)
        yield certificate


def script(found: Statement, certificate: Certificate) -> str:
    """The obligations that make the certificate a proof of the statement, made again from its program."""
    if "hints" in certificate.details:
        return obligations(lower(found.program), found.relation, found.price, found.whole, certificate.details["hints"])
    applied = apply(found) if "theorem" in certificate.details else None
    text = applied.obligations if applied is not None else tabulated(found)
    if text is None or (applied is not None and applied.theorem.name != certificate.details["theorem"]):
        raise Unsupported(found.line, f"the certificate's method, {certificate.method}, does not fit the card", "Prove it again")
    return text


def flaw(card: Card, where: Path) -> str | None:
    """Why the stored certificate does not hold for the card as it is now; None if it does."""
    path = where / f"{card.name}.json"
    if not path.is_file():
        return "is missing"
    try:
        certificate, found = load(path), stated(card)
        if isinstance(found, Unread):
            return f"is for a card that cannot be read: {found.why}"
        claimed = certificate.card, certificate.digest, certificate.price, certificate.details.get("neighbours")
        if claimed != (card.name, card.digest, str(found.price), str(found.relation)) or card.digest != found.digest:
            return "is stale: the card's source or claim has changed since"
        return _unproved(found, certificate, path) if certificate.verdict == "PROVED" else None
    except (TwoWorldsError, LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        return f"cannot be checked: {error}"


def _unproved(found: Statement, certificate: Certificate, path: Path) -> str | None:
    text = script(found, certificate)
    if not path.with_suffix(".smt2").is_file() or path.with_suffix(".smt2").read_text(encoding="utf-8") != text:
        return "has other obligations beside it than the card has now"
    for solver, answer in (("z3", with_z3(text)), ("cvc5", with_cvc5(text))):
        if answer is not None:
            return f"is not accepted by {solver}: {answer}"
    return None


def flaws(where: Path) -> Iterator[tuple[str, str | None]]:
    """Every card of the package with the flaw of its certificate, then certificates that belong to no card."""
    known = cards()
    for name, card in known.items():
        yield name, flaw(card, where)
    for path in sorted(where.iterdir()) if where.is_dir() else ():
        if path.stem not in known:
            yield path.name, "belongs to no card"


def main() -> int:
    """Check all certificates; prints what is wrong and returns 1 if anything is."""
    checked, wrong = 0, 0
    for name, why in flaws(folder()):
        checked += 1
        if why is not None:
            wrong += 1
            sys.stderr.write(f"{name}: the certificate {why}; run `twoworlds prove --write`\n")
    shown = sum(certificate.verdict == "PROVED" for certificate in load_all(folder())) if folder().is_dir() else 0
    sys.stdout.write(f"{checked - wrong} of {checked} certificates stand; {shown} are proofs, accepted by z3 and by cvc5\n")
    return 1 if wrong else 0
