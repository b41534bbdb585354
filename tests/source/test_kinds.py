"""What the kinds allow is computed alike by Python and the program; everything else is refused, with line, reason and fix."""

from __future__ import annotations

import textwrap

import pytest

from twoworlds.source.inference import infer
from twoworlds.source.kinds import Clash, Kind, Mark, join, several, single
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Binary, Item, Name, walk
from twoworlds.worlds.errors import Unsupported

_HEAD = '@mechanism(neighbours={relation}, price=Pure("scale"))\ndef f(data, weights, *, k, scale, sample):\n'
EACH, TABLE, NUMBER = 'Each("data", by=1)', 'AddRemove("data")', 'Number("data", by=1)'


def kinds(body: str, relation: str = EACH):
    lines = "\n".join("    " + line for line in body.split("\n"))
    return infer(parse_text(_HEAD.format(relation=relation) + lines + "\n"))


def returned(expression: str, before: str = "", relation: str = EACH) -> Kind:
    return kinds(f"{before}\nreturn {expression}".lstrip("\n"), relation).returned


WHOLE, PRIVATE, PUBLIC, FRACTION = {"natural"}, {"int", "grid"}, {"parameter"}, {"fraction"}

SCALARS = {
    "3": WHOLE,
    "-3": {"int"},
    "len(data)": WHOLE,
    "argmax(data)": WHOLE,
    "3 - 2": {"int"},
    "2 ** len(data)": WHOLE,
    "(0 - 3) // 2": {"int"},
    "(0 - 3) % 2": WHOLE,
    "7 // 2 * 2 + 1": WHOLE,
    "abs(0 - 3)": WHOLE,
    "k": PUBLIC,
    "k + 1": PUBLIC,
    "-k": PUBLIC,
    "1 / k": PUBLIC,
    "k / 2": PUBLIC,
    "k // 2": {"int"},
    "k % 2": PUBLIC,
    "k ** 2": PUBLIC,
    "2 ** k": PUBLIC,
    "k ** -1": PUBLIC,
    "weights[0]": PUBLIC,
    "Fraction(1, 2)": FRACTION,
    "Fraction(1, 2) ** -1": FRACTION,
    "Fraction(1, 2) % 1": FRACTION,
    "Fraction(1, 2) * k": PUBLIC,
    "data[0]": PRIVATE,
    "data[0] + 1": PRIVATE,
    "2 * data[0] - data[1]": PRIVATE,
    "data[0] * data[1]": PRIVATE,
    "data[0] + k": {"parameter", "grid", "fraction"},
    "data[0] / k": {"parameter", "fraction"},
    "data[0] ** 2": {"int", "fraction"},
    "sum(data)": PRIVATE | WHOLE,
    "sum(weights)": PUBLIC | WHOLE,
    "max(weights)": PUBLIC,
    "min(k, 3)": PUBLIC | WHOLE,
    "clip(data[0], 0, k)": PRIVATE | WHOLE | PUBLIC,
    "data[0] if k > 1 else None": PRIVATE | {"none"},
    "k > 1": {"truth"},
    "not k > 1": {"truth"},
    "k > 1 and k < 3": {"truth"},
    "None": {"none"},
    "'text'": {"text"},
    "sample(Laplace(scale))": PRIVATE,
    "sample(Geometric(Fraction(1, 2)))": WHOLE,
    "sample(Skellam(scale))": {"int"},
    "sample(Bernoulli(scale))": {"truth"},
    "sample(Categorical([1, k]))": WHOLE,
    "sample(NegativeBinomial(k, Fraction(1, 2)))": WHOLE,
}


@pytest.mark.parametrize("expression", SCALARS)
def test_the_classes_of_numbers(expression):
    """The classes that a value may have at run time, operation by operation."""
    assert set(returned(expression).scalars) == SCALARS[expression]


LISTS = {
    "data": ("list", PRIVATE),
    "[1, k]": ("list", WHOLE | PUBLIC),
    "[1, None]": ("list", WHOLE | {"none"}),
    "[x + 1 for x in data]": ("list", PRIVATE),
    "[0] * k": ("list", WHOLE),
    "cumsum(weights)": ("list", PUBLIC | WHOLE),
    "clip(data, 0, 1)": ("list", PRIVATE | WHOLE),
    "(1, k)": ("tuple", WHOLE | PUBLIC),
    "sample(Laplace(scale), len(data))": ("array", PRIVATE),
    "data + sample(Laplace(scale), len(data))": ("array", PRIVATE),
    "1 - sample(Laplace(scale), 3)": ("array", PRIVATE),
    "2 * sample(Laplace(scale), 3)": ("array", PRIVATE),
    "-sample(Laplace(scale), 3)": ("array", PRIVATE),
    "sample(Laplace(scale), 3) + k": ("array", {"grid", "parameter", "fraction"}),
    "cumsum(sample(Laplace(scale), 3))": ("array", PRIVATE | WHOLE),
    "clip(sample(Laplace(scale), 3), 0, k)": ("array", PRIVATE | WHOLE | PUBLIC),
    "sample(Bernoulli(scale), 3)": ("list", {"truth"}),
}


