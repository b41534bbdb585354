"""Errors written for people: what happened, where in their input, how to fix it.

TwoWorldsError
├── BadArgument        one argument of one call is wrong; names it, its value and the fix
├── MixedNeighbours    two guarantees speak of different neighbouring relations
├── NotNeighbours      the two given worlds are further apart than the relation allows
├── InfiniteLoss       a finite number was asked of a guarantee that has none
├── Unsupported        the card's source leaves the language that the readers understand
├── Exhausted          the budget cannot pay; names requested, remaining and what is affordable
└── Missing            an optional dependency is not installed; names the extra
"""

from __future__ import annotations

import reprlib

__all__ = [
    "BadArgument",
    "Exhausted",
    "InfiniteLoss",
    "Missing",
    "MixedNeighbours",
    "NotNeighbours",
    "TwoWorldsError",
    "Unsupported",
]


class TwoWorldsError(Exception):
    """Every error of this package; `what` happened and how to `fix` it are kept apart for tools."""

    def __init__(self, what: str, fix: str) -> None:
        self.what = what
        self.fix = fix
        super().__init__(f"{what}. {fix}" if fix else what)

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process boundaries whole, whatever their constructors take."""
        return _rebuilt, (type(self), self.args, self.__dict__)


class BadArgument(TwoWorldsError, ValueError):
    """An argument is out of its range: the message names the argument, the value and the fix."""

    def __init__(self, argument: str, value: object, why: str, fix: str) -> None:
        self.argument = argument
        super().__init__(f"{argument} = {_shown(value)} {why}", fix)


class MixedNeighbours(TwoWorldsError, ValueError):
    """Guarantees about different neighbouring relations cannot be added up."""

    def __init__(self, one: object, other: object) -> None:
        super().__init__(
            f"one guarantee is about {one}, the other about {other}",
            "Price both for the same neighbouring relation before you combine them",
        )


class NotNeighbours(TwoWorldsError, ValueError):
    """The two worlds differ by more than the relation allows."""

    def __init__(self, relation: object, why: str) -> None:
        super().__init__(
            f"the two worlds are not neighbours under {relation}: {why}",
            "Give two worlds that the relation joins, or a card with another relation",
        )


class InfiniteLoss(TwoWorldsError, ValueError):
    """No finite value satisfies what was asked."""


class Unsupported(TwoWorldsError):
    """The source leaves the small language; `line` counts from 1 in the text that was given."""

    def __init__(self, line: int, reason: str, fix: str = "") -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}", fix)


class Exhausted(TwoWorldsError):
    """The budget cannot pay for this release; nothing was charged and nothing was released."""


class Missing(TwoWorldsError, ImportError):
    """An optional dependency is needed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed", f"Install it with: pip install 'twoworlds[{extra}]'")


def _rebuilt(kind: type[TwoWorldsError], arguments: tuple[object, ...], state: dict[str, object]) -> TwoWorldsError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(state)
    return error


def _shown(value: object) -> str:
    """A short look at a value of any size; an object whose own repr fails is named by its type."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    shown = short.repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
