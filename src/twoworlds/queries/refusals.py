"""Why a question cannot be planned: one kind of error, with a stable code, the place in the question, and what to write instead.

Every refusal is decided from the question and the policy alone. No row is read for it, so two neighbouring tables refuse alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType

from twoworlds.queries.plan import Place
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["CODES", "Refused", "located", "nearest"]

CODES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "TW-R001": ("not SQL", "The text does not parse as one SQL statement."),
        "TW-R002": ("not a question", "Only SELECT is asked: nothing is written, and one statement is asked at a time."),
        "TW-R003": (
            "not in the language",
            "A clause or construct that has no bounded meaning here, or that nobody has given one.",
        ),
        "TW-R004": (
            "unknown function",
            "Only listed functions are computed: each is total and has been compared with its reference.",
        ),
        "TW-R005": ("unknown table", "The policy declares no such table."),
        "TW-R006": ("unknown column", "The relation has no such column."),
        "TW-R007": ("wrong types", "The function or aggregate is not defined for these types."),
        "TW-R008": (
            "wrong arguments",
            "The function or aggregate takes another number of arguments, or constants in some places.",
        ),
        "TW-R009": ("ambiguous name", "Two things in reach have this name."),
        "TW-R010": ("bad constant", "A constant is outside what its type can hold, or does not read as what it is meant to be."),
        "TW-R011": ("not aggregated", "A column of single rows would leave the table as it is; only aggregates of many rows do."),
        "TW-R012": ("no bounds", "Without bounds one row could move the result by any amount."),
        "TW-R013": (
            "keys without noise",
            "Group keys must be public, or be chosen with a threshold that the budget's filter allows.",
        ),
        "TW-R014": ("private join", "How many rows of another private table one row meets has no bound."),
        "TW-R015": ("order below noise", "Rows have no public order: sorting and limits apply to noisy answers only."),
        "TW-R016": ("not in the answer", "HAVING, ORDER BY and LIMIT see keys and noisy numbers only."),
        "TW-R017": ("too large", "The question is longer, deeper or wider than questions may be."),
        "TW-R018": ("misplaced aggregate", "An aggregate stands where single rows are computed, or inside another aggregate."),
        "TW-R019": ("bad parameter", "A parameter of an aggregate is outside its range or is no constant."),
        "TW-R020": ("no aggregate", "The question asks for rows, and rows are never released."),
        "TW-R021": ("a person's name", "The column that says who somebody is may be counted, and used for nothing else."),
        "TW-R022": ("unlike unions", "The parts of a UNION ALL have different columns or types, or ask different tables."),
        "TW-R023": ("window function", "A window function lets rows see each other, so one row can change many."),
        "TW-R024": ("bad join", "A public table is joined by equality of columns with its declared key."),
    }
)


class Refused(TwoWorldsError):
    """The question cannot be planned. `text` is the question; `place` is where it goes wrong; `repairs` are up to three."""

    def __init__(
        self, code: str, reason: str, *, text: str | None = None, place: Place | None = None, repairs: Iterable[str] = ()
    ) -> None:
        self.code = code
        self.title = CODES[code][0]
        self.reason = reason
        self.place = place
        self.repairs = tuple(repairs)[:3]
        shown = located(text, place)
        super().__init__(f"{code} ({self.title}): {reason}{shown}", "\n".join(f"  - {repair}" for repair in self.repairs))
        lines = [f"{code} ({self.title}): {reason}{shown}", *(f"  - {repair}" for repair in self.repairs)]
        self.args = ("\n".join(lines),)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        place = None if self.place is None else {"start": self.place.start, "end": self.place.end}
        return {"code": self.code, "title": self.title, "reason": self.reason, "place": place, "repairs": list(self.repairs)}


def located(text: str | None, place: Place | None) -> str:
    """The line of the text that the place is in, and carets below it."""
    if not text or place is None:
        return ""
    start = max(0, min(place.start, len(text) - 1))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    line = text[first : last if last >= 0 else len(text)]
    column, width = start - first, max(1, min(place.end, first + len(line)) - start)
    if len(line) > 160:
        cut = max(0, min(column - 60, len(line) - 160))
        line, column, width = line[cut : cut + 160], column - cut, min(width, 160 - (column - cut))
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line)
    return f"\n  {shown}\n  {' ' * column}{'^' * width}"


def nearest(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """Repairs for a misspelt name: those that look alike, else what there is."""
    folded = {one.lower(): one for one in known}
    alike = [folded[found] for found in get_close_matches(name.lower()[:100], list(folded), n=3, cutoff=0.6)]
    if alike:
        return tuple(f"write {one}" for one in alike)
    few = ", ".join(list(known)[:12])
    return (f"choose from {few}{', ...' if len(known) > 12 else ''}",) if known else ()
