"""The test that ties the readers together: on one noise tape, the Python function and the parsed program give equal outputs."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.choosers import SeededChooser
from tests.source.generator import arguments, card
from tests.source.tape import FAILED, OFF_GRID, NoiseTape, function_of, run_function, run_program
from twoworlds import mechanisms
from twoworlds.source.inference import infer
from twoworlds.source.parser import parse, parse_text
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

CARDS = {
    card.name: card
    for module in pkgutil.iter_modules(mechanisms.__path__)
    for card in vars(importlib.import_module(f"twoworlds.mechanisms.{module.name}")).values()
    if isinstance(card, Card)
}
GRIDS = (Fraction(1), Fraction(1, 4))


def compare(function: Any, program: Program, inputs: dict[str, Any], seed: int) -> str:
    """Run both ways on every grid; returns how it ended, after checking that it ended alike and drew alike."""
    outcome = "equal"
    for grid in GRIDS:
        tapes = NoiseTape(seed, grid), NoiseTape(seed, grid)
        ran, read = run_function(function, program, inputs, tapes[0]), run_program(program, inputs, tapes[1])
        if ran == OFF_GRID:
            return "off the grid"
        assert repr(ran) == repr(read), (inputs, grid)
        if ran == FAILED:
            outcome = FAILED
        else:
            assert tapes[0].laws == tapes[1].laws, (inputs, grid)
    return outcome


@pytest.mark.parametrize("name", sorted(CARDS))
def test_every_card_runs_as_it_is_read(name):
    """Each card's function and its program agree, in its worst cases and in worlds of its relation, on 40 tapes."""
    card = CARDS[name]
    program = parse(card)
    for seed in range(40):
        case = card.worst[seed % len(card.worst)]
        worlds = [case.world, case.other]
        if seed % 4 == 3:
            worlds = list(card.neighbours.pairs(SeededChooser(seed), case.at))
        for world in worlds:
            compare(card.function, program, {**case.at, card.neighbours.parameter: world}, seed)


@pytest.mark.parametrize("share", range(4))
def test_a_thousand_programs_run_as_they_are_read(share):
    """Generated typed programs are accepted (nine of ten) and agree with Python: outputs, types, draws, and failures."""
    ends: Counter[str] = Counter()
    for seed in range(share, 1100, 4):
        text = card(seed)
        try:
            program = parse_text(text)
        except Unsupported:
            ends["refused"] += 1
            continue
        for inputs in range(2):
            ends[compare(function_of(text), program, arguments(10_007 * inputs + seed), seed)] += 1
    assert ends["refused"] < 27
    assert ends["equal"] > 300


def test_wild_programs_are_refused_or_run_as_they_are_read():
    """Planted confusion: whatever of programs that mix all kinds is accepted agrees with Python."""
    ends: Counter[str] = Counter()
    for seed in range(900):
        text = card(seed, wild=True)
        try:
            program = parse_text(text)
        except Unsupported:
            ends["refused"] += 1
            continue
        scalar = not infer(program).variables["weights"].is_sequence
        ends[compare(function_of(text), program, arguments(seed, scalar=scalar), seed)] += 1
    assert ends["refused"] > 200
    assert ends["equal"] > 200


@pytest.mark.soak
def test_many_programs_run_as_they_are_read(effort):
    """As above, with 200,000 typed and wild programs."""
    for number in range(int(200_000 * effort)):
        text = card(number + 5_000, wild=number % 2 == 1)
        try:
            program = parse_text(text)
        except Unsupported:
            continue
        scalar = not infer(program).variables["weights"].is_sequence
        compare(function_of(text), program, arguments(number, scalar=scalar), number)


def test_the_comparison_sees_a_difference():
    """Planted: a program read from another text than the function's is caught."""
    head = "def f(data, *, sample):\n"
    minus = f"{head}    return data[0] - sample(Laplace(1))\n"
    plus = f"{head}    return data[0] + sample(Laplace(1))\n"
    with pytest.raises(AssertionError):
        compare(function_of(minus), parse_text(plus, "data"), {"data": [2]}, 1)
    there = f"{head}    x, y = sample(Laplace(1)), sample(Gaussian(1))\n    return data[0]\n"
    back = f"{head}    x, y = sample(Gaussian(1)), sample(Laplace(1))\n    return data[0]\n"
    with pytest.raises(AssertionError):
        compare(function_of(there), parse_text(back, "data"), {"data": [2]}, 1)
