"""Alignments that survive every trial, found by backtracking over the choices that a trial meets."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from twoworlds.proofs.alignments import Alignment, Case, Options
from twoworlds.proofs.effort import Effort
from twoworlds.proofs.trials import Failed, Trial, Undecided, run
from twoworlds.source.program import Program

__all__ = ["candidates"]


class _Search:
    def __init__(self, program: Program, options: Mapping[int, Options], trials: list[Trial], effort: Effort) -> None:
        self.program, self.options, self.trials, self.effort = program, options, list(trials), effort
        self.shifted = frozenset(options)

    def solutions(self, chosen: dict[Any, Any]) -> Generator[dict[Any, Any], None, frozenset[Any]]:
        """All completions of the choices; returns the choices to blame when there is none (or when all have been given)."""
        for at, trial in enumerate(self.trials):
            self.effort.ran()
            try:
                run(self.program, trial, chosen, self.shifted)
            except Failed as failed:
                self.trials.insert(0, self.trials.pop(at))  # what failed once fails soon again
                return failed.used
            except Undecided as undecided:
                return (yield from self.branch(undecided.key, undecided.used, chosen))
        yield dict(chosen)
        return frozenset(chosen)

    def branch(self, key: Any, used: frozenset[Any], chosen: dict[Any, Any]) -> Generator[dict[Any, Any], None, frozenset[Any]]:
        site = self.options[key[1]]
        blamed = used
        for option in site.conditions if key[0] == "when" else site.shifts:
            chosen[key] = option
            conflict = yield from self.solutions(chosen)
            del chosen[key]
            if key not in conflict:
                return conflict  # no other value of this choice helps
            blamed |= conflict - {key}
        return blamed


def candidates(
    program: Program, options: Mapping[int, Options], trials: list[Trial], effort: Effort
) -> Generator[Alignment, None, None]:
    """Alignments that keep both runs together within the price on all trials, likeliest first."""
    for chosen in _Search(program, options, trials, effort).solutions({}):
        alignment: Alignment = {}
        for site in options:
            cases = (*chosen.get(("when", site), ()), None)
            shifts = [chosen.get(("shift", site, case)) or site_default(options, site) for case in range(len(cases))]
            alignment[site] = tuple(map(Case, cases, shifts))
        yield alignment


def site_default(options: Mapping[int, Options], site: int) -> Any:
    """The shift of a case that no trial met."""
    return options[site].shifts[0]
