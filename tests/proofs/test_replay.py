"""A replay meets what a wrong certificate does, whether its hints were forged or its program was misread."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs import lowering, replay, tapes
from twoworlds.proofs.certificates import folder, load_all
from twoworlds.proofs.checker import check
from twoworlds.proofs.prover import proof
from twoworlds.proofs.recheck import apart_of
from twoworlds.proofs.replay import replayed
from twoworlds.proofs.statements import Statement, stated, statements
from twoworlds.source.program import Assign, Binary, Compare, Draw, Expr, If, Literal, Stmt
from twoworlds.worlds.claims import Certificate

ALIGNED = {certificate.card: certificate for certificate in load_all(folder()) if "hints" in certificate.details}
HEAD = """
from fractions import Fraction
from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each, Number

@mechanism(neighbours={neighbours}, price=Pure("epsilon"))
def misread({private}, *, epsilon, sample):
"""


def of_the_package(name: str) -> Statement:
    found = stated(cards()[name])
    assert isinstance(found, Statement)
    return found


def program(body: str, neighbours: str = 'Number("value")') -> Statement:
    text = HEAD.format(neighbours=neighbours, private=neighbours.split('"')[1])
    [found] = statements(text + "".join(f"    {line}\n" for line in body.strip().splitlines()))
    assert isinstance(found, Statement)
    return found


def certified(found: Statement) -> Certificate:
    """What the prover says of it now."""
    shown = proof(found)
    assert shown is not None
    return Certificate(found.name, found.digest, "PROVED", str(found.price), shown[0], shown[1])


@pytest.mark.slow  # the check of certificates tries them out as well
@pytest.mark.parametrize("name", sorted(ALIGNED))
def test_the_package_s_certificates_are_borne_out(name: str) -> None:
    """In each pair of worlds that is tried, every small tape and many larger ones have their partner."""
    assert apart_of(of_the_package(name), ALIGNED[name]) is None


# hints that were forged


def forged(name: str, change: Callable[[dict[str, Any]], Any]) -> str | None:
    """What the replay says of the certificate whose hints were changed."""
    hints = json.loads(json.dumps(ALIGNED[name].details["hints"]))
    change(hints)
    return apart_of(of_the_package(name), replace(ALIGNED[name], details={**ALIGNED[name].details, "hints": hints}))


def shift(site: str, case: int, by: Mapping[str, int]) -> Callable[[dict[str, Any]], None]:
    return lambda hints: hints["shifts"][site][case].update(by=by)


def when(site: str, text: str) -> Callable[[dict[str, Any]], None]:
    return lambda hints: hints["shifts"][site][0].update(when=text)


LOCK = {"(queries.1 i.1)": -1, "noisy_threshold.1": 1}
FORGED = [
    ("laplace", shift("0", 0, {"value.1": 1}), "returns"),
    ("laplace", shift("0", 0, {}), "returns"),
    ("geometric", shift("0", 0, {"count.1": -2}), "returns|costs"),
    ("above_threshold", shift("0", 0, {}), "costs|returns"),
    ("above_threshold", shift("1", 0, {}), "returns|draw"),
    ("above_threshold", shift("1", 1, LOCK), "costs"),
    ("above_threshold", when("1", "false"), "returns|draw"),
    ("above_threshold", when("1", "(and (> (+ (queries.1 i.1) $noise) noisy_threshold.1))"), "returns|draw"),
    ("sparse_vector", when("1", "true"), "costs"),
    ("sparse_vector_gap", shift("1", 0, {"(queries.1 i.1)": -1}), "returns"),
    ("noisy_max_laplace", shift("1", 0, {"$u": 1}), "returns"),
    ("noisy_max_exponential", shift("1", 1, {"$u": -2}), "one-sided|cannot|costs|returns"),
    ("noisy_max_array", when("0", "(= at@@2.1 (+ $o0 1.0))"), "returns"),
    ("prefix_sums", shift("0", 0, {"total.1": -1}), "returns"),
    ("histogram", shift("0", 0, {"(counts.1 0.0)": -1}), "returns|no value"),
    ("laplace", shift("0", 0, {"unheard_of.1": 1}), "draw"),
]


@pytest.mark.parametrize(("name", "change", "why"), FORGED, ids=[f"{at}-{entry[0]}" for at, entry in enumerate(FORGED)])
def test_a_forged_hint_is_met(name: str, change: Callable[[dict[str, Any]], Any], why: str) -> None:
    """Another shift, another case, another guess: two runs part, or the noise costs more."""
    said = forged(name, change)
    assert said is not None and re.search(why, said), said


def test_tapes_that_become_one_are_met() -> None:
    """A map that forgets the noise gives one output to every world, at a price, and is refused."""
    found = program("return 0 * (value + sample(Laplace(1 / epsilon)))")

    def forgetful(pair: tapes.Pair, tape: tapes.Tape, _: Any) -> tapes.Tape:
        return tuple(min(noise, pair.grid) for noise in tape)

    said = replayed(found.program, found.relation, found.price, found.whole, forgetful, squared=False)
    assert said is not None and ("become one" in said or "costs" in said)


def test_a_shift_off_the_grid_is_met() -> None:
    """Half a step is no value of noise on the grid."""
    found = program("return 0 * (value + sample(Laplace(1 / epsilon)))")

    def halved(pair: tapes.Pair, tape: tapes.Tape, _: Any) -> tapes.Tape:
        return tuple(noise + pair.grid / 2 for noise in tape)

    said = replayed(found.program, found.relation, found.price, found.whole, halved, squared=False)
    assert said is not None and "cannot be moved" in said


# programs that were misread


def ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """A range that lacks its last number."""
    plain = lowering._Lowering.count_up

    def count_up(self: Any, line: int, target: str, first: Expr, *rest: Any) -> list[Stmt]:
        return plain(self, line, target, first, Binary("-", rest[0], Literal(Fraction(1))), rest[1])

    monkeypatch.setattr(lowering._Lowering, "count_up", count_up)


def branches_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The else branch where the test holds."""
    plain = lowering._Lowering.branch
    monkeypatch.setattr(
        lowering._Lowering, "branch", lambda self, step: plain(self, replace(step, then=step.otherwise, otherwise=step.then))
    )


