"""The lowered program is the program: on one noise tape both give one output and draw the same noise."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from tests.proofs import strangers
from tests.proofs.test_programs import PROGRAMS
from tests.source.generator import arguments, card
from tests.source.tape import FAILED, NoiseTape, run_program
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs import lowering
from twoworlds.proofs.choices import restored
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.statements import Statement, stated
from twoworlds.proofs.tapes import pairs, ran, read_from, runs
from twoworlds.source.inference import infer
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Literal, Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

WRITTEN = [stated(card) for card in (*cards().values(), *vars(strangers).values()) if isinstance(card, Card)]
LOWERED: dict[str, tuple[Statement, Program]] = {}
for found in (*PROGRAMS.values(), *WRITTEN):
    if isinstance(found, Statement):
        try:
            LOWERED[found.name] = found, lower(found.program)
        except Unsupported:
            continue


NOT_RUN = {"laplace_euclidean"}  # its parameters must fit together, which those that are tried do not


def test_most_programs_are_lowered() -> None:
    """What is not has operations that no alignment speaks of."""
    assert len(LOWERED) >= 80


@pytest.mark.parametrize("name", sorted(LOWERED))
def test_it_runs_as_it_is_written(name: str) -> None:
    """In worlds of its relation, on small tapes and on tapes that drift."""
    found, lowered = LOWERED[name]
    seen = 0
    for pair, seed in pairs(found.program, found.relation, found.whole, 8):
        for one in runs(found.program, pair, seed):
            if one.told is None:
                continue  # both worlds fail here alike, or a proof shows that they do
            seen += 1
            again = ran(restored(lowered), pair.one, read_from(one.tape))
            assert (again.told, again.laws, again.tape) == (one.told, one.laws, one.tape)
    assert seen or name in NOT_RUN


def compared(seeds: range) -> Counter[str]:
    """How generated programs end that are lowered, after a comparison of the two."""
    ends: Counter[str] = Counter()
    for seed in seeds:
        try:
            program = parse_text(card(seed))
            lowered = lower(program)
        except Unsupported:
            ends["refused"] += 1
            continue
        scalar = not infer(program).variables["weights"].is_sequence
        inputs = arguments(seed, scalar=scalar)
        tapes = NoiseTape(seed, Fraction(1)), NoiseTape(seed, Fraction(1))
        one, two = run_program(program, inputs, tapes[0]), run_program(restored(lowered), inputs, tapes[1])
        if FAILED in (one, two):
            ends["both fail" if one == two else "one fails"] += 1
            continue
        assert repr(one) == repr(two), card(seed)
        assert tapes[0].laws == tapes[1].laws, card(seed)
        ends["equal"] += 1
    return ends


def test_generated_programs_run_as_they_are_written() -> None:
    """Programs over the whole language, as far as they are lowered."""
    ends = compared(range(1_500))
    assert ends["equal"] > 100 and ends["one fails"] <= 0.02 * ends["equal"], ends


def test_the_comparison_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the largest entry is looked for from the third on."""
    monkeypatch.setattr(lowering, "ONE", Literal(Fraction(2)))
    with pytest.raises(AssertionError):
        compared(range(1_500))
