"""A point of both runs as text for solvers: values of variables in pairs, ghosts, what is known; bounds as terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from twoworlds.worlds.expressions import Expression

__all__ = ["Pair", "Point", "Query", "joined", "larger", "number", "parts", "same", "size", "term"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class Query:
    """Facts and a goal; `label` is the place of the invariant's part that is to be kept, `parts` are those among the facts."""

    facts: tuple[str, ...]
    goal: str
    why: str
    label: tuple[int, int] | None = None
    parts: tuple[tuple[str, tuple[int, int]], ...] = ()


@dataclass(frozen=True)
class Point:
    """A point of both runs: values of variables, ghosts, entries that were read, and what is known."""

    env: Mapping[str, Pair]
    facts: tuple[str, ...] = ()
    read: Mapping[str, Pair] = field(default_factory=dict)
    parts: tuple[tuple[str, tuple[int, int]], ...] = ()

    def put(self, name: str, pair: Pair) -> Point:
        return replace(self, env={**self.env, name: pair})

    def assume(self, *facts: str) -> Point:
        return replace(self, facts=(*self.facts, *(fact for fact in facts if fact != "true")))

    def forget(self, names: set[str]) -> Point:
        """Lists that change: their entries are unknown functions of the index, and now other ones."""
        return replace(self, read={name: pair for name, pair in self.read.items() if name not in names})

    def fill(self, text: str) -> str:
        """A hint with the values of this point: x.1 and x.2 are x in the two runs, ghosts have one value."""
        known = {name if name[0] == "$" else f"{name}.{run + 1}": pair[run] for name, pair in self.env.items() for run in (0, 1)}
        return re.sub(r"[^\s()]+", lambda token: known.get(token[0], token[0]), text)


def number(value: Fraction) -> str:
    size = f"{abs(value.numerator)}.0" if value.denominator == 1 else f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return size if value >= 0 else f"(- {size})"


def size(text: str) -> str:
    return f"(ite (>= {text} 0.0) {text} (- {text}))"


def larger(one: str, other: str) -> str:
    return f"(ite (>= {one} {other}) {one} {other})"


def same(pair: Pair) -> str:
    return "true" if pair[0] == pair[1] else f"(= {pair[0]} {pair[1]})"


def joined(op: str, *pairs: Pair) -> Pair:
    return f"({op} {' '.join(pair[0] for pair in pairs)})", f"({op} {' '.join(pair[1] for pair in pairs)})"


def term(text: Expression) -> str:
    """A bound over the public parameters; functions without a meaning here are left open."""

    def inner(node: Any) -> str:
        match node:
            case ast.Constant():
                return number(text.constant(node))
            case ast.Name(name):
                return f"{name}.1"
            case ast.UnaryOp(ast.USub(), operand):
                return f"(- {inner(operand)})"
            case ast.UnaryOp(_, operand):
                return inner(operand)
            case ast.BinOp(left, ast.Pow(), ast.Constant(int(power))) if 0 <= power <= 4:
                return f"(* 1.0 1.0 {' '.join([inner(left)] * power)})"
            case ast.BinOp(left, op, right):
                sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}.get(type(op), "$power/2")
                return f"({sign} {inner(left)} {inner(right)})"
            case ast.Call(ast.Name("len"), [ast.Name(name)]):
                return f"$len.{name}"
            case ast.Call(ast.Name("abs"), [one]):
                return size(inner(one))
            case ast.Call(ast.Name("max" | "min" as function), [one, *rest]):
                value = inner(one)
                for other in map(inner, rest):
                    value = f"(ite ({'>=' if function == 'max' else '<='} {value} {other}) {value} {other})"
                return value
        return f"(${node.func.id}/{len(node.args)} {' '.join(map(inner, node.args))})"

    return inner(text.tree)


def parts(text: str) -> list[str]:
    """The parts of an expression in brackets."""
    found, depth = [""], 0
    for sign in text[1:-1]:
        depth += (sign == "(") - (sign == ")")
        if sign == " " and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [part for part in found if part]
