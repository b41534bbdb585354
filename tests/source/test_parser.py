"""What the parser makes of each construct, and what it refuses: with the line, a reason and a way to write it."""

from __future__ import annotations

import ast
from fractions import Fraction

import pytest

from twoworlds.source import parser
from twoworlds.source.parser import parse_function, parse_text
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Draw,
    For,
    If,
    Item,
    Literal,
    Many,
    Name,
    Noise,
    Return,
    While,
    walk,
)
from twoworlds.worlds.cards import digest
from twoworlds.worlds.errors import Unsupported

ONE = Literal(Fraction(1))


def program(body: str, head: str = "data, *, k, scale, sample"):
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return parse_text(f"def f({head}):\n{lines}\n", "data")


def laplace(target: str, line: int, site: int = 0, count=None):
    return Draw(line, target, Noise("Laplace", (ONE,)), count, site)


def test_draws_are_lifted_from_left_to_right():
    """Each draw becomes a statement of its own before the expression it stood in, numbered in the order of the text."""
    found = program("return sample(Laplace(1)) - (k + sample(Laplace(1)))")
    assert found.body == (
        laplace("noise@1", 2),
        laplace("noise@2", 2, 1),
        Return(2, Binary("-", Name("noise@1"), Binary("+", Name("k"), Name("noise@2")))),
    )
    assert [draw.site for draw in found.draws] == [0, 1]


def test_a_draw_that_is_all_of_an_assignment_needs_no_name():
    """`x = sample(...)` is one statement, with its count if it has one."""
    found = program("x = sample(Laplace(1))\ny = sample(Laplace(1), len(data))\nreturn x + sum(y)")
    assert found.body[:2] == (laplace("x", 2), laplace("y", 3, 1, Call("len", (Name("data"),))))


def test_a_while_test_that_draws_is_drawn_each_round():
    """The test moves into the body, before an `if` that leaves the loop."""
    found = program("x = 0\nwhile sample(Laplace(1)) > x:\n    x = x + 1\nreturn x")
    loop = found.body[1]
    assert isinstance(loop, While)
    assert loop.test == Literal(value=True)
    assert isinstance(loop.body[0], Draw)
    assert isinstance(loop.body[1], If)
    assert [type(step) for step in program("x = 0\nwhile x < 3:\n    x += 1\nreturn x").body[1].body] == [Assign]


def test_lists_built_in_place_are_loops():
    """A comprehension is the loop that it abbreviates; its variable is its own; later tests wait for earlier ones."""
    found = program("x = 5\nys = [x + k for x in data if x > 0 if sample(Laplace(1)) > x]\nreturn ys, x")
    _, start, loop, _, last = found.body
    x = loop.target
    assert x != "x"
    assert start == Assign(3, "list@1", Many("list", ()))
    assert isinstance(loop, For)
    assert isinstance(loop.body[0], If)
    assert [type(step) for step in loop.body[0].then] == [Draw, If]
    assert loop.body[0].then[1].then == (Append(3, "list@1", Binary("+", Name(x), Name("k"))),)
    assert last.value == Many("tuple", (Name("ys"), Name("x")))
    assert any(isinstance(part, For) for part in program("return sum(x * 2 for x in data)").body)


@pytest.mark.parametrize(
    ("loop", "index", "reads"),
    [
        ("for i, x in enumerate(data):", "i", {"x": "data"}),
        ("for x, y in zip(data, data):", "index@1", {"x": "data", "y": "data"}),
    ],
)
def test_paired_loops_run_over_the_index(loop, index, reads):
    """enumerate and zip are loops over the index that begin by reading the entries."""
    found = program(f"total = 0\n{loop}\n    total = total + x\nreturn total").body[1]
    assert found.target == index
    assert found.sequence.function == "range"
    for step, (name, source) in zip(found.body, reads.items(), strict=False):
        assert step == Assign(3, name, Item(Name(source), Name(index)))


