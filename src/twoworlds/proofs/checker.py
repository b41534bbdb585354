"""Checks a proof: each of two solvers, z3 and cvc5, must refute the negation of every obligation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from twoworlds.proofs.obligations import obligations
from twoworlds.source.program import Program
from twoworlds.worlds.errors import Missing, Unsupported

__all__ = ["check", "with_cvc5", "with_z3"]

_EFFORT_Z3 = 20_000_000  # the solvers' own measures of work per obligation, so that a verdict does not depend on the clock
_TOGETHER = 100_000  # all in a row share what was read; what is not easy so is decided alone
_EFFORT_CVC5 = 1_000_000


def check(program: Program, relation: Any, price: Any, whole: frozenset[str], hints: Mapping[str, Any]) -> str | None:
    """Why the hints are no proof of the price for the lowered program; None if z3 proves every obligation."""
    try:
        script = obligations(program, relation, price, whole, hints)
    except Unsupported as why:
        return str(why)
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # parts that are missing or of another kind
        return f"the hints are malformed: {error!r}"
    return with_z3(script)


def with_z3(script: str, effort: int = _EFFORT_Z3) -> str | None:
    """The first obligation that z3 does not prove; None if it proves all."""
    try:
        import z3  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise Missing("z3-solver", "prove") from None

    def answer(query: str, most: int = effort) -> str:
        context = z3.Context()
        try:
            return str(z3.Z3_eval_smtlib2_string(context.ref(), f"(set-option :rlimit {most})\n{query}"))
        except z3.Z3Exception as error:  # what z3 raises for text that it cannot read, such as a hint with an unknown name
            return f"error: {error}"

    given = answer(script, min(effort, _TOGETHER)).split()
    if given == ["unsat"] * script.count("(check-sat)"):
        return None
    return _first_unproved(script, answer)


def with_cvc5(script: str) -> str | None:
    """The first obligation that cvc5 does not prove; None if it proves all."""
    try:
        import cvc5  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise Missing("cvc5", "prove") from None

    def answer(query: str) -> str:
        solver = cvc5.Solver()
        solver.setOption("incremental", "true")
        solver.setOption("rlimit-per", str(_EFFORT_CVC5))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query, "obligation")
        symbols, answers = parser.getSymbolManager(), []
        try:
            while not (command := parser.nextCommand()).isNull():
                answers.append(str(command.invoke(solver, symbols)))
        except RuntimeError as error:  # what cvc5 raises for text that it cannot read
            answers.append(f"error: {error}")
        return "".join(answers)

    return _first_unproved(script, answer)


def _first_unproved(script: str, answer: Any) -> str | None:
    """Each obligation alone, from a fresh start: neither order nor company matters."""
    head, *queries = re.split(r"(?=^\(push 1\))", script, flags=re.MULTILINE)
    for query in queries:
        given = answer(head + query).split()
        if given != ["unsat"]:
            why = re.search(r"; (.*)", query)
            return f"{why[1] if why else 'an obligation'} ({' '.join(given) or 'no answer'})"
    return None
