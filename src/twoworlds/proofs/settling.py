"""Draws where their noise is first needed."""

from __future__ import annotations

from dataclasses import replace

from twoworlds.source.program import Append, Assign, Draw, Expr, If, Name, Stmt, While, walk

__all__ = ["settled"]


def settled(steps: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Each draw moved down to where its noise is first needed, past computations without draws and exits.

    The parser lifts a draw out of the expression it stands in, and so before the sums of that expression; what a shift may depend
    on should be known when the noise is drawn. Draws keep their order, so the same tape gives the same output.
    """
    done: list[Stmt] = []
    for step in reversed(steps):
        inner = _inside(step)
        at = 0
        if isinstance(inner, Draw):
            while at < len(done) and _may_pass(inner, done[at]):
                at += 1
        done.insert(at, inner)
    return tuple(done)


def _inside(step: Stmt) -> Stmt:
    if isinstance(step, If):
        return replace(step, then=settled(step.then), otherwise=settled(step.otherwise))
    return replace(step, body=settled(step.body)) if isinstance(step, While) else step


def _may_pass(draw: Draw, step: Stmt) -> bool:
    parts = list(walk(step))
    kinds = (Assign, Append, While, If, Expr)
    needed = {node.name for node in walk(draw.noise) if isinstance(node, Name)} | {draw.target}
    touched = {node.name for node in parts if isinstance(node, Name)} | {
        node.target for node in parts if isinstance(node, Assign | Append)
    }
    changed = {node.target for node in parts if isinstance(node, Assign | Append)}
    return all(isinstance(node, kinds) for node in parts) and draw.target not in touched and not needed & changed