def test_a_sequence_that_the_body_changes_is_held():
    """Python evaluates the sequence once, so where the body assigns its name, or it takes work, it gets a name of its own."""
    for loop in ("for i, x in enumerate(xs):\n    xs = [x]", "for i, xs in enumerate(xs):\n    pass"):
        found = program(f"xs = [1, 2]\n{loop}\nreturn 0").body
        assert found[1] == Assign(3, "held@1", Name("xs"))
    assert program("for i, x in enumerate([k, 2]):\n    pass\nreturn 0").body[0].target == "held@1"


def test_small_forms():
    """Repetition, tuple assignment, assignment in place, annotations, chains, pass, bare return and docstrings."""
    found = program('"""About."""\nxs = [0] * k\nys = 2 * [k, 1]\nreturn xs, ys')
    assert found.body[0].value == Call("repeat", (Many("list", (Literal(Fraction(0)),)), Name("k")))
    assert found.body[1].value.function == "repeat"
    swap = program("a, b = k, 1\na, b = b, a\nreturn a").body
    assert [step.target for step in swap[:-1]] == ["held@1", "held@2", "a", "b", "held@3", "held@4", "a", "b"]
    assert program("x: int = 1\nx += k\nreturn x").body[1] == Assign(3, "x", Binary("+", Name("x"), Name("k")), in_place=True)
    assert program("if k > 1:\n    pass\nelse:\n    return\nreturn 1").body[0].otherwise == (Return(5, Literal(None)),)
    assert program("return 0 < k < 3").body[0].value.op == "and"
    assert program("return k is None, k is not None, -k, not k == 1, 'text'").body
    assert program("xs = [1]\nxs[0] += k\nxs[0] = 1\nreturn xs[-1] if k > 1 else None").body


def test_the_head_says_what_is_private():
    """The decorator's text names the private parameter and whether neighbours agree on its length."""
    body = "def f(data, x, *, k=3, sample):\n    return len(data) + k + x\n"
    for relation, expected in {
        'Each("data", by=1)': ("data", True, 1),
        'AddRemove("data")': ("data", False, 1),
        'Group(2, tw.One(parameter="data"))': ("data", True, 1),
        'Number("x", by=k)': ("x", True, 0),
        "RELATION": (None, False, 0),
        "Each(NAME)": (None, False, 0),
        "Group(2, RELATION)": (None, False, 0),
    }.items():
        found = parse_text(f'@tw.mechanism(neighbours={relation}, price=Pure("k"))\n{body}')
        assert (found.private, found.fixed_length, found.depth) == expected
        assert found.parameters == ("data", "x", "k")
    assert parse_text(f"@mechanism\n{body}").private is None
    assert parse_text(body, "x").private == "x"


