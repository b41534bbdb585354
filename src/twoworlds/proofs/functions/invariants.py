"""The strongest of the guessed invariants that both runs keep (Flanagan and Leino 2001), and as few of them as a bound needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from twoworlds.proofs.functions.claims import Stated
from twoworlds.proofs.functions.points import Query
from twoworlds.proofs.functions.runs import Runs
from twoworlds.source.program import Program
from twoworlds.worlds.errors import Missing
from twoworlds.worlds.expressions import Expression

__all__ = ["Invariants"]

_EFFORT = 3_000_000  # z3's own measure of work per question, so that a verdict does not depend on the clock
_QUICK = 600_000


class Invariants:
    """Guesses for each loop, reduced to those that hold before it and that each of its rounds keeps."""

    def __init__(self, program: Program, stated: Stated, whole: frozenset[str], guessed: list[list[str]]) -> None:
        self.program, self.stated, self.whole, self.kept = program, stated, whole, guessed
        self.unmet: str | None = None

    def runs(self) -> Runs:
        return Runs(self.program, self.stated, self.whole, self.kept).walk()

    def settle(self) -> None:
        """Drop what some round loses until all the rest is kept."""
        while True:
            runs = self.runs()
            labelled = [query for query in runs.queries if query.label is not None]
            lost = {query.label for query, held in zip(labelled, _held(runs, labelled, again=False), strict=True) if not held}
            if not lost:
                break
            self.kept = [
                [part for place, part in enumerate(parts) if (at, place) not in lost] for at, parts in enumerate(self.kept)
            ]
        plain = [query for query in runs.queries if query.label is None]
        self.unmet = next((query.why for query, held in zip(plain, _held(runs, plain), strict=True) if not held), None)

    def first_within(self, bounds: Sequence[Expression]) -> Expression | None:
        """The first bound that holds wherever the function returns."""
        if self.unmet is not None:
            return None
        runs = self.runs()
        for by in bounds:
            queries = list(runs.within(by))
            if queries and all(_held(runs, queries)):
                return by
        return None

    def needed(self, by: Expression) -> list[list[str]]:
        """The parts that the bound, the other obligations and the needed parts themselves rest on."""
        runs = self.runs()
        queries = [*runs.queries, *runs.within(by)]
        texts = {(at, place): part for at, parts in enumerate(self.kept) for place, part in enumerate(parts)}
        wanted: set[tuple[int, int]] = set()
        waiting = [query for query in queries if query.label is None]
        while waiting:
            cores = _cores(runs, waiting)
            more = set().union(*cores) - wanted if cores else set()
            wanted |= more
            waiting = [query for query in queries if query.label in more]
        return (
            [[part for place, part in enumerate(parts) if (at, place) in wanted] for at, parts in enumerate(self.kept)]
            if texts
            else self.kept
        )


def _answers(script: str, effort: int = _EFFORT) -> list[str]:
    try:
        import z3  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise Missing("z3-solver", "prove") from None
    context = z3.Context()
    return str(z3.Z3_eval_smtlib2_string(context.ref(), f"(set-option :rlimit {effort})\n{script}")).splitlines()


def _held(runs: Runs, queries: Sequence[Query], *, again: bool = True) -> list[bool]:
    """Which goals follow; those that z3 leaves open among others may be asked again alone."""
    if not queries:
        return []
    lines, groups = [runs.head(list(queries))], list(_grouped(queries))
    order: list[int] = []
    for facts, places in groups:
        lines += ["(push 1)", *(f"(assert {fact})" for fact in facts)]
        for at in places:
            lines += ["(push 1)", f"(assert (not {queries[at].goal}))", "(check-sat)", "(pop 1)"]
            order.append(at)
        lines.append("(pop 1)")
    answers = dict(zip(order, _answers("\n".join(lines), _EFFORT if again else _QUICK), strict=True))
    return [
        answers[at] == "unsat" or (again and answers[at] != "sat" and _alone(runs, query)) for at, query in enumerate(queries)
    ]


def _alone(runs: Runs, query: Query) -> bool:
    return _answers(runs.script([query])) == ["unsat"]


def _grouped(queries: Sequence[Query]) -> Iterable[tuple[tuple[str, ...], list[int]]]:
    """Queries by their facts, which are then told once."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, query in enumerate(queries):
        groups.setdefault(query.facts, []).append(at)
    return groups.items()


def _cores(runs: Runs, queries: Sequence[Query]) -> list[set[tuple[int, int]]]:
    """The parts of invariants that each goal was derived from; all that were known, where z3 does not say."""
    lines = ["(set-option :produce-unsat-cores true)", runs.head(list(queries))]
    marks = [dict(query.parts) for query in queries]
    for query, mark in zip(queries, marks, strict=True):
        lines.append("(push 1)")
        for fact in dict.fromkeys(query.facts):
            label = mark.get(fact)
            lines.append(f"(assert {fact})" if label is None else f"(assert (! {fact} :named part!{label[0]}!{label[1]}))")
        lines += [f"(assert (not {query.goal}))", "(check-sat)", "(get-unsat-core)", "(pop 1)"]
    found, answers = [], iter(_answers("\n".join(lines)))
    for mark in marks:
        if next(answers) == "unsat":
            found.append({(int(at), int(place)) for at, place in re.findall(r"part!(\d+)!(\d+)", next(answers))})
        else:
            next(answers)
            found.append(set(mark.values()))
    return found
