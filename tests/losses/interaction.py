"""An analyst who chooses every question after seeing all answers, played out in full in both worlds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.losses.finite import Worlds
from twoworlds.losses.filters import Filter, Spent
from twoworlds.worlds.errors import Exhausted


@dataclass(frozen=True)
class Transcript:
    """What was answered, the probability of that in either world, and the filter's state at the end."""

    answers: tuple[int, ...]
    one: Fraction
    other: Fraction
    state: Spent


Question = tuple[Worlds, Any]  # a mechanism's two laws, and the release that it is charged as


def played(filter_: Filter, ask: Callable[[tuple[int, ...]], Question | None], rounds: int) -> list[Transcript]:
    """Every transcript of the interaction: it ends when the filter refuses, the analyst stops, or the rounds are over."""
    return list(_play(filter_, ask, rounds, Transcript((), Fraction(1), Fraction(1), filter_.start())))


def _play(
    filter_: Filter, ask: Callable[[tuple[int, ...]], Question | None], rounds: int, so_far: Transcript
) -> Iterator[Transcript]:
    question = ask(so_far.answers) if rounds else None
    if question is None:
        yield so_far
        return
    mechanism, release = question
    try:
        state = filter_.charge(so_far.state, release)
    except Exhausted:
        yield so_far
        return
    for answer, (p, q) in enumerate(zip(mechanism.one, mechanism.other, strict=True)):
        further = Transcript((*so_far.answers, answer), so_far.one * p, so_far.other * q, state)
        yield from _play(filter_, ask, rounds - 1, further)


def laws(transcripts: list[Transcript]) -> Worlds:
    """The two laws of the whole transcript."""
    return Worlds(tuple(end.one for end in transcripts), tuple(end.other for end in transcripts))


def curious(seed: int, questions: list[Question]) -> Callable[[tuple[int, ...]], Question | None]:
    """An analyst with a whim: what is asked, and when to stop, depends on every answer so far, fixed by the seed."""

    def ask(answers: tuple[int, ...]) -> Question | None:
        whim = random.Random(f"{seed} {answers}")
        return None if whim.random() < 0.05 else whim.choice(questions)

    return ask


def greedy(questions: list[Question]) -> Callable[[tuple[int, ...]], Question | None]:
    """An analyst who asks the strongest question after every answer for the first world, the weakest after the others."""

    def ask(answers: tuple[int, ...]) -> Question | None:
        return questions[-1] if not answers or answers[-1] == 0 else questions[0]

    return ask