@pytest.mark.parametrize("expression", LISTS)
def test_the_forms_of_lists(expression):
    """What a sequence is, and what its entries are."""
    kind = returned(expression)
    assert (set(kind.forms), set(kind.entries.scalars)) == ({LISTS[expression][0]}, LISTS[expression][1])
    assert not kind.scalars


def test_parameters_are_what_their_use_says():
    """Numbers, unless they are indexed, looped over or tested; what a relation says of the private one counts from the start."""
    found = kinds("for row in weights:\n    if row[0]:\n        return k\nreturn data", NUMBER).variables
    assert found["weights"].entries.entries.scalars == {"truth"}
    assert set(found["data"].scalars) == PRIVATE
    assert set(kinds("return data").variables["data"].entries.scalars) == PRIVATE
    assert returned("not data", relation=NUMBER).scalars == {"truth"}
    flips = "if sample(Bernoulli(scale)):\n    return data\nreturn sample(Bernoulli(scale))"
    assert kinds(flips, NUMBER).variables["data"].scalars == {"truth"}
    swapped = "if sample(Bernoulli(scale)):\n    return sample(Bernoulli(scale))\nreturn data"
    assert kinds(swapped, NUMBER).variables["data"].scalars == {"truth"}
    assert kinds("return data == (k > 1)", NUMBER).variables["data"].scalars == {"truth"}
    assert kinds("x = clip(weights, 0, 1)\nreturn sum(x)").variables["weights"].is_sequence


MARKS = {
    "k": Mark.PUBLIC,
    "len(data)": Mark.PUBLIC,
    "data[k]": Mark.SECRET,
    "sample(Laplace(scale))": Mark.RANDOM,
    "data[0] + sample(Laplace(scale))": Mark.SECRET | Mark.RANDOM,
    "data[0] is None": Mark.SECRET,
    "weights[argmax(data)]": Mark.SECRET,
    "1 if data[0] > 0 else 2": Mark.SECRET,
    "sample(Uniform(3)) > 1": Mark.RANDOM,
    "Fraction(data[0], 2)": Mark.SECRET,
    "sum([1 for x in data])": Mark.PUBLIC,
    "sum([1 for x in data if x > 0])": Mark.SECRET,
    "len([1 for x in data if x > 0])": Mark.SECRET,
}


@pytest.mark.parametrize("expression", MARKS)
def test_marks_follow_the_values(expression):
    """What a value depends on: the secret, draws, both or neither."""
    assert returned(expression).flat() == MARKS[expression]


def test_marks_follow_the_branches():
    """A value assigned under a secret branch, or as often as a secret says, is secret; in a round that is reached it is not."""
    found = kinds("x = 0\nif data[0] > 0:\n    x = 1\nreturn x")
    assert found.variables["x"].is_secret
    assert found.returned.is_secret
    early = kinds("n = 0\nfor i in range(k):\n    n = i\n    if data[i] > 0:\n        break\nreturn n")
    assert early.returned.is_secret
    assert not early.secret("index")
    skipped = kinds("n = 0\nfor i in range(k):\n    if data[i] > 0:\n        continue\n    n = weights[n] * 0 + 1\nreturn n")
    assert skipped.returned.is_secret
    looped = kinds("n = 0\nwhile data[n] > 0:\n    n = n + 1\nreturn n")
    assert looped.returned.is_secret
    assert looped.secret("bound") == (4,)
    returning = kinds("if data[0] > 0:\n    return 1\nreturn 2")
    assert returning.returned.is_secret
    assert not returning.returned.is_random
    ending = kinds("if data[0] > 0:\n    return 1").returned
    assert ending.is_secret
    assert "none" in ending.scalars


def test_lengths_are_secret_where_neighbours_differ_in_them():
    """Under add/remove the number of rows is no public bound."""
    assert returned("len(data)").flat() == Mark.PUBLIC
    assert returned("len(data)", relation=TABLE).flat() == Mark.SECRET
    assert kinds("n = 0\nfor x in data:\n    n = n + 1\nreturn n", TABLE).secret("bound") == (4,)
    assert kinds("for i in range(k):\n    pass\nreturn k", TABLE).secret("bound") == ()


