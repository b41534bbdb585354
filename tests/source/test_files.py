"""The cards of a file are found and read from its text alone, whatever else stands in it and whoever wrote it."""

from __future__ import annotations

import ast
import pathlib
import textwrap

import pytest

from tests.source.test_equality import CARDS
from twoworlds import mechanisms
from twoworlds.source.files import read_cards
from twoworlds.source.program import Program
from twoworlds.worlds.errors import Unsupported

HEAD = """\
from fractions import Fraction
import twoworlds as tw
from twoworlds import Laplace, clip, mechanism
"""
CARD = """
@mechanism(neighbours=Number("x"), price=Pure("epsilon"), cite="nobody")
def noisy(x, *, epsilon, sample):
    return max(x, Fraction(0)) + sample(Laplace(1 / epsilon))
"""


def read(text, head=HEAD):
    return read_cards(head + textwrap.dedent(text))


def refusal(text, head=HEAD):
    (found,) = read(text, head)
    assert isinstance(found.program, Unsupported), found
    return found.program


def test_shipped_files_read_as_their_cards_do():
    """From the text of each module come the same programs, under the same digest, as from the imported cards."""
    seen = set()
    for path in sorted(pathlib.Path(mechanisms.__path__[0]).glob("*.py")):
        for found in read_cards(path.read_text()):
            card = CARDS[found.name]
            assert isinstance(found.program, Program), found.program
            assert found.program.digest == card.digest
            assert found.program.private == card.neighbours.parameter
            assert set(found.keywords) >= {"neighbours", "price"}
            seen.add(found.name)
    assert seen == set(CARDS)


def test_lines_count_from_the_top_of_the_file():
    """Where a card stands, and where its statements stand, is said in lines of the file; keywords come as they are written."""
    (found,) = read(CARD)
    assert (found.name, found.line) == ("noisy", 6)
    assert found.program.body[0].line == 7
    assert ast.unparse(found.keywords["price"]) == "Pure('epsilon')"


def test_other_code_is_let_be():
    """Only marked functions are read; the file may do anything else, and nothing of it is run."""
    text = f"""
raise SystemExit("this would run if the file were imported")
class Helper:
    len = 3
    def max(self): return {{}}
def plain(x): return [*x]
def sets_a_local():
    Laplace = 3
    return Laplace
x: int
for y in range(3): print(lambda: y)
{CARD}
@tw.mechanism(neighbours=Number("x"), price=Pure("epsilon"))
def other(x, *, epsilon, sample):
    return x
@property
@whatever(3)
def unmarked(): pass
"""
    assert [(found.name, type(found.program).__name__) for found in read(text)] == [("noisy", "Program"), ("other", "Program")]
    assert read("") == []


