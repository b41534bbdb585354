"""The interpreter runs a program step by step on a noise tape."""

from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.source import interpreter
from twoworlds.source.interpreter import freeze, interpret
from twoworlds.source.parser import parse_text
from twoworlds.worlds.distributions import Laplace, Uniform
from twoworlds.worlds.errors import BadArgument, Unsupported


def run(body: str, tape=(), **arguments):
    """The output, and the draws that were asked for, with noise from a list."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    asked = []

    def draw(site, law):
        asked.append((site, law))
        return tape[len(asked) - 1]

    return interpret(parse_text(f"def f(data, k, *, sample):\n{lines}\n"), arguments, draw), asked


@pytest.mark.parametrize(
    ("body", "expected"),
    {
        "x = 0\nfor y in data:\n    x += y\nreturn x": 6,
        "for i in range(5):\n    if i == 3:\n        break\n    k = i\nreturn k": 2,
        "x = 0\nfor i in range(5):\n    if i == 3:\n        continue\n    x += i\nreturn x": 7,
        "i = 0\nwhile i < 3:\n    i += 1\n    if i == 2:\n        continue\nreturn i": 3,
        "i = 0\nwhile True:\n    i += 1\n    if i > 4:\n        break\nreturn i": 5,
        "for i in range(3):\n    for j in range(3):\n        if j == 1:\n            break\n        k = k + 1\nreturn k": 4,
        "xs = [0] * 3\nxs[1] = k\nxs[-1] = 2\nreturn xs": (0, 1, 2),
        "xs = []\nfor i, x in enumerate(data):\n    xs.append(i * x)\nreturn xs": (0, 2, 6),
        "return [x - y for x, y in zip(data, [3, 2])]": (-2, 0),
        "if k > 1:\n    return 1\nelif k > 0:\n    return 2\nelse:\n    return 3": 2,
        "if k > 1:\n    return 1": None,
        "return": None,
        "a, b = 1, 2\na, b = b, a\nreturn a, b, k > 0": (2, 1, True),
    }.items(),
)
def test_statements(body, expected):
    """Each statement does what it does in Python."""
    assert run(body, data=[1, 2, 3], k=1)[0] == expected


def test_draws_ask_the_tape_in_order():
    """Scalar and vector draws read the tape by site, in the order of Python."""
    body = "x = sample(Laplace(k)) - sample(Uniform(3))\ny = sample(Laplace(1), 2)\nreturn x, y"
    output, asked = run(body, [5, 2, -1, 4], data=[], k=2)
    assert output == (3, (-1, 4))
    assert asked == [(0, Laplace(2)), (1, Uniform(3)), (2, Laplace(1)), (2, Laplace(1))]


def test_lists_are_values():
    """What was handed in is not changed, and outputs are frozen all the way down."""
    data = [[1], 2, True, None]
    assert run("return data", data=data, k=0)[0] == ((1,), 2, True, None)
    assert freeze(data) == ((Fraction(1),), Fraction(2), True, None)
    assert type(freeze(True)) is bool


def test_endless_loops_end(monkeypatch):
    """A loop without a bound is an error with its line, not a hang."""
    monkeypatch.setattr(interpreter, "_MOST_ROUNDS", 50)
    with pytest.raises(Unsupported, match="line 2: the loop ran 50 times"):
        run("while k > 0:\n    k += 1\nreturn k", data=[], k=1)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("return sample(Laplace(1), k)", BadArgument),
        ("return sample(Laplace(1), 10 ** 9)", BadArgument),
        ("return sample(Laplace(k))", BadArgument),
        ("return sample(Laplace(1), k / 2)", BadArgument),
        ("xs = [1]\nxs[2] = 1\nreturn xs", IndexError),
    ],
)
def test_faults(body, fault):
    """Impossible counts, laws and indices fail as in Python."""
    with pytest.raises(fault):
        run(body, [1] * 9, data=[], k=-1)


def test_missing_arguments_are_named():
    """A parameter without a value is an error that names it."""
    with pytest.raises(BadArgument, match="'k'"):
        run("return k", data=[])
