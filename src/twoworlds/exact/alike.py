"""Lists that are equally likely in each world, kept together: how many there are, one of them, and each of them on request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Alike", "Told", "Wrote", "either"]


class Wrote:
    """What was written before, and one value more."""

    __slots__ = ("before", "value")

    def __init__(self, before: Told, value: Any) -> None:
        self.before = before
        self.value = value


class _Either:
    """What was written was one of these."""

    __slots__ = ("one", "other")

    def __init__(self, one: Told, other: Told) -> None:
        self.one = one
        self.other = other


Told = Wrote | _Either | None


def either(one: Told, other: Told) -> Told:
    return _Either(one, other)


@dataclass(frozen=True, eq=False)
class Alike:
    """So many lists, all equally likely in the first world and all equally likely in the second."""

    told: Told
    count: int

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Each list, made as it is asked for."""
        waiting: list[tuple[Told, Any]] = [(self.told, None)]
        while waiting:
            told, after = waiting.pop()
            if isinstance(told, _Either):
                waiting += [(told.other, after), (told.one, after)]
            elif told is None:
                yield _unrolled(after)
            else:
                waiting.append((told.before, (told.value, after)))

    def __len__(self) -> int:
        return self.count

    @property
    def example(self) -> tuple[Any, ...]:
        """One of the lists."""
        entries, told = [], self.told
        while told is not None:
            if isinstance(told, _Either):
                told = told.one
            else:
                entries.append(told.value)
                told = told.before
        return tuple(reversed(entries))

    def __contains__(self, output: object) -> bool:
        if not isinstance(output, list | tuple):
            return False
        found: set[Told] = {self.told}
        for entry in reversed(output):
            found = {told.before for told in _last(found) if told is not None and _same(told.value, entry)}
        return None in _last(found)

    def __str__(self) -> str:
        others = self.count - 1
        return f"{self.example}{f' and {others:,} others' if others else ''}"


def _unrolled(entries: Any) -> tuple[Any, ...]:
    found = []
    while entries is not None:
        entry, entries = entries
        found.append(entry)
    return tuple(found)


def _last(found: set[Told]) -> set[Wrote | None]:
    """The last writings of any of these."""
    ends: set[Wrote | None] = set()
    waiting, seen = list(found), set(found)
    while waiting:
        told = waiting.pop()
        if not isinstance(told, _Either):
            ends.add(told)
            continue
        fresh = {told.one, told.other} - seen
        seen |= fresh
        waiting += fresh
    return ends


def _same(written: Any, entry: Any) -> bool:
    """Whether an entry is the one written, or one of the set of numbers written."""
    if isinstance(written, bool) or isinstance(entry, bool) or written is None:
        return type(written) is type(entry) and bool(written == entry)
    return bool(entry in written if hasattr(written, "spacing") else written == entry)