def test_the_decorator_may_have_another_name():
    """An alias of `mechanism` marks cards, and so does any attribute of that name."""
    head = HEAD.replace("mechanism", "mechanism as card")
    assert isinstance(read(CARD.replace("@mechanism", "@card"), head)[0].program, Program)
    assert isinstance(read(CARD.replace("@mechanism", "@a.b.mechanism"))[0].program, Program)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("def broken(:", 4, "not Python"),
        (CARD.replace("def", "async def"), 6, "no plain function"),
        ("@mechanism(neighbours=Number('x'), price=Pure('epsilon'))\nclass noisy: pass", 5, "no plain function"),
        (CARD.replace("@mechanism", "@cache\n@mechanism"), 7, "several decorators"),
        (CARD.replace("@mechanism", "@mechanism()\n@mechanism"), 7, "several decorators"),
        ("if True:" + textwrap.indent(CARD, "    "), 6, "inside something else"),
        ("class Cards:" + textwrap.indent(CARD, "    "), 6, "inside something else"),
        (CARD + "def noisy(): pass", 6, "defined 2 times"),
        (CARD.replace('Number("x")', 'Number("y")'), 6, "`neighbours` speaks of `y`"),
        (CARD.replace("max(x", "round(x"), 7, "`round` is not a function"),
        (CARD.replace("1 / epsilon", "1 / 2"), 7, "float"),
        ("max = min" + CARD, 7, "`max` is given another meaning in line 4"),
        ("def Laplace(x): return x" + CARD, 7, "`Laplace` is given another meaning in line 4"),
        ("class Fraction: pass" + CARD, 7, "`Fraction` is given another meaning"),
        ("for max in []: pass" + CARD, 7, "`max` is given another meaning"),
        ("del Laplace" + CARD, 7, "`Laplace` is given another meaning"),
        ("try: pass\nexcept OSError as max: pass" + CARD, 8, "`max` is given another meaning"),
        ("match 3:\n    case max: pass" + CARD, 8, "`max` is given another meaning"),
        ("match []:\n    case [*max]: pass" + CARD, 8, "`max` is given another meaning"),
        ("match {}:\n    case {**max}: pass" + CARD, 8, "`max` is given another meaning"),
        ("match 3:\n    case 1 | 2: pass\n    case _: pass" + CARD.replace("epsilon))", "0.5))"), 9, "not an exact number"),
        ("def f():\n    global max\n    max = min" + CARD, 9, "`max` is given another meaning in line 5"),
        ("import numpy as max" + CARD, 7, "`max` is not the one"),
        ("from numpy import max" + CARD, 7, "`max` is not the one"),
        ("from mine import Laplace" + CARD, 7, "`Laplace` is given another meaning in line 4"),
        ("from numpy import *" + CARD, 7, "star import in line 4"),
        ("(max := 3)" + CARD, 7, "`max` is given another meaning"),
    ],
)
def test_what_is_refused(text, line, reason):
    """Planted: each is one finding with its line and reason, never an exception and never a program."""
    error = refusal(text)
    assert error.line == line
    assert reason in error.reason


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("from mine import Laplace\n", "`Laplace` is not the one"),
        ("from .mine import Laplace\n", "`Laplace` is not the one"),
        ("from twoworlds import Gaussian as Laplace\n", "`Laplace` is not the one"),
        ("from numbers import Rational as Fraction\n", "`Fraction` is not the one"),
    ],
)
def test_imports_from_elsewhere_are_refused(head, reason):
    """Planted: the vocabulary must come from twoworlds, and Fraction from fractions."""
    assert reason in refusal(CARD, head).reason


def test_imports_from_here_are_let_be():
    """A star import of ours, and no import at all (the file could not run, but says what it means)."""
    assert isinstance(read(CARD, "from twoworlds import *\n")[0].program, Program)
    assert isinstance(read(CARD, "")[0].program, Program)


HOSTILE = {
    "one long sum": "x = " + "+".join(["a"] * 300_000),
    "brackets": "(" * 100_000,
    "signs": "x = " + "-" * 100_000 + "1",
    "attributes": "x = a" + ".b" * 100_000,
    "calls": "f" + "()" * 100_000,
    "elif": "if a: pass\n" + "elif a: pass\n" * 20_000,
    "indentation": "\n".join(" " * depth + "if a:" for depth in range(200)),
    "a number of 5,000 digits": "x = 1" + "0" * 5_000,
    "a null byte": "a\0b",
    "half a character": "x = '\ud800'",
    "more than a megabyte": "#" * 1_000_001,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    """Planted: text that breaks parsers gives one finding."""
    (found,) = read_cards(HOSTILE[name])
    assert isinstance(found.program, Unsupported)
    assert found.program.fix


def test_hostile_cards():
    """Planted: deep and long cards, mangled and foreign names, are read or refused, and quickly."""
    deep = CARD.replace("1 / epsilon", "+".join(["epsilon"] * 1_000))
    assert "nested" in refusal(deep).reason
    high = CARD.replace("1 / epsilon", "epsilon ** (10 ** 9)")
    assert isinstance(read(high)[0].program, Program)
    assert isinstance(read(CARD.replace("noisy", "__noisy")).pop().program, Program)
    assert read(CARD.replace("noisy", "ﬁ"))[0].name == "fi"  # Python reads names in their normal form
    many = "".join(CARD.replace("noisy", f"noisy{i}") for i in range(400))
    assert len(read(many)) == 400
    assert isinstance(read(CARD.replace("\n", "\r\n"), HEAD.replace("\n", "\r\n"))[0].program, Program)
    assert isinstance(read("x = '''\x0c\u2028'''" + CARD)[0].program, Program)