def test_findings_say_where_and_on_what():
    """Indices, bounds, counts and noise parameters that depend on something are recorded with their line, not refused."""
    text = "i = data[0]\nx = weights[i]\ny = [0]\ny[i] = 1\nz = sample(Laplace(1), i)\nw = sample(Laplace(abs(i) + 1))\nreturn 0"
    found = kinds(text)
    assert [(finding.line, finding.what, finding.mark) for finding in found.findings] == [
        (4, "index", Mark.SECRET),
        (6, "index", Mark.SECRET),
        (7, "count", Mark.SECRET),
        (8, "noise", Mark.SECRET),
    ]
    assert found.secret("index") == (4, 6)


def test_every_expression_has_a_kind():
    """The kind of any expression of the program can be asked for, joined over all the ways it is reached."""
    found = kinds("x = 1\nfor y in data:\n    x = x + y\nreturn weights[0]")
    sums = [part for part in walk(found.program.body) if isinstance(part, Binary)]
    assert set(found.of(sums[0]).scalars) == PRIVATE
    item = next(part for part in walk(found.program.body) if isinstance(part, Item))
    assert str(found.of(item)) == "a public number"
    assert str(found.of(item.sequence)) == "a list of (a public number)"
    with pytest.raises(KeyError):
        found.of(Name("x"))