REFUSED = {
    "a = b = 1\nreturn a": (1, "several names"),
    "with data:\n    pass\nreturn 1": (1, "With"),
    "x: int\nreturn 1": (1, "AnnAssign"),
    "import os\nreturn 1": (1, "Import"),
    "global k\nreturn 1": (1, "Global"),
    "def g():\n    pass\nreturn 1": (1, "FunctionDef"),
    "del k\nreturn 1": (1, "Delete"),
    "try:\n    x = 1\nfinally:\n    x = 2\nreturn x": (1, "Try"),
    "raise ValueError\nreturn 1": (1, "Raise"),
    "assert k\nreturn 1": (1, "Assert"),
    "match k:\n    case 1:\n        pass\nreturn 1": (1, "Match"),
    "for i in range(3):\n    pass\nelse:\n    x = 1\nreturn 1": (1, "`else`"),
    "while k > 1:\n    pass\nelse:\n    x = 1\nreturn 1": (1, "`else`"),
    "return lambda x: x": (1, "Lambda"),
    "return {1: 2}": (1, "Dict"),
    "return {1}": (1, "Set"),
    "return f'{k}'": (1, "JoinedStr"),
    "return (x := 1)": (1, "NamedExpr"),
    "return (x for x in data)": (1, "GeneratorExp"),
    "return [*data]": (1, "Starred"),
    "return max(*data)": (1, "Starred"),
    "return data.shape": (1, "Attribute"),
    "yield k\nreturn 1": (1, "no effect"),
    "return 0.5": (1, "not an exact number"),
    "return 1j": (1, "not an exact number"),
    "return ...": (1, "not an exact number"),
    "return b'x'": (1, "not an exact number"),
    "return +k": (1, "`+` stands before"),
    "return ~k": (1, "`~` stands before"),
    "return k @ k": (1, "MatMult"),
    "return k << 1": (1, "LShift"),
    "return 1 in data": (1, "`In`"),
    "return k is True": (1, "identities"),
    "return k is k": (1, "identities"),
    "return data[0:1]": (1, "slice"),
    "xs = [1]\nxs[0:1] = [2]\nreturn xs": (2, "slice"),
    "return sample": (1, "used as a value"),
    "sample = 3\nreturn 1": (1, "`sample` is assigned"),
    "return len": (1, "`len` is used as a value"),
    "len = 3\nreturn 1": (1, "`len` is given another meaning"),
    "for sum in data:\n    pass\nreturn 1": (1, "`sum` is given another meaning"),
    "return [max for max in data]": (1, "`max` is given another meaning"),
    "len += 1\nreturn 1": (1, "`len` is given another meaning"),
    "x[0].y = 1\nreturn 1": (1, "not a plain name"),
    "data[0][0] = 1\nreturn 1": (1, "not a plain name"),
    "data[0][0] += 1\nreturn 1": (1, "not a plain name"),
    "data.x += 1\nreturn 1": (1, "not a plain name"),
    "[a, b] = k, k\nreturn 1": (1, "not a plain name"),
    "a, b = data\nreturn 1": (1, "unpacked"),
    "a, b = 1, 2, 3\nreturn 1": (1, "unpacked"),
    "a, *b = 1, 2\nreturn 1": (1, "not a plain name"),
    "for a, b in data:\n    pass\nreturn 1": (1, "not a plain name"),
    "for a in enumerate(data):\n    pass\nreturn 1": (1, "another number of values"),
    "for a, b, c in zip(data, data):\n    pass\nreturn 1": (1, "another number of values"),
    "for a, b in enumerate(data, 1):\n    pass\nreturn 1": (1, "another way"),
    "for a, b in zip(data, data, strict=True):\n    pass\nreturn 1": (1, "another way"),
    "for a, b in zip():\n    pass\nreturn 1": (1, "another way"),
    "return sum(zip(data, data))": (1, "outside a loop"),
    "return enumerate(data)": (1, "outside a loop"),
    "return sorted(data)": (1, "not a function"),
    "return repeat(data, 2)": (1, "not a function"),
    "return Laplace(1)": (1, "not a function"),
    "return data.sum()": (1, "method or keyword"),
    "return max(data, default=0)": (1, "method or keyword"),
    "return data[0](1)": (1, "method or keyword"),
    "data.extend([1])\nreturn 1": (1, "no effect"),
    "data.append(1, 2)\nreturn 1": (1, "no effect"),
    "k\nreturn 1": (1, "no effect"),
    "sample(Laplace(1))\nreturn 1": (1, "no effect"),
    "'a note'\nreturn sample(Laplace(1), 1, 2)": (2, "a distribution and at most a count"),
    "return sample()": (1, "a distribution and at most a count"),
    "return sample(Laplace(1), n=3)": (1, "a distribution and at most a count"),
    "return sample(k)": (1, "not written in place"),
    "return sample(Laplace(scale=1))": (1, "not written in place"),
    "return sample(Cauchy(1))": (1, "not written in place"),
    "return sample(tw.Laplace(1))": (1, "not written in place"),
    "return k > 1 and sample(Laplace(1)) > 1": (1, "noise is drawn after `and`"),
    "return 0 < k < sample(Laplace(1))": (1, "noise is drawn in a chained"),
    "return sample(Laplace(1)) if k > 1 else 0": (1, "noise is drawn inside `if else`"),
    "return 0 if k > 1 else sum([x for x in data])": (1, "a list is built inside `if else`"),
    "xs = [1]\nxs[sample(Uniform(1))] += 1\nreturn xs": (2, "in the index of an assignment in place"),
    "xs = 2\nxs *= [1]\nreturn xs": (2, "changed in place"),
    "return [x for y in data for x in y]": (1, "two loops at once"),
    "x = 1\ny = x": (0, "returns nothing"),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_lies_outside_the_language_is_refused(body):
    """Planted: each construct is refused with its line, a reason and a fix."""
    line, reason = REFUSED[body]
    with pytest.raises(Unsupported) as refused:
        program(body)
    assert refused.value.line == line + 1
    assert reason in refused.value.reason
    assert refused.value.fix


HEADS = {
    "data, *rest, sample": "*args",
    "data, *, sample, **rest": "*args",
    "data, /, *, sample": "by name",
    "data": "no `sample`",
    "max, *, sample": "called `max`",
    "Laplace, *, sample": "called `Laplace`",
    "data, x=[1], *, sample": "computed",
    "data, *, k=len, sample": "computed",
    "data, *, k=-len, sample": "computed",
    "data, *, k=b'x', sample": "computed",
}


@pytest.mark.parametrize("head", HEADS)
def test_heads_that_are_refused(head):
    """Planted: parameters that cannot be given by name, hide the vocabulary or compute their default."""
    with pytest.raises(Unsupported, match=HEADS[head].replace("*", r"\*")):
        program("return 1", head)


def test_defaults_may_be_constants():
    """Numbers, truth values, None and text may stand as defaults."""
    assert program("return 1", "data, a=1, b=-0.5, *, c=None, d=True, e='x', sample").parameters[1:] == (*"abcde",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1", "0 functions"),
        ("def f(sample):\n    return 1\ndef g(sample):\n    return 1", "2 functions"),
        ("async def f(sample):\n    return 1", "asynchronous"),
        ("def f(sample:\n    return 1", "not Python"),
        ("@a\n@b\ndef f(sample):\n    return 1", "several decorators"),
        ("def f(sample):\n    return a\0b", "not Python"),
        ("def f(sample):\n    return '\ud800'", "characters"),
        ("def f(sample):\n    return " + "-" * 60_000 + "1", "nested too deeply"),
        ("def f(sample):\n    return " + "+".join(["1"] * 200), "nested more than"),
        ("def f(sample):\n    return " + "+".join(["1"] * 2500), "nested too deeply"),
        ("#" * 1_000_001, "characters"),
    ],
)
def test_texts_that_are_refused(text, reason):
    """Planted: no function, several, broken or bottomless text."""
    with pytest.raises(Unsupported, match=reason):
        parse_text(text)


