"""The text must be the source of the function that runs, and its names must mean what the readers take them for."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import textwrap

import pytest

from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.source.genuine import check_function
from twoworlds.source.parser import parse
from twoworlds.worlds import distributions
from twoworlds.worlds.cards import Card, source
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import Number

HEAD = """
    from fractions import Fraction
    from twoworlds.losses.prices import Pure
    from twoworlds.worlds.cards import mechanism
    from twoworlds.worlds.distributions import Laplace
    from twoworlds.worlds.neighbours import Number
"""
NOISY = """
    @mechanism(neighbours=Number("x"), price=Pure("epsilon"))
    def noisy(x, *, epsilon, sample):
        return max(x, 0) + sample(Laplace(1 / epsilon))
"""


def load(tmp_path, text, head=HEAD):
    """A module from a file of this text."""
    path = tmp_path / "cards.py"
    path.write_text(textwrap.dedent(head) + textwrap.dedent(text))
    linecache.clearcache()
    spec = importlib.util.spec_from_file_location("cards", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_genuine_cards_pass(tmp_path):
    """A card whose text runs is parsed, the second time from memory."""
    card = load(tmp_path, NOISY).noisy
    assert parse(card) is parse(card)
    assert parse(card).digest == card.digest


def test_a_function_defined_inside_another_passes():
    """Free variables are looked up where they live: Laplace is the real one here, imported or not."""

    def define(Gaussian):  # noqa: N803  the name of the law, standing in an enclosing function
        def noisy(x, *, sample):
            return [value + sample(Laplace(1)) + sample(Gaussian(1)) for value in x]

        return noisy

    check_function(define(distributions.Gaussian), source(define(None)))
    noisy = define(Laplace)  # planted: the enclosing function means something else
    with pytest.raises(Unsupported, match="`Gaussian` is not the one"):
        check_function(noisy, source(noisy))


def test_a_variable_from_outside_is_refused():
    """Planted: a constant from an enclosing function is no part of the text."""
    offset = 3

    def noisy(x, *, sample):
        return x + offset + sample(Laplace(1))

    with pytest.raises(Unsupported, match="`offset` comes from outside"):
        check_function(noisy, source(noisy))


def test_an_empty_cell_is_refused():
    """Planted: a free variable that has no value."""

    def noisy(x, *, sample):
        return clip(x, 0, 1) + sample(Laplace(1))

    with pytest.raises(Unsupported, match="`clip` has no meaning"):
        check_function(noisy, source(noisy))
    if noisy is None:  # never; makes clip a variable of this function
        from twoworlds.worlds.arrays import clip


@pytest.mark.parametrize("text", ["1 / epsilon", "2 / epsilon", "1.0 / epsilon", "True / epsilon"])
def test_a_file_that_changed_after_its_import_is_refused(tmp_path, text):
    """Planted: the file now says another scale, an equal constant of another type, or the same as before."""
    module = load(tmp_path, NOISY)
    path = tmp_path / "cards.py"
    path.write_text(path.read_text().replace("1 / epsilon", text))
    linecache.clearcache()
    if text == "1 / epsilon":
        assert parse(module.noisy)
    else:
        with pytest.raises(Unsupported, match="not the one in this text"):
            parse(module.noisy)


def test_swapped_code_is_refused():
    """Planted: the function's code is replaced after its text was read."""

    def noisy(x, *, sample):
        return x + sample(Laplace(1))

    text = source(noisy)
    check_function(noisy, text)
    noisy.__code__ = (lambda x, *, sample: x + sample(1)).__code__
    with pytest.raises(Unsupported, match="not the one in this text"):
        check_function(noisy, text)


def test_code_that_differs_inside_is_refused():
    """Planted: only a nested comprehension differs."""

    def noisy(x, *, sample):
        return [value + sample(Laplace(1)) for value in x]

    text = source(noisy)
    check_function(noisy, text)
    with pytest.raises(Unsupported, match="not the one in this text"):
        check_function(noisy, text.replace("value + sample", "value - sample"))


def test_wrapped_functions_are_refused():
    """Planted: functools.wraps lends a wrapper the text of what it wraps."""

    def quiet(function):
        @functools.wraps(function)
        def wrapper(x, *, sample):
            return function(x, sample=sample) - function(x, sample=sample)

        return wrapper

    @quiet
    def noisy(x, *, sample):
        return x + sample(Laplace(1))

    with pytest.raises(Unsupported):
        check_function(noisy, source(noisy))
    with pytest.raises(Unsupported, match="a partial runs"):
        check_function(functools.partial(noisy, 1), source(noisy))
    with pytest.raises(Unsupported, match="a NoneType runs"):
        check_function(None, source(noisy))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def Laplace(scale): return scale", "Laplace"),
        ("from twoworlds.worlds.distributions import Gaussian as Laplace", "Laplace"),
        ("del Laplace", "Laplace"),
        ("def max(*values): return 0", "max"),
        ("max = min", "max"),
    ],
)
def test_another_meaning_in_the_module_is_refused(tmp_path, line, name):
    """Planted: the module gives a name of the vocabulary to something else, or has it not at all."""
    module = load(tmp_path, NOISY, HEAD + "    " + line)
    with pytest.raises(Unsupported, match=f"`{name}` (is not the one of twoworlds|has no meaning)"):
        parse(module.noisy)


def test_a_module_patched_after_its_card_was_parsed_is_refused(tmp_path):
    """Planted: names are looked at again each time."""
    module = load(tmp_path, NOISY)
    parse(module.noisy)
    module.Laplace = lambda scale: scale
    with pytest.raises(Unsupported, match="`Laplace` is not the one"):
        parse(module.noisy)
    module.Laplace = Laplace
    assert parse(module.noisy)


def test_fraction_must_be_the_real_one(tmp_path):
    """Planted: `Fraction = float` would make every constant inexact."""
    text = NOISY.replace("max(x, 0)", "Fraction(1, 2)")
    assert parse(load(tmp_path, text).noisy)
    with pytest.raises(Unsupported, match="`Fraction`"):
        parse(load(tmp_path, text, HEAD + "    Fraction = float").noisy)


def test_shipped_cards_are_checked_too(monkeypatch):
    """Planted: patching a shipped card's module is noticed."""
    parse(above_threshold)
    monkeypatch.setitem(above_threshold.function.__globals__, "len", sum)
    with pytest.raises(Unsupported, match="`len`"):
        parse(above_threshold)


def test_a_card_needs_a_plain_function():
    """A callable object has no text of its own."""

    class Callable:
        __name__ = "callable"

        def __call__(self, x, *, sample):
            return x + sample(Laplace(1))

    with pytest.raises(Exception, match="no source text"):
        parse(Card(Callable(), Number("x"), above_threshold.price))
