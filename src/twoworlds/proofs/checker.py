"""Checks a proof again: two solvers, z3 and cvc5, must each refute the negation of every obligation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twoworlds.proofs.obligations import obligations
from twoworlds.source.program import Program
from twoworlds.worlds.errors import Missing

__all__ = ["check", "with_cvc5", "with_z3"]

_EFFORT = 20_000_000  # z3's own measure of work per obligation, so that a verdict does not depend on the clock


def check(program: Program, relation: Any, price: Any, hints: Mapping[str, Any]) -> bool:
    """Whether z3 proves every obligation."""
    script = obligations(program, relation, price, hints)
    return with_z3(script)


def with_z3(script: str) -> bool:
    """Whether z3 answers unsat to every check."""
    try:
        import z3  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise Missing("z3-solver", "prove") from None
    context = z3.Context()
    answers = z3.Z3_eval_smtlib2_string(context.ref(), f"(set-option :rlimit {_EFFORT})\n{script}").split("\n")
    return _all_refuted(script, answers)


def with_cvc5(script: str) -> bool:
    """Whether cvc5 answers unsat to every check."""
    try:
        import cvc5  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise Missing("cvc5", "prove") from None
    solver = cvc5.Solver()
    solver.setOption("incremental", "true")
    solver.setOption("rlimit-per", "2000000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligations")
    symbols, answers = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols))
    return _all_refuted(script, "".join(answers).split("\n"))


def _all_refuted(script: str, answers: list[str]) -> bool:
    given = [answer for answer in answers if answer]
    return len(given) == script.count("(check-sat)") and all(answer == "unsat" for answer in given)