def test_bottomless_nesting_never_overflows():
    """A function that Python can just parse is refused, not crashed on, also where it is handed over as a tree."""
    tree = ast.parse("def f(sample):\n    return 1")
    value = tree.body[0].body[0].value
    for _ in range(5000):
        value = ast.UnaryOp(ast.USub(), value, lineno=2)
    tree.body[0].body[0].value = value
    with pytest.raises(Unsupported, match="nested"):
        parse_function(tree.body[0], "")


def test_a_reader_without_stack_left_refuses(monkeypatch):
    """Planted: whatever overflows the stack is a refusal, too."""

    def overflow(_):
        raise RecursionError

    monkeypatch.setattr(parser, "infer", overflow)
    with pytest.raises(Unsupported, match="nested too deeply"):
        program("return k - 20260101")


def test_programs_carry_the_digest_of_their_text():
    """A certificate keyed by the program's digest is keyed by the card's."""
    text = "def f(data, *, sample):\n    return sample(Laplace(1))\n"
    assert parse_text(text).digest == digest(text)
    assert parse_text(text.replace("1", "2")).digest != digest(text)


def test_walk_meets_every_part_in_order():
    """Each statement and expression is visited once, outermost first."""
    found = program("x = k + 1\nreturn x")
    assert [type(part).__name__ for part in walk(found.body)] == ["Assign", "Binary", "Name", "Literal", "Return", "Name"]
