"""Helper functions are written in place of their calls, so that the program still does what the Python functions do."""

from __future__ import annotations

import importlib.util
import linecache
import textwrap
from fractions import Fraction

import pytest

from tests.source.tape import NoiseTape, function_of, run_function, run_program
from twoworlds.source.files import read_cards
from twoworlds.source.parser import parse
from twoworlds.source.program import Draw, Program, walk
from twoworlds.worlds.errors import Unsupported

CARD = """
@mechanism(neighbours=Each("data", by=1), price=Pure("scale"))
def card(data, *, scale, sample):
"""


def program(helpers: str, body: str):
    """The only card of a file with these helpers, or the reason why it is none."""
    (found,) = read_cards(textwrap.dedent(helpers) + CARD + textwrap.indent(textwrap.dedent(body), "    "))
    return found.program


TOTAL = """
def total(xs, least=0):
    '''The sum, held at least.'''
    s = 0
    for x in xs:
        s += x
    if s < least:
        return least
    return s
"""
NOISY = """
def noisy(xs, *, scale, sample):
    return [x + sample(Laplace(scale)) for x in xs]
"""
ALIKE = {
    "several calls": (TOTAL, "s = 3\nreturn total(data), total([1, s], least=s), total(xs=data, least=-2) + s"),
    "draws in order": (
        NOISY,
        "x = sample(Gaussian(1))\nreturn noisy(noisy([x], scale=1, sample=sample), sample=sample, scale=scale)",
    ),
    "in tests and loops": (TOTAL, "n = 0\nwhile total(data) > n:\n    n += 1\n    if n > 4:\n        break\nreturn n"),
    "in comprehensions": (TOTAL, "return [total([x, 1]) for x in data if total([x]) > 0]"),
    "arguments that are changed": ("def up(n):\n    n = n + 1\n    return n\n", "n = 1\nm = up(n)\nreturn n, m, up(up(n))"),
    "same names": (
        "def f(x, y):\n    z = x - y\n    return z\n",
        "x, y, z = 1, 2, 3\nw = f(y, x)\nreturn x, y, z, w, f(z, f(x, w))",
    ),
    "early returns": (
        "def sign(x):\n    if x > 0:\n        return 1\n    elif x < 0:\n        return -1\n    else:\n        return None\n",
        "return [sign(x) for x in data]",
    ),
    "one branch returns": (
        "def f(x):\n    y = 1\n    if x > 0:\n        y = 2\n    else:\n        return 0\n    z = y * x\n    return z\n",
        "return [f(x) for x in data]",
    ),
    "nothing returned": ("def f(x):\n    if x > 0:\n        return x\n", "return [f(x) for x in data]"),
    "a bare return": ("def f(x):\n    return\n", "return f(1)"),
    "lists that are handed back": (
        "def pair(x):\n    xs = [x]\n    xs.append(1)\n    return xs\n",
        "a = pair(2)\na.append(3)\nb = []\nfor i in range(2):\n    c = pair(i)\n    c.append(0)\n    b.append(c)\nreturn a, b",
    ),
    "a helper's helper": (TOTAL + "def mean(xs, n):\n    return total(xs) / n\n", "return mean(data, scale), total(data)"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_helpers_run_as_they_are_read(name):
    """On one noise tape, Python's calls and the program without calls give equal outputs and draw alike."""
    helpers, body = ALIKE[name]
    read = program(helpers, body)
    assert isinstance(read, Program), read
    text = textwrap.dedent(helpers) + CARD + textwrap.indent(body, "    ")
    function = function_of(text).__globals__["card"]
    for seed in range(6):
        inputs = {"data": [seed - 2, 3, -1][: 1 + seed % 3], "scale": Fraction(1, 2)}
        tapes = NoiseTape(seed, Fraction(1, 2)), NoiseTape(seed, Fraction(1, 2))
        assert repr(run_function(function, read, inputs, tapes[0])) == repr(run_program(read, inputs, tapes[1]))
        assert tapes[0].laws == tapes[1].laws


REFUSED = {
    "calls itself": ("def f(x):\n    return f(x)\n", "return f(1)", "`f` calls itself"),
    "calls in a circle": ("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n", "return f(1)", "`f` calls itself"),
    "too many calls": (
        "def a(x):\n    return x\n"
        + "".join(f"def {n}(x):\n    return {m}({m}({m}({m}(x))))\n" for m, n in ("ab", "bc", "cd", "de")),
        "return e(1)",
        "more than 200 calls",
    ),
    "too long": (
        "def f(x):\n" + "    x = x + 1\n" * 1000 + "    return x\n",
        "return " + "+".join(["f(1)"] * 9),
        "too long to be",
    ),
    "returns from a loop": (
        "def f(x):\n    for y in x:\n        return y\n",
        "return f(data)",
        "in `f`, line 2: the function returns from inside",
    ),
    "returns now and then": (
        "def f(x):\n    if x > 0:\n        if x > 1:\n            return 1\n    x = 2\n    return x\n",
        "return f(1)",
        "only one way",
    ),
    "never reached": ("def f(x):\n    return 1\n    x = 2\n", "return f(1)", "never reached"),
    "changes its argument": ("def f(x):\n    x.append(1)\n    return 1\n", "return f([1])", "changes its argument `x`"),
    "stores into its argument": ("def f(x):\n    x[0] = 1\n    return 1\n", "return f([1])", "changes its argument `x`"),
    "changes another name of its argument": (
        "def f(x):\n    y = x\n    y.append(1)\n    return x\n",
        "xs = [1]\nreturn f(xs)",
        "under another name",
    ),
    "changes another name of a list it made": (
        "def f():\n    x = [1]\n    y = x\n    y.append(1)\n    return x\n",
        "return f()",
        "under another name",
    ),
    "hands back its argument": ("def f(x):\n    return x\n", "a = [1]\nb = f(a)\nb.append(2)\nreturn a", "under another name"),
    "hands back the argument of another": (
        "def f(x):\n    return x\ndef g():\n    a = [1]\n    b = f(a)\n    b.append(2)\n    return a\n",
        "return g()",
        "under another name",
    ),
    "changes what it got from another": (
        "def f():\n    return [1]\ndef g(x):\n    y = x\n    y.append(2)\n    return x\n",
        "return g(f())",
        "under another name",
    ),
    "reads a global": ("def f(x):\n    return x + data\n", "return f(1)", "`data` comes from outside"),
    "reads a global in a deep helper": (
        "def f(x):\n    return g(x)\ndef g(x):\n    return x + k\n",
        "return f(1)",
        "in a function that it calls",
    ),
    "draws without sample": ("def f(x):\n    return x + sample(Laplace(1))\n", "return f(1)", "takes no `sample`"),
    "sample under another name": ("def f(x, noise):\n    return x\n", "return f(1, sample)", "under another name"),
    "another thing as sample": ("def f(x, sample):\n    return x\n", "return f(1, 2)", "under another name"),
    "too few arguments": ("def f(x, y):\n    return x\n", "return f(1)", "other arguments"),
    "too many arguments": ("def f(x):\n    return x\n", "return f(1, 2)", "other arguments"),
    "an argument twice": ("def f(x):\n    return x\n", "return f(1, x=2)", "other arguments"),
    "an unknown argument": ("def f(x):\n    return x\n", "return f(y=2)", "other arguments"),
    "spread arguments": ("def f(x):\n    return x\n", "return f(*data)", "other arguments"),
    "spread keywords": ("def f(x):\n    return x\n", "return f(**data)", "other arguments"),
    "any arguments": ("def f(*x):\n    return x\n", "return f(1)", "takes *args"),
    "decorated": ("@cache\ndef f(x):\n    return x\n", "return f(1)", "decorated"),
    "computed default": ("def f(x=len):\n    return x\n", "return f()", "computes a default"),
    "parameter named like a function": ("def f(len):\n    return 1\n", "return f(1)", "a parameter called `len`"),
    "local named like a function": ("def f(x):\n    len = x\n    return 1\n", "return f(1)", "`len` is given another meaning"),
    "card's variable named like a helper": (
        "def f(x):\n    return x\n",
        "y = f(1)\nf = 2\nreturn f",
        "`f` is given another meaning",
    ),
    "defined twice": ("def f(x):\n    return x\ndef f(x):\n    return 2\n", "return f(1)", "not a function"),
    "bound twice": ("def f(x):\n    return x\nf = 3\n", "return f(1)", "not a function"),
    "asynchronous": ("async def f(x):\n    return x\n", "return f(1)", "not a function"),
    "a draw that may be skipped": (NOISY, "return scale > 1 and sum(noisy(data, scale=1, sample=sample)) > 1", "may be skipped"),
    "another len": ("len = 3\ndef f(x):\n    return len(x)\n", "return f(data)", "`len` is given another meaning"),
    "a float": ("def f(x):\n    return x * 0.5\n", "return f(1)", "in `f`, line 2: 0.5 is not an exact number"),
    "stale variable": (
        "def f(x):\n    if x > 0:\n        y = 1\n    return y\n",
        "z = 0\nfor x in data:\n    z = f(x)\nreturn z",
        "may have no value here",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_helpers_that_are_refused(name):
    """Planted: what cannot be written in place soundly is refused at the call."""
    helpers, body, reason = REFUSED[name]
    error = program(helpers, body)
    assert isinstance(error, Unsupported), error
    assert reason in str(error)


def test_parameters_named_like_helpers_are_refused():
    """Planted: inside the card such a name would mean the parameter."""
    text = "def data(x):\n    return x\n" + CARD + "    return data(1)\n"
    assert "like a function" in str(read_cards(text)[0].program)


def test_statements_of_a_helper_stand_where_it_is_called():
    """A finding about the body of a helper leads to the call; each call has its own draws."""
    read = program(NOISY, "x = noisy(data, scale=1, sample=sample)\nreturn x, noisy(data, scale=1, sample=sample)")
    lines = [part.line for part in walk(read.body) if isinstance(part, Draw)]
    assert lines == [7, 8]
    assert [draw.site for draw in read.draws] == [0, 1]


def test_live_cards_count_their_helpers(tmp_path):
    """The text of a helper is part of the digest, from the file and from the module alike, and is checked like the card's."""
    text = "from twoworlds.losses.prices import Pure\nfrom twoworlds.worlds.cards import mechanism\n"
    text += "from twoworlds.worlds.distributions import Laplace\nfrom twoworlds.worlds.neighbours import Each\n" + TOTAL
    text += CARD + "    return total(data) + sample(Laplace(scale))\n"
    text = text.replace('Pure("scale")', 'Pure("1 / scale")')
    path = tmp_path / "cards.py"
    path.write_text(text)
    linecache.clearcache()
    spec = importlib.util.spec_from_file_location("cards", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    read = parse(module.card)
    assert set(module.card.helpers) == {"total"}
    assert read_cards(text)[0].program.digest == read.digest == module.card.digest
    changed = read_cards(text.replace("s += x", "s -= x"))[0].program.digest
    assert changed != read.digest
    module.total = lambda xs, least=0: sum(xs, least)
    with pytest.raises(Unsupported, match="not the one in this text"):
        parse(module.card)
    module.total = sum
    with pytest.raises(Unsupported, match="not a plain function"):
        parse(module.card)
