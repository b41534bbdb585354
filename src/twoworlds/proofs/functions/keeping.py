"""Certificates of sensitivities on disk: stored beside the file, checked again from its text without a search.

The obligations are made again from the function as it is now, with the invariants in the certificate. z3 must accept all of them;
so must cvc5, unless the certificate says that it gave no answer within its measure of work when the proof was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from twoworlds.proofs.certificates import load, save
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.functions.proving import certified
from twoworlds.proofs.functions.reading import Function, from_file
from twoworlds.proofs.functions.runs import obligations
from twoworlds.proofs.functions.settling import settled
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import TwoWorldsError, Unsupported
from twoworlds.worlds.expressions import Expression

__all__ = ["KIND", "OPEN", "flaw", "flaws", "keep", "kept"]

OPEN = "open in cvc5"
KIND = ".sensitivity"
"""Ends the names of the files, so that a function and a mechanism of one name do not share one."""


def kept(text: str, where: Path | None) -> Iterator[tuple[Certificate, Path | None]]:
    """The certificate of every function of a text that states its neighbours; proofs are stored where it is said."""
    for function in from_file(text):
        certificate = certified(function)
        if certificate.verdict == "PROVED" and where is not None:
            certificate, path = keep(function, certificate, where)
            yield certificate, path
        else:
            yield certificate, None


def keep(function: Function, certificate: Certificate, where: Path) -> tuple[Certificate, Path]:
    """Store a proof with its obligations, and with those that cvc5 leaves open."""
    script = _script(function, certificate)
    certificate = replace(certificate, details={**certificate.details, OPEN: _open(script)})
    path = save(replace(certificate, card=f"{certificate.card}{KIND}"), where, script)
    return certificate, path


def _open(script: str) -> list[str]:
    """The obligations to which cvc5 gives no answer within its measure of work; one that it denies is no proof."""
    head, *queries = re.split(r"(?=^\(push 1\))", script, flags=re.MULTILINE)
    answers = [answer for query in queries if (answer := with_cvc5(head + query)) is not None]
    denied = [answer for answer in answers if not re.search(r"\(unknown( \(\w+\))?\)$", answer)]  # some give their reason
    if denied:
        raise Unsupported(1, f"cvc5 does not accept what z3 does: {denied[0]}", "Report this: it is a bug of ours or of a solver")
    return answers


def flaws(files: Iterable[Path], where: Path | None) -> Iterator[tuple[str, str | None]]:
    """Every function of the files with the flaw of its stored certificate, or None."""
    for file in files:
        for function in from_file(file.read_text(encoding="utf-8")):
            yield function.name, flaw(function, where or file.parent / "certificates")


def flaw(function: Function, where: Path) -> str | None:
    """Why the stored certificate does not hold for the function as it is now; None if it does."""
    path = where / f"{function.name}{KIND}.json"
    if not path.is_file():
        return "is missing"
    try:
        return _flaw(function, load(path), path.with_suffix(".smt2"))
    except (TwoWorldsError, LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        return f"cannot be checked: {error}"


def _flaw(function: Function, stored: Certificate, beside: Path) -> str | None:
    if function.why is not None or function.stated is None:
        return f"is for a function that cannot be read: {function.why}"
    stated, details = function.stated, stored.details
    by = details["by"] if stated.by is None else str(stated.by)
    now = f"{function.name}{KIND}", function.digest, "PROVED", str(stated.neighbours), stated.metric, by
    then = stored.card, stored.digest, stored.verdict, details.get("neighbours"), details.get("metric"), details.get("by")
    if now != then or stored.price != replace(stated, by=Expression(by)).bound:
        return "is stale: the function's source or claim has changed since"
    script = _script(function, stored)
    if not beside.is_file() or beside.read_text(encoding="utf-8") != script:
        return "has other obligations beside it than the function has now"
    if (answer := with_z3(script)) is not None:
        return f"is not accepted by z3: {answer}"
    unsaid = [answer for answer in _open(script) if answer not in details[OPEN]]
    return f"is not accepted by cvc5: {unsaid[0]}" if unsaid else None


def _script(function: Function, certificate: Certificate) -> str:
    """The obligations of a proof, made again from the function's program."""
    if function.stated is None or "hints" not in certificate.details:
        raise Unsupported(function.line, "there is no proof to store", "Prove it first")
    stated = replace(function.stated, by=Expression(certificate.details["by"]))
    return obligations(settled(function), stated, function.whole, certificate.details["hints"]["invariants"])
