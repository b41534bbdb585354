"""The stored certificates of the package's own cards: written after a search, checked again without one by z3 and by cvc5."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from twoworlds.losses.prices import Pure
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.certificates import folder, load, load_all, save
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.choices import restored
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.moving import Moving
from twoworlds.proofs.obligations import obligations
from twoworlds.proofs.outcomes import tabulated
from twoworlds.proofs.prover import prove
from twoworlds.proofs.readings import Reading, readings
from twoworlds.proofs.replay import replayed
from twoworlds.proofs.rounds import METHOD, one_round
from twoworlds.proofs.rules import apply
from twoworlds.proofs.statements import Statement, Unread, stated, statements
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import TwoWorldsError, Unsupported

__all__ = ["apart_of", "flaw", "flaw_of", "flaws", "keep", "main", "main_of", "script", "write"]


def write(chosen: Iterable[Card], where: Path) -> Iterator[Certificate]:
    """Prove each card and store its certificate, whatever the verdict."""
    for card in chosen:
        certificate = prove(card)
        keep(stated(card), certificate, where)
        yield certificate


def keep(found: Statement | Unread, certificate: Certificate, where: Path) -> Path:
    """Store a certificate, with its obligations if it is a proof."""
    text = script(found, certificate) if certificate.verdict == "PROVED" and isinstance(found, Statement) else ""
    return save(certificate, where, text)


def script(found: Statement, certificate: Certificate) -> str:
    """The obligations that make the certificate a proof of the statement, made again from its program."""
    if "hints" in certificate.details:
        return _aligned(found, certificate)
    applied = apply(found) if "theorem" in certificate.details else None
    table = one_round if certificate.method == METHOD else tabulated
    text = applied.obligations if applied is not None else table(found)
    if text is None or (applied is not None and applied.theorem.name != certificate.details["theorem"]):
        raise Unsupported(found.line, f"the certificate's method, {certificate.method}, does not fit the card", "Prove it again")
    return text


def _aligned(found: Statement, certificate: Certificate) -> str:
    """The obligations of an alignment, for the reading of the price whose theorem the certificate names."""
    way, hints = _way(found, certificate), certificate.details["hints"]
    return obligations(lower(way.program), way.relation or found.relation, way.price, found.whole, hints)


def _way(found: Statement, certificate: Certificate) -> Reading:
    for way in readings(found):
        named = way.theorem == certificate.details.get("theorem", "")
        if named and way.admits(certificate.details["hints"], (way.relation or found.relation).parameter):
            return way
    raise Unsupported(found.line, "the certificate's theorem does not fit the card", "Prove it again")


def flaw(card: Card, where: Path) -> str | None:
    """Why the stored certificate does not hold for the card as it is now; None if it does."""
    found = stated(card)
    if isinstance(found, Statement) and card.digest != found.digest:
        return "is stale: the card's source has changed since"
    return flaw_of(found, where)


def flaw_of(found: Statement | Unread, where: Path) -> str | None:
    """The same for a statement, such as that of a card in a text."""
    path = where / f"{found.name}.json"
    if not path.is_file():
        return "is missing"
    try:
        certificate = load(path)
        if isinstance(found, Unread):
            return f"is for a card that cannot be read: {found.why}"
        claimed = certificate.card, certificate.digest, certificate.price, certificate.details.get("neighbours")
        if claimed != (found.name, found.digest, str(found.price), str(found.relation)):
            return "is stale: the card's source or claim has changed since"
        return _unproved(found, certificate, path) if certificate.verdict == "PROVED" else None
    except (TwoWorldsError, LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        return f"cannot be checked: {error}"


def _unproved(found: Statement, certificate: Certificate, path: Path) -> str | None:
    details = certificate.details
    by_rule = [f"rule: {details['theorem']}"] if "theorem" in details else ["table of all outcomes", METHOD]
    if certificate.method not in (["alignment"] if "hints" in details else by_rule):
        return f"says {certificate.method}, which is not how it is a proof"
    text = script(found, certificate)
    if not path.with_suffix(".smt2").is_file() or path.with_suffix(".smt2").read_text(encoding="utf-8") != text:
        return "has other obligations beside it than the card has now"
    for solver, answer in (("z3", with_z3(text)), ("cvc5", with_cvc5(text))):
        if answer is not None:
            return f"is not accepted by {solver}: {answer}"
    apart = apart_of(found, certificate) if "hints" in details else None
    return None if apart is None else f"fails when it is tried out: {apart}"


def apart_of(found: Statement, certificate: Certificate) -> str | None:
    """Where the two runs of the program itself part, on noise that an alignment's hints move; None where they never did.

    Of a program that begins with a sample, it is what follows the sample that is run.
    """
    way, hints = _way(found, certificate), certificate.details["hints"]
    program, price = (way.program, Pure(way.price.epsilon)) if way.relation else (found.program, found.price)
    relation = way.relation or found.relation
    moving = Moving(restored(lower(program)), relation.parameter, hints, found.whole)
    return replayed(program, relation, price, found.whole, moving, squared=way.is_twin)


def flaws(where: Path) -> Iterator[tuple[str, str | None]]:
    """Every card of the package with the flaw of its certificate, then certificates that belong to no card."""
    known = cards()
    for name, card in known.items():
        yield name, flaw(card, where)
    for path in sorted(where.iterdir()) if where.is_dir() else ():
        if path.stem not in known:
            yield path.name, "belongs to no card"


def main() -> int:
    """Check all certificates of the package; prints what is wrong and returns 1 if anything is."""
    shown = sum(certificate.verdict == "PROVED" for certificate in load_all(folder())) if folder().is_dir() else 0
    return _report(list(flaws(folder())), "run `twoworlds prove --write`", shown)


def main_of(files: Iterable[Path], where: Path | None) -> int:
    """Check the certificates of the cards in these files, stored there, or else beside each file."""
    found = [(one, where or file.parent / "certificates") for file in files for one in statements(file.read_text("utf-8"))]
    checked = [(one.name, flaw_of(one, place)) for one, place in found]
    paths = [place / f"{name}.json" for (name, why), (_, place) in zip(checked, found, strict=True) if why is None]
    fix = "prove the file again; what is not proved has no certificate"
    return _report(checked, fix, sum(load(path).verdict == "PROVED" for path in paths))


def _report(checked: list[tuple[str, str | None]], fix: str, shown: int) -> int:
    wrong = [(name, why) for name, why in checked if why is not None]
    for name, why in wrong:
        sys.stderr.write(f"{name}: the certificate {why}; {fix}\n")
    stand = f"{len(checked) - len(wrong)} of {len(checked)} certificates stand"
    sys.stdout.write(f"{stand}; {shown} are proofs, accepted by z3 and by cvc5, and the alignments among them were tried out\n")
    return 1 if wrong else 0
