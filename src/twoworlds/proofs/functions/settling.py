"""From a function's program to the one that both runs go through: lists done away with, tables by slots, one path."""

from __future__ import annotations

from twoworlds.proofs.functions.fusing import fused
from twoworlds.proofs.functions.reading import Function
from twoworlds.proofs.functions.straight import straight
from twoworlds.proofs.functions.tables import here, is_table, slotted
from twoworlds.proofs.lowering import lower
from twoworlds.source.program import Program

__all__ = ["settled"]


def settled(function: Function) -> Program:
    """The program that the proof speaks of; on worlds given as slots it computes what the function computes."""
    assert function.program is not None and function.stated is not None
    relation = function.stated.neighbours
    program = fused(function.program)
    if is_table(relation):
        program = slotted(program, relation)
    private = frozenset({relation.parameter, here(relation.parameter)} & set(program.parameters))
    return straight(lower(program), private, sized=True)
