"""What a certificate says, in words: the coupling in two columns, where the budget goes, the invariants; or the two worlds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from twoworlds.proofs.choices import WEIGHTED, scale_of
from twoworlds.proofs.infix import infix
from twoworlds.proofs.monomials import Monomial, monomial, spelled, total
from twoworlds.proofs.readings import readings
from twoworlds.proofs.statements import Statement, Unread, stated, statements
from twoworlds.source.program import Draw, For, While, walk
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate

__all__ = ["Explanation", "explained"]

_FORETOLD = (
    "The output is fixed as a whole, entry by entry: whether a number will be in it is known before the noise is drawn, and "
    "at most as many numbers are in it as it has entries."
)


_METHODS = {
    "table of all outcomes": (
        "For every value of the secret, every way in which the noise can fall was followed, with its chance as a formula.",
        "Two solvers agree that no output's chance is larger than exp(price) times its chance in another world.",
    ),
    "table of one round of the loop": (
        "The secret is read in one loop, by each round its own part only, so the chances of what all rounds do are products.",
        "For every kind of entry, every way in which the noise of one round can fall was followed, with its chance as a formula.",
        "Two solvers agree that the rounds that may differ make nothing more than exp(price) times as likely.",
    ),
}


@dataclass(frozen=True)
class Explanation:
    """Paragraphs before and after one table: `str` for the terminal, `markdown` for pages, HTML for notebooks."""

    title: str
    before: tuple[str, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        widths = [max(len(row[at]) for row in (self.head, *self.rows)) for at in range(len(self.head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in self._table()]
        return "\n".join([self.title, "", *self.before, "", *lines, *([""] if lines else []), *self.after]).rstrip()

    def _table(self) -> tuple[tuple[str, ...], ...]:
        return (self.head, *self.rows) if self.head else ()

    @property
    def markdown(self) -> str:
        rows = [f"| {' | '.join(f'`{cell}`' if cell else ' ' for cell in row)} |" for row in self.rows]
        table = [f"| {' | '.join(self.head)} |", "|" + "---|" * len(self.head), *rows] if self.head else []
        return "\n\n".join([f"**{self.title}**", *self.before, "\n".join(table), *self.after]).replace("\n\n\n\n", "\n\n") + "\n"

    def _repr_html_(self) -> str:
        cells = "".join("<tr>" + "".join(f"<td><code>{escape(cell)}</code></td>" for cell in row) + "</tr>" for row in self.rows)
        head = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in self.head) + "</tr>"
        table = f"<table>{head}{cells}</table>" if self.head else ""
        said = [f"<p>{escape(text)}</p>" for text in self.before], [f"<p>{escape(text)}</p>" for text in self.after]
        return f"<p><strong>{escape(self.title)}</strong></p>{''.join(said[0])}{table}{''.join(said[1])}"


def explained(certificate: Certificate, card: Card | str | None = None) -> Explanation:
    """The certificate in words; with the card or its text also the lines of the noise and the price of plain composition."""
    title = f"{certificate.card}: {certificate.verdict}"
    if certificate.verdict == "REFUTED":
        return _refutation(certificate, f"{title}, claims {certificate.price}")
    if certificate.verdict != "PROVED" or "shifts" not in certificate.details.get("hints", {}):
        said = (f"{certificate.price}: {certificate.method}.", *_METHODS.get(certificate.method, ()))
        return Explanation(title, said, after=tuple(_invariants(certificate)))
    found = _statement(certificate, card)
    theorem = certificate.details.get("theorem")
    price = f"{title} at {certificate.price} for {certificate.details.get('neighbours', '')}"
    before = (
        "Both worlds run side by side, world 2 on the noise of world 1, moved so that both do the same.",
        "u is the largest move of an entry, a prime marks world 2.",
        *((f"By a theorem: {theorem} ({certificate.details.get('cite', '')}).",) if theorem else ()),
        *(("One output is fixed, and it is shown that world 2 gives it wherever world 1 does.",) * _guesses(certificate)),
        *((_FORETOLD,) * _foretells(certificate)),
    )
    head = ("line", "noise in world 1", "in world 2", "when", "costs")
    return Explanation(price, before, head, tuple(_rows(certificate, found)), tuple(_after(certificate, found)))


def _squared(certificate: Certificate, found: Statement | None) -> frozenset[str]:
    """The sites whose shifts cost the half of their square in scales: what is concentrated, and proved as that."""
    theorem, shifts = str(certificate.details.get("theorem", "")), certificate.details["hints"]["shifts"]
    if theorem.startswith("composition of aligned"):
        return frozenset(shifts)
    ways = () if found is None or not theorem else readings(found)
    return frozenset(str(site) for way in ways if way.theorem == theorem for site in way.twinned)


def _foretells(certificate: Certificate) -> bool:
    """Whether a shift or an invariant speaks of the entries of an output, or of which numbers are in it."""
    hints = certificate.details["hints"]
    whens = [case["when"] for cases in hints["shifts"].values() for case in cases]
    return any("$among" in text or re.search(r"\(\$o\d", text) for text in (*whens, *hints["invariants"]))


def _guesses(certificate: Certificate) -> bool:
    return bool(certificate.details["hints"].get("guess"))


def _statement(certificate: Certificate, card: Card | str | None) -> Statement | None:
    """The card's program, if it is the certificate's."""
    if card is None:
        from twoworlds.mechanisms.catalogue import cards  # noqa: PLC0415  all cards load only where one is asked for

        card = cards().get(certificate.card)
    found: list[Statement | Unread] = [] if card is None else statements(card) if isinstance(card, str) else [stated(card)]
    same = (one for one in found if isinstance(one, Statement) and one.digest == certificate.digest)
    return next(same, None)


def _draws(found: Statement | None) -> dict[str, Draw]:
    return {} if found is None else {str(draw.site): draw for draw in found.program.draws}


def _rows(certificate: Certificate, found: Statement | None) -> Iterator[tuple[str, ...]]:
    draws, squared = _draws(found), _squared(certificate, found)
    for site, cases in certificate.details["hints"]["shifts"].items():
        draw = draws.get(site)
        law = (
            "noise" if draw is None else f"{draw.noise.law}({', '.join(_plain(spelled(part)) for part in draw.noise.arguments)})"
        )
        for case in cases:
            shift = _shift(case["by"])
            when = "always" if len(cases) == 1 else "otherwise" if case is cases[-1] else infix(case["when"])
            units = case.get("charge")
            is_choice = draw is not None and draw.noise.law == WEIGHTED
            each = f"({{}} / scale)^2 / {8 if is_choice else 2}" if site in squared else "{} / scale"
            size = (
                f"|{shift.removeprefix('+ ')}|"
                if units is None
                else "u"
                if units == "1" and site in squared and not is_choice
                else f"{units} * u"
            )
            costs = "0" if units == "0" else each.format(size)
            other = "the same index" if is_choice else f"noise {shift}".strip()
            yield (str(draw.line) if draw else "", law, other, when, costs)


def _plain(text: str | None) -> str:
    """A formula without brackets that say nothing."""
    return "?" if text is None else ast.unparse(ast.parse(text, mode="eval"))


def _shift(by: Mapping[str, Any]) -> str:
    """`{"(queries.1 i.1)": -1, "$u": 1}` as + u - (queries'[i] - queries[i])."""
    parts = []
    for atom, times in sorted(by.items(), key=lambda part: part[0] != "$u"):
        if atom == "$u":
            text = "u"
        else:
            one = infix(atom)
            name, bracket, index = one.partition("[")
            text = f"({name}'{bracket}{index} - {one})"
        size = "" if abs(int(times)) == 1 else f"{abs(int(times))} * "
        parts.append(f"{'-' if int(times) < 0 else '+'} {size}{text}")
    return " ".join(parts)


def _after(certificate: Certificate, found: Statement | None) -> Iterator[str]:
    yield from _invariants(certificate)
    for bound in certificate.details["hints"].get("bounds", ()):
        present = re.fullmatch(r"\(<= \(\* 0\.0 \$K(\d+)\) (\S+)\)", bound)
        if present:
            yield f"Where spent[{present[1]}] is not 0, {infix(present[2])} is not below 0."
        else:
            yield f"Spent in all: {infix(bound)}, in units of the table."
    plain = _composed(certificate, found)
    yield f"Price proved: {certificate.price}." + (
        f" Paying for every draw instead (plain composition): {plain}." if plain else ""
    )


def _invariants(certificate: Certificate) -> Iterator[str]:
    for at, invariant in enumerate(certificate.details.get("hints", {}).get("invariants", ()), 1):
        text = invariant if isinstance(invariant, str) else "(and " + " ".join(invariant) + ")" if invariant else "true"
        yield f"Invariant of loop {at}: {infix(text)}."


def _composed(certificate: Certificate, found: Statement | None) -> str | None:
    """What it would cost if every draw that a loop makes were paid for at its dearest case."""
    if found is None or _squared(certificate, found):
        return None
    loops = [loop for loop in walk(found.program.body) if isinstance(loop, For | While)]
    looped = {draw.site for loop in loops for draw in walk(loop) if isinstance(draw, Draw)}
    terms = []
    for site, cases in certificate.details["hints"]["shifts"].items():
        draw, by = _draws(found)[site], monomial(found.relation.by)
        scale = monomial(scale_of(draw.noise))
        if scale is None or by is None or not scale.factor:
            return None
        dearest = max(_number(case.get("charge")) for case in cases)
        many = draw.site in looped or draw.count is not None
        times = Monomial(dearest, {f"len({found.relation.parameter})": 1} if many else {})
        terms.append(times * by / scale)
    return total(terms)


def _number(units: str | None) -> Fraction:
    """A case that is charged by its size moves at most as far as an entry."""
    return Fraction(1) if units is None else Fraction(units)


def _refutation(certificate: Certificate, title: str) -> Explanation:
    details = certificate.details
    if "outputs" in details:
        rows = [(f"{details['world']}", f"{details['outputs'][0]}"), (f"{details['other']}", f"{details['outputs'][1]}")]
        after = (f"The outputs are {details['distance']} apart; {details['bound_there']} is claimed there.",)
        return Explanation(
            title, (f"Two neighbouring inputs at {details['parameters']}.",), ("input", "output"), tuple(rows), after
        )
    event = details.get("event") or f"output {details.get('output')}"
    one, other = details.get("probabilities", ("", ""))
    rows = [(f"world 1: {details.get('world')}", f"{one}"), (f"world 2: {details.get('other')}", f"{other}")]
    said = [f"The log of their ratio is {details.get('epsilon'):.6g}; {details.get('price'):.6g} is claimed there."]
    growth = details.get("growth") or ()
    if len(growth) > 1:
        said.append("By the length of the list: " + ", ".join(f"{length}: {epsilon:.4g}" for length, epsilon in growth) + ".")
    head = ("input", f"probability of: {event}")
    return Explanation(title, (f"Two neighbouring worlds at {details.get('parameters')}.",), head, tuple(rows), tuple(said))
