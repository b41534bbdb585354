"""Writing constants out changes nothing of what a program does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.source.generator import arguments, card
from tests.source.tape import NoiseTape, run_program
from twoworlds.source.definitions import unfold
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Draw, walk
from twoworlds.worlds.errors import Unsupported


def unfolded(body: str):
    lines = "\n".join("    " + line for line in body.split("\n"))
    return unfold(parse_text(f"def f(data, k, *, sample):\n{lines}\n", "data"))


def scales(body: str) -> list[str]:
    """The scales of a program's draws, constants written out, spelled as the sum of their names."""
    draws = [part for part in walk(unfolded(body).body) if isinstance(part, Draw)]
    return [" ".join(sorted({name.name for name in walk(draw.noise.arguments) if hasattr(name, "name")})) for draw in draws]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("b = 2 / k\nreturn sample(Laplace(b))", ["k"]),
        ("b = 2 / k\nc = b + len(data)\nreturn sample(Laplace(max(c, 1)))", ["data k"]),
        ("x = 0\nfor i in range(k):\n    b = 2 / k\n    x = sample(Laplace(b))\nreturn x", ["k"]),
        ("b = 1\nb = 2\nreturn sample(Laplace(b))", ["b"]),
        ("b = 1\nfor i in range(3):\n    b = b + 1\nreturn sample(Laplace(b))", ["b"]),
        ("x = 0\nfor i in range(3):\n    b = i + 1\n    x = sample(Laplace(b))\nreturn x", ["b"]),
        ("k = k + 1\nb = 2 / k\nreturn sample(Laplace(b))", ["b"]),
        ("n = sample(Laplace(1))\nb = abs(n) + 1\nreturn sample(Laplace(b))", ["", "b"]),
        ("xs = [1, k]\nb = sum(xs)\nreturn sample(Laplace(b))", ["b"]),
    ],
)
def test_what_counts_as_a_constant(body, expected):
    """One assignment, of numbers and parameters that never change; anything else keeps its name."""
    assert scales(body) == expected


def test_programs_do_the_same_afterwards():
    """Generated programs give equal outputs with their constants written out, and draw alike."""
    seen = 0
    for seed in range(250):
        try:
            program = parse_text(card(seed))
        except Unsupported:
            continue
        tapes = NoiseTape(seed, Fraction(1)), NoiseTape(seed, Fraction(1))
        outputs = [run_program(p, arguments(seed), tape) for p, tape in zip((program, unfold(program)), tapes, strict=True)]
        assert repr(outputs[0]) == repr(outputs[1])
        assert tapes[0].laws == tapes[1].laws
        seen += unfold(program) != program
    assert seen > 20