ACCEPTED = [
    "xs = []\nxs.append(1)\nys = [x for x in xs]\nys.append(2)\nreturn xs, ys",
    "xs = [1]\nfor x in xs:\n    k = x\nxs.append(2)\nreturn xs",
    "rows = []\nfor i in range(k):\n    row = [i]\n    row.append(1)\n    rows.append(row)\nreturn rows",
    "xs = [1]\nys = xs\nxs = [2]\nxs.append(3)\nreturn ys, xs",
    "return None + 1, len(None), -abs(None)",
    "best = None\nfor x in data:\n    if best is None or x > best:\n        best = x\nreturn best",
    "while True:\n    if sample(Bernoulli(scale)):\n        break\nreturn 1",
    "while True:\n    if sample(Bernoulli(scale)):\n        return 1",
    "if k > 1:\n    x = 1\nelse:\n    return 2\nreturn x",
    "for i in range(3):\n    x = 1\n    y = x\nreturn k",
    "return [data, data], weights[-1], [[1] * 2] * 3",
    "x, y = [1], [2]\nx.append(3)\nreturn x, y",
    "return k == None or k != 3 or 'a' == 'b' or (k > 1) == (k > 2)",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_what_is_allowed(body):
    """Fresh lists may grow, variables may be None for a while, loops may leave anywhere."""
    assert kinds(body)


REFUSED = {
    "return 1 / 2": (1, "Python's quotient would be a float"),
    "return len(data) / 2": (1, "float"),
    "return data[0] / 2": (1, "float"),
    "return sum(weights) / 2": (1, "float"),
    "for i in range(3):\n    x = i / 3\nreturn 1": (2, "float"),
    "x = 1\nx /= 2\nreturn x": (2, "float"),
    "return 2 ** (1 - len(data))": (1, "the exponent may be negative"),
    "return 2 ** Fraction(1, 2)": (1, "the exponent may be a fraction"),
    "return 2 ** data[0]": (1, "the exponent may be"),
    "return k ** data[0]": (1, "the exponent may be a fraction"),
    "if k + 1:\n    return 1\nreturn 2": (1, "the test of `if` is a public number"),
    "if k:\n    return k + 1\nreturn 2": (2, "is a truth value, where a number"),
    "if data:\n    return 1\nreturn 2": (1, "the test of `if` is a list"),
    "while 1:\n    return 2": (1, "the test of `while`"),
    "return 1 if len(data) else 2": (1, "the test of `if else`"),
    "return len(data) or 1": (1, "beside `and`, `or`"),
    "return not None": (1, "beside `and`, `or`"),
    "return [1] + [2]": (1, "joins or repeats"),
    "return weights + [2]": (1, "joins or repeats"),
    "xs = [1]\nreturn xs * 2": (2, "joins or repeats"),
    "return data * 2": (1, "joins or repeats"),
    "return (1, 2) + (3, 4)": (1, "joins or repeats"),
    "return -data": (1, "joins or repeats"),
    "return range(3) - 1": (1, "joins or repeats"),
    "return sample(Laplace(1), 3) / k": (1, "applied to arrays"),
    "return sample(Laplace(1), 3) * data": (1, "applied to arrays"),
    "return sample(Laplace(1), 3) * k": (1, "off its grid"),
    "return sample(Laplace(1), 3) + Fraction(1, 3)": (1, "off its grid"),
    "return clip(sample(Laplace(1), 3), 0, Fraction(1, 3))": (1, "off its grid"),
    "x = sample(Laplace(1), 3)\nif k > 1:\n    x = 1\nreturn x + x": (4, "one side of `+` is"),
    "return True + 1": (1, "is a truth value, where a number"),
    "return sum([k > 1, k > 2])": (1, "is a truth value, where a number"),
    "return -'a'": (1, "text, where a number"),
    "return [1] < [2]": (1, "where a number is needed"),
    "return data == data": (1, "where a number is needed"),
    "return (k > 1) < 2": (1, "is a truth value, where a number"),
    "return (1 > 1) == 1": (1, "is compared with"),
    "return 'a' == 1": (1, "is compared with"),
    "return 1 != [1, 'a'][0]": (1, "is compared with"),
    "return data[Fraction(1, 2)]": (1, "the index may be a fraction"),
    "return data[data]": (1, "the index is"),
    "return range(Fraction(3))": (1, "a bound of range may be a fraction"),
    "return sample(Laplace(1), Fraction(3))": (1, "the number of draws may be a fraction"),
    "return [0] * Fraction(3)": (1, "the number of repetitions may be a fraction"),
    "xs = [1]\nxs[Fraction(1)] = 2\nreturn xs": (2, "the index may be a fraction"),
    "return range(3)": (1, "a range is returned"),
    "if k > 1:\n    return [1]\nreturn (1, 2)": (3, "a list is returned in one place and a tuple in another"),
    "return [1] if k > 1 else (1, 2)": (1, "a list is returned in one place and a tuple in another"),
    "if k > 1:\n    return [1], 2\nreturn (1, 2), 2": (3, "a list is returned in one place and a tuple in another"),
    "return [range(3)]": (1, "a range is put into a list"),
    "xs = []\nxs.append(range(3))\nreturn xs": (2, "a range is put into a list"),
    "xs = [1]\nxs[0] = range(3)\nreturn xs": (2, "a range is put into a list"),
    "return clip(range(3), 0, 1)": (1, "what is clipped is a range"),
    "return clip((1, 2), 0, 1)": (1, "what is clipped is a tuple"),
    "return clip(k, data, 1)": (1, "a bound of clip is"),
    "return cumsum((1, 2))": (1, "the argument of cumsum is a tuple"),
    "return len(3)": (1, "the argument of len is a whole number"),
    "return sum(3)": (1, "where a list is needed"),
    "for x in 3:\n    pass\nreturn 1": (1, "what is looped over is"),
    "return (1)[0]": (1, "what is indexed is"),
    "return abs(data)": (1, "the argument of abs is"),
    "return abs(1, 2)": (1, "called with 2 arguments"),
    "return max()": (1, "called with 0 arguments"),
    "return max([[1], [2]])": (1, "an entry of it is"),
    "return max(1, [2])": (1, "an argument of max or min"),
    "return argmax(['a'])": (1, "an entry of it is text"),
    "return Fraction('1/2')": (1, "the argument of Fraction is text"),
    "return sample(Laplace('a'))": (1, "a parameter of Laplace is text"),
    "return sample(Laplace(1, 2))": (1, "`Laplace` is given 2 parameters"),
    "return sample(ExponentialWeights(data, 1, 2))": (1, "Give it 1 or 2"),
    "return sample(Categorical(1))": (1, "the first parameter of Categorical"),
    "return x": (1, "`x` is neither a parameter nor assigned"),
    "if k > 1:\n    x = 1\nreturn x": (3, "`x` may have no value here"),
    "for i in range(3):\n    x = 1\nreturn x": (3, "`x` may have no value here"),
    "for i in range(3):\n    pass\nreturn i": (3, "`i` may have no value here"),
    "while k > 1:\n    x = 1\n    break\nreturn x": (4, "`x` may have no value here"),
    "x = x + 1\nreturn x": (1, "`x` may have no value here"),
    "return 1\nx = 2": (2, "never reached"),
    "while True:\n    x = 1\nreturn x": (3, "never reached"),
    "for i in range(3):\n    break\n    x = 1\nreturn 1": (3, "never reached"),
    "if k > 1:\n    return 1\nelse:\n    return 2\nreturn 3": (5, "never reached"),
    "break\nreturn 1": (1, "outside a loop"),
    "data.append(1)\nreturn data": (1, "the parameter `data` is changed"),
    "weights[0] = 1\nreturn weights": (1, "the parameter `weights` is changed"),
    "xs = weights\nxs.append(1)\nreturn xs": (2, "under another name"),
    "k.append(1)\nreturn k": (1, "the parameter `k` is changed"),
    "x = 1\nx.append(1)\nreturn x": (2, "where a list is needed"),
    "x = None\nif k > 1:\n    x = [1]\nx.append(1)\nreturn x": (4, "only lists can be changed"),
    "x = (1, 2)\nx[0] = 1\nreturn x": (2, "only lists can be changed"),
    "x = sample(Laplace(1), 3)\nx[0] = 1\nreturn x": (2, "only lists can be changed"),
    "a = [1]\nb = a\na.append(1)\nreturn b": (3, "under another name"),
    "a = [1]\nb = a\nb.append(1)\nreturn a": (3, "under another name"),
    "a = [1]\nb = a if k > 1 else [2]\na.append(1)\nreturn b": (3, "under another name"),
    "a = [1]\nb = [a]\na[0] = 2\nreturn b": (3, "under another name"),
    "a = [1]\nb = []\nb.append(a)\na.append(2)\nreturn b": (4, "under another name"),
    "a = [1]\nb = [[2]]\nb[0] = a\na.append(2)\nreturn b": (4, "under another name"),
    "a = [1]\nb = [a] * 2\na.append(2)\nreturn b": (3, "under another name"),
    "a = [[1]]\nb = a[0]\nb.append(2)\nreturn a": (3, "under another name"),
    "a = [[1]]\nfor b in a:\n    b.append(2)\nreturn a": (3, "under another name"),
    "a = [1]\nb, c = a, 1\nb.append(2)\nreturn a": (3, "under another name"),
    "a = [1]\nb = [2]\na, b = b, a\na.append(2)\nreturn b": (4, "under another name"),
    "a = [1]\nfor x in a:\n    a.append(x)\nreturn a": (3, "while it is looped over"),
    "a = [1]\nfor i, x in enumerate(a):\n    a[i] = 2\nreturn a": (3, "while it is looped over"),
    "a = [1]\nfor x in a:\n    b = a\na.append(1)\nreturn a": (4, "under another name"),
    "a = [1]\nfor i in range(2):\n    b = [a]\n    a.append(1)\nreturn b": (4, "under another name"),
    "a = [1]\na += [2]\nreturn a": (2, "joins or repeats"),
    "a = sample(Laplace(1), 3)\na += a\nreturn a": (2, "changed in place"),
    "a = []\nfor i in range(3):\n    a = [a]\nreturn a": (3, "nested ever deeper"),
    "return data[0][0][0][0][0][0]": (0, "nested ever deeper"),
    "return [1, [2]][0] + 1": (1, "joins or repeats"),
    "return sum([1, [2]])": (1, "where a number is needed"),
    "xs = [1, [2]]\nfor x in xs:\n    y = len(x)\nreturn 1": (3, "the argument of len is"),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_the_kinds_refuse(body):
    """Planted: each program would mean one thing in Python and another to a reader, or nothing."""
    line, reason = REFUSED[body]
    with pytest.raises(Unsupported) as refused:
        kinds(body)
    assert refused.value.line == (line + 2 if line else 1)
    assert reason in str(refused.value)
    assert refused.value.fix


def test_many_loops_in_each_other_are_refused():
    """Planted: a program that would take too long to follow; a long chain of variables in one loop settles."""
    nested = "x = k\n"
    for depth in range(19):
        nested = f"y{depth} = 1\nfor x{depth} in range(k):\n" + textwrap.indent(nested + f"y{depth} = k\n", "    ")
    with pytest.raises(Unsupported, match="too many to follow"):
        kinds(nested + "return k")
    chain = "".join(f"x{i} = 1\n" for i in range(90))
    moves = "".join(f"    x{i} = x{i + 1}\n" for i in range(89))
    assert kinds(f"{chain}for i in range(k):\n{moves}    x89 = k\nreturn x0").returned.scalars == {"natural", "parameter"}


def test_kinds_join():
    """The kind of what may be either: all classes, all marks; owned only where every list is."""
    assert join([]) == Kind()
    both = join([single("int"), several("list", single("grid", mark=Mark.SECRET), owned=True)])
    assert (both.scalars, both.entries.scalars, both.owned) == ({"int"}, {"grid"}, True)
    assert not join([several("list", Kind(), owned=True), several("list", single("int"))]).owned
    assert str(Kind()) == "nothing yet"
    with pytest.raises(Clash, match="nested ever deeper"):
        several("list", several("list", several("list", several("list", several("list", several("list", Kind()))))))
