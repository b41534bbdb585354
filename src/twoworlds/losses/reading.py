"""The text language: `gaussian(sigma=1) sampled at 0.01, 10000 times` read into the event that it describes.

    phrase     item, or items joined by `and`, `then` or `;`: all of them, on the same records
    item       mechanism(name=number, ...) or (phrase), followed by any of
    modifiers  sampled at RATE                           a Poisson sample: each record joins by its own coin
               sampled M of N without replacement        a batch of fixed size
               sampled M of N with replacement
               N times                                   repeated with fresh noise
    number     12, 0.1, 1e-6, 1/3, 1%, 10_000; one number may be ?, to be solved for

Modifiers apply from left to right to the item before them. `parse` reads text, `describe` writes it; each undoes the other.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from fractions import Fraction

from twoworlds.losses.written import BY_NAME, WRITTEN, written
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import (
    Composed,
    Event,
    Poisson,
    Ran,
    Repeated,
    Sampled,
    Scheme,
    WithoutReplacement,
    WithReplacement,
)
from twoworlds.worlds.rationals import exact

__all__ = ["describe", "parse"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:/\d+(?:_\d+)*)?%?|\.\d+(?:[eE][+-]?\d+)?%?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>[(),;=?-]))",
    re.ASCII,  # a digit of another script may be taken for something else
)
_LARGEST = 10**300  # what is beyond it, or below its inverse, is beyond floats
_DEEPEST = 100  # brackets in brackets, and modifiers of modified items
_ALSO = {"count": "times"}
_JOINERS = ("and", "then", ";")
_EXAMPLE = "Write it like 'gaussian(sigma=1) sampled at 0.01, 10000 times'"


@dataclass(frozen=True)
class Token:
    """A piece of the text and the column where it starts, from 1."""

    text: str
    column: int
    kind: str


def parse(text: str, *, unknown: Fraction | None = None, instead: tuple[str, Fraction] | None = None) -> Event:
    """The event that the text describes; an error names the column and what could stand there.

    `unknown` is what a `?` stands for, `instead` a parameter by name and the number to read in its place.
    """
    if not isinstance(text, str) or not text.strip():
        raise BadArgument("text", text, "describes nothing", _EXAMPLE)
    reader = _Reader(text, _tokens(text), unknown, instead)
    event = reader.phrase()
    if reader.here.kind != "end":
        raise reader.wrong("a modifier such as 'sampled at 0.01' or '100 times', or 'and'")
    if instead is not None and reader.replaced != 1:
        why = f"occurs {reader.replaced} times in {text!r}" if reader.replaced else f"does not occur in {text!r}"
        known = ", ".join(dict.fromkeys(reader.seen))
        raise BadArgument("parameter", instead[0], why, f"Name one of {known}, or write ? in its place")
    return event


def _tokens(text: str) -> list[Token]:
    tokens, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            column = place + len(text[place:]) - len(text[place:].lstrip()) + 1
            raise BadArgument("text", text, f"at column {column} has {text[column - 1]!r}, which means nothing here", _EXAMPLE)
        assert match.lastgroup is not None
        tokens.append(Token(match[match.lastgroup], match.start(match.lastgroup) + 1, match.lastgroup))
        place = match.end()
    return [*tokens, Token("the end", len(text) + 1, "end")]


@dataclass
class _Reader:
    """A cursor over the tokens; each method reads one construct of the grammar and moves on."""

    text: str
    tokens: list[Token]
    unknown: Fraction | None
    instead: tuple[str, Fraction] | None
    at: int = 0
    depth: int = 0
    replaced: int = 0
    seen: list[str] = field(default_factory=list)  # the names of all numbers, those left at their default included

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def wrong(self, expected: str, fix: str = _EXAMPLE) -> BadArgument:
        found = self.here.text if self.here.kind == "end" else repr(self.here.text)
        return BadArgument("text", self.text, f"at column {self.here.column} has {found} where {expected} should be", fix)

    def take(self, *texts: str) -> bool:
        """Move on if these words stand here."""
        ahead = [token.text.lower() for token in self.tokens[self.at : self.at + len(texts)]]
        if ahead == list(texts):
            self.at += len(texts)
            return True
        return False

    def need(self, text: str) -> None:
        if not self.take(text):
            raise self.wrong(repr(text))

    def phrase(self) -> Event:
        items = [self.item()]
        while self._joined():
            items.append(self.item())
        return items[0] if len(items) == 1 else Composed(tuple(items))

    def _joined(self) -> bool:
        comma = self.take(",")
        if any(self.take(joiner) for joiner in _JOINERS):
            return True
        if comma and self.here.kind in ("end", "number"):
            raise self.wrong("'and', or a number followed by 'times',")
        return comma

    def item(self) -> Event:
        before = self.depth
        if self.take("("):
            self.deeper()
            event = self.phrase()
            self.need(")")
        else:
            event = self.mechanism()
        while (modified := self.modified(event)) is not None:
            self.deeper()
            event = modified
        self.depth = before
        return event

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            why = f"at column {self.here.column} is more than {_DEEPEST} levels deep"
            raise BadArgument("text", self.text, why, "Multiply numbers of times out, and leave needless brackets out")

    def modified(self, event: Event) -> Event | None:
        start = self.at
        self.take(",")
        if self.take("sampled"):
            return self.sampled(event)
        if self.here.text == "?" or (self.here.kind == "number" and self.tokens[self.at + 1].text.lower() == "times"):
            number = self.number("times")
            if self.take("times"):
                return Repeated(self.whole(number, "a number of times"), event)
        self.at = start
        return None

    def sampled(self, event: Event) -> Event:
        start = self.here.column
        try:
            return self.scheme(event)
        except BadArgument as error:
            if error.argument == "text":
                raise
            raise BadArgument("text", self.text, f"at column {start}: {error.what}", error.fix) from None

    def scheme(self, event: Event) -> Event:
        if self.take("at"):
            return Sampled(Poisson(self.number("rate")), event)
        size = self.whole(self.number("size", "'at', or the number of records drawn,"), "a number of records")
        self.need("of")
        records = self.whole(self.number("records"), "a number of records")
        scheme: Scheme
        if self.take("without", "replacement"):
            scheme = WithoutReplacement(size, records)
        elif self.take("with", "replacement"):
            scheme = WithReplacement(size, records)
        else:
            raise self.wrong("'without replacement' or 'with replacement'")
        return Sampled(scheme, event)

    def mechanism(self) -> Event:
        known = sorted({entry.name for entry in WRITTEN})
        name, first = self.here.text.lower(), self.here
        if first.kind != "name" or name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            fix = f"Did you mean {close[0]}?" if close else f"Known are {', '.join(known)}"
            raise self.wrong("a mechanism", fix)
        self.at += 1
        self.need("(")
        parameters = self.parameters(name)
        try:
            return written(name, **parameters)
        except BadArgument as error:
            raise BadArgument("text", self.text, f"at column {first.column}: {error.what}", error.fix) from None

    def parameters(self, name: str) -> dict[str, Fraction]:
        found: dict[str, Fraction] = {}
        while not self.take(")"):
            if found:
                self.need(",")
            key = self.here.text.lower()
            if self.here.kind != "name" or key in found:
                shapes = " or ".join(entry.shape for entry in WRITTEN if entry.name == name)
                raise self.wrong("a parameter that is not given yet" if found else "a parameter", f"Write it as {shapes}")
            self.at += 1
            self.need("=")
            found[key] = self.number(key)
        entry = next((one for one in WRITTEN if one.name == name and set(one.needs) <= set(found)), None)
        left = [key for key in (entry.defaults if entry else ()) if key not in found]
        return found | {key: self.instead[1] for key in left if self.is_replaced(key) and self.instead is not None}

    def is_replaced(self, name: str) -> bool:
        """Whether this number is the one to read another in the place of; takes note of the name."""
        self.seen.append(name)
        same = self.instead is not None and _ALSO.get(self.instead[0].lower(), self.instead[0].lower()) == name
        self.replaced += same
        return same

    def number(self, name: str, expected: str = "a number") -> Fraction:
        token = self.here
        if token.text == "?":
            if self.unknown is None:
                fix = "Give a number, or say with calibrate what it should be solved for"
                raise BadArgument("text", self.text, f"at column {token.column} has '?'", fix)
            self.at += 1
            return self.unknown
        if token.kind != "number":
            raise self.wrong(expected, "Numbers are written like 12, 0.1, 1e-6, 1/3 or 1%, and are never below 0")
        self.at += 1
        if self.is_replaced(name) and self.instead is not None:
            return self.instead[1]
        plain = token.text.replace("_", "")
        value = exact(plain[:-1], name) / 100 if plain.endswith("%") else exact(plain, name)
        if value and not 1 <= value * _LARGEST <= _LARGEST**2:
            why = f"at column {token.column} has a number that is out of range"
            raise BadArgument("text", self.text, why, "Keep numbers between 1e-300 and 1e300")
        return value

    def whole(self, number: Fraction, what: str) -> int:
        if number.denominator != 1 or number < 1:
            token = self.tokens[self.at - 1]
            why = f"near column {token.column} has {float(number):g} for {what}"
            raise BadArgument("text", self.text, why, "Give a whole number of 1 or more")
        return int(number)


def describe(event: Event) -> str:
    """The text that reads back as this event."""
    if isinstance(event, Composed):
        return " and ".join(_inner(part, Composed) for part in event.events)
    if isinstance(event, Repeated):
        return f"{_inner(event.event, Composed)}, {event.count} times"
    if isinstance(event, Sampled):
        return f"{_inner(event.event, Composed)} {_scheme(event.scheme)}"
    if isinstance(event, Ran) and event.digest == BY_NAME:
        return _mechanism(event)
    raise BadArgument("event", event, "cannot be written in the text language", "Describe a sampled, repeated or composed event")


def _mechanism(event: Ran) -> str:
    """Parameters in the order of the mechanism, those at their default left out."""
    numbers = dict(event.parameters)
    entry = next(one for one in WRITTEN if one.name == event.card and set(one.parameters) == set(numbers))
    shown = [name for name in entry.parameters if entry.defaults.get(name) != numbers[name]]
    return f"{event.card}({', '.join(f'{name}={_number(numbers[name])}' for name in shown)})"


def _inner(event: Event, ambiguous: type[Event]) -> str:
    text = describe(event)
    return f"({text})" if isinstance(event, ambiguous) else text


def _scheme(scheme: Scheme) -> str:
    if isinstance(scheme, Poisson):
        return f"sampled at {_number(scheme.rate)}"
    assert isinstance(scheme, WithoutReplacement | WithReplacement)
    how = "without" if isinstance(scheme, WithoutReplacement) else "with"
    return f"sampled {scheme.size} of {scheme.records} {how} replacement"


def _number(value: object) -> str:
    """A decimal where it is short and exact, else a fraction."""
    number = exact(value)
    short = f"{float(number):.12g}" if abs(number) < _LARGEST else "inf"
    return short if short != "inf" and Fraction(short) == number else str(number)
