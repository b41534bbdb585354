"""The pages that teach the proofs, from the certificates themselves: two couplings step by step, and the six sparse vectors."""

from __future__ import annotations

import inspect

from tests.broken.proofs.benchmarks import svt_chen, svt_lee_clifton, svt_roth_notes, svt_stoddard
from tests.proofs.programs.thresholds import svt_lee_clifton as lee_clifton
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.certificates import proved
from twoworlds.proofs.prover import prove
from twoworlds.worlds.claims import Certificate

PAGE = "explanation/proofs-step-by-step.md"
RULES = """
One-sided noise is above or at 0, and its mass falls by e^(-1/b) from one step to the next. Two rules pair it in the two worlds:

1. *no move*: the same noise in both worlds. It costs nothing, and what is computed from it differs by what the inputs differ by.
2. *a move up*: world 2 takes the noise of world 1 plus a, with a not below 0. It costs a / b, and closes a gap of a. A move down
   is no pairing: noise near 0 would have no partner. (Two-sided Laplace noise may move both ways, at |a| / b.)

*Pointwise equality*: to bound the probability of any output it is enough to fix one output o and to show that world 2 gives o
wherever world 1 does. So the pairing may depend on o: rule 2 in the round i = o alone, rule 1 everywhere else.

The invariant splits the rounds at the winner s = o. Up to it (i <= s) the best so far differs by at most one move; after it
(i > s) world 2 still holds s, ahead by a move. The printed split i < s / i >= s is not inductive at i = s: there the winner has
not been compared yet. And rule 2 in every round from s on would pay each time.
"""
SIX = """
## The six sparse vectors

Lyu, Su and Li (2017) compared six versions that had been published. The first two are private at the price they claim. For the
others the table has what the prover says today, and the reason; version 4 is proved at a larger price.

| | version | verdict | why |
|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """The page by its path."""
    parts = ["# Proofs, step by step\n\nWritten from the certificates by `python -m docs.generate`.\n"]
    for name, about in (("noisy_max_exponential", RULES), ("above_threshold", "")):
        card, certificate = cards()[name], proved()[name]
        lines = inspect.getsource(card.function).strip()
        parts += [f"## {card.about}\n", f"```python\n{_imports(lines)}{lines}\n```\n", about.strip() + "\n" if about else ""]
        parts.append(certificate.explain(card).markdown)
    parts.append(SIX.strip() + "\n" + "\n".join(_six()) + "\n")
    return {PAGE: "\n".join(part for part in parts if part)}


def _imports(lines: str) -> str:
    """What the card's file imports, so that the block runs."""
    laws = [law for law in ("Exponential", "Laplace") if f"{law}(" in lines]
    return (
        "from twoworlds.losses.prices import Pure\nfrom twoworlds.worlds.cards import Case, Within, mechanism\n"
        f"from twoworlds.worlds.distributions import {', '.join(laws)}\nfrom twoworlds.worlds.neighbours import Each\n\n\n"
    )


def _six() -> list[str]:
    kept, redrawn = proved()["sparse_vector"], proved()["sparse_vector_redrawn"]
    rows = [
        f"| 1 | one noisy threshold | {kept.verdict} at `{kept.price}` | each answer above pays; the threshold pays once |",
        f"| 2 | redrawn (Dwork and Roth) | {redrawn.verdict} at `{redrawn.price}` | each threshold pays for its own round |",
    ]
    wrong = (
        (3, svt_roth_notes, "the compared value is released, so every answer below pays too"),
        (4, svt_lee_clifton, "the noise of the queries does not grow with the number of answers"),
        (5, svt_stoddard, "the queries have no noise"),
        (6, svt_chen, "nothing stops it, so it pays for every answer above"),
    )
    for number, card, why in wrong:
        certificate = prove(card)
        at = prove(lee_clifton) if card is svt_lee_clifton else None
        rows.append(f"| {number} | `{card.name}` | {_said(certificate, at)} | {why} |")
    return rows


def _said(certificate: Certificate, cheapest: Certificate | None) -> str:
    details = certificate.details
    if certificate.verdict != "REFUTED":
        return f"{certificate.verdict}: {certificate.method}"
    text = f"{certificate.verdict}: `{details['world']}` and `{details['other']}`, {details.get('event', 'an output')}"
    more = f"; PROVED at `{cheapest.price}`" if cheapest is not None and cheapest.verdict == "PROVED" else ""
    return f"{text}, log ratio {_short(details['epsilon'])} for {_short(details['price'])} claimed{more}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