def less_or_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    """<= where < is written."""
    plain = lowering._Lowering.scalar

    def scalar(self: Any, expr: Expr, before: list[Stmt]) -> Expr:
        return plain(self, replace(expr, op="<=") if isinstance(expr, Compare) and expr.op == "<" else expr, before)

    monkeypatch.setattr(lowering._Lowering, "scalar", scalar)


def a_draw_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise read as 0."""
    plain = lowering._Lowering.draw

    def draw(self: Any, step: Draw) -> list[Stmt]:
        return [Assign(step.line, step.target, Literal(Fraction(0)))] if step.site == 1 else plain(self, step)

    monkeypatch.setattr(lowering._Lowering, "draw", draw)


def a_branch_taken_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """An if whose test is forgotten."""
    plain = lowering._Lowering.branch
    true = Literal(value=True)
    monkeypatch.setattr(lowering._Lowering, "branch", lambda self, step: plain(self, If(step.line, true, step.then, ())))


def always_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number said to move by steps of the grid."""
    monkeypatch.setattr("twoworlds.proofs.kinds._is_steady", lambda *_: True)


def never_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """None computed with as if it were a number."""
    for module in ("kinds", "runs"):
        monkeypatch.setattr(f"twoworlds.proofs.{module}.is_present", lambda *_: True)


QUERIES = 'Each("queries")'
MISREAD = [
    (ends_early, "total = 0\nfor i in range(1):\n    total = total + queries[i]\nreturn total", QUERIES),
    (branches_swapped, "if 0 < 1:\n    return value\nreturn value + sample(Laplace(1 / epsilon))", 'Number("value")'),
    (
        branches_swapped,
        "kept = 0\nif value > 3:\n    kept = 0\nelse:\n    kept = 0\nif 1 > 0:\n    kept = value\nreturn kept",
        'Number("value")',
    ),
    (less_or_equal, "bar = sample(Laplace(1 / epsilon))\nif bar < bar:\n    return bar\nreturn value", 'Number("value")'),
    (a_draw_dropped, "x = sample(Laplace(1 / epsilon))\nreturn x, value * sample(Laplace(1 / epsilon))", 'Number("value")'),
    (
        always_on_the_grid,
        "half = 0\nhalf = Fraction(1, 2) * value\nreturn half + sample(Laplace(1 / epsilon))",
        'Number("value")',
    ),
    (a_branch_taken_always, "shown = value\nif value > 0:\n    shown = 0\nreturn shown", 'Number("value")'),
]


@pytest.mark.parametrize(
    ("fault", "body", "neighbours"), MISREAD, ids=[f"{at}-{entry[0].__name__}" for at, entry in enumerate(MISREAD)]
)
def test_a_program_that_is_misread_is_proved_and_then_met(
    fault: Callable[[pytest.MonkeyPatch], None], body: str, neighbours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a fault in the lowering something false is proved; the replay runs what is written, and sees it."""
    found = program(body, neighbours)
    assert proof(found) is None
    fault(monkeypatch)
    assert apart_of(found, certified(found)) is not None


def test_none_that_one_world_computes_with_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends in an error where the other does not tells the worlds apart."""
    found = program("known = None\nif value > 0:\n    known = 1\nreturn 0 * known + sample(Laplace(1 / epsilon))")
    hints = {"guess": False, "shifts": {}, "invariants": [], "cells": {}, "signs": {}, "rates": {}, "bounds": []}
    assert check(lowering.lower(found.program), found.relation, found.price, found.whole, hints) is not None
    never_nothing(monkeypatch)
    assert check(lowering.lower(found.program), found.relation, found.price, found.whole, hints) is None
    said = apart_of(found, Certificate(found.name, found.digest, "PROVED", str(found.price), "alignment", {"hints": hints}))
    assert said is not None


def test_it_shares_no_code_with_search_lowering_or_obligations() -> None:
    """Of the room it imports the module that makes worlds and tapes, which imports nothing of it."""
    allowed = {replay: {"twoworlds.proofs.tapes"}, tapes: set()}
    for module, known in allowed.items():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert {name for name in imported if name and name.startswith("twoworlds.proofs")} == known
        assert not {name for name in imported if name and name.split(".")[0] in ("z3", "cvc5")}
