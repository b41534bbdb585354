"""What is said of how far a function moves is true: bounds that are proved hold, and two inputs that refute one do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proofs import sensitive_functions as examples
from twoworlds import sensitive, sensitivity
from twoworlds.proofs.checker import with_cvc5
from twoworlds.proofs.functions import proving, runs, tables
from twoworlds.proofs.functions.claims import Stated
from twoworlds.proofs.functions.proving import sensitivities
from twoworlds.proofs.functions.reading import Function, from_file, from_text
from twoworlds.proofs.functions.runs import Runs, obligations
from twoworlds.proofs.functions.settling import settled
from twoworlds.proofs.functions.trials import FAILURES, apart, far, output
from twoworlds.proofs.functions.worlds import pairs
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import BadArgument, Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import AddRemove, Each, Local, Number, User

TEXT = Path(examples.__file__).read_text()
FOUND = {function.name: function for function in from_file(TEXT)}
LONG = {"clipped_sum", "histogram", "sum_and_count", "running_sums", "weighted", "clipped_mean", "histogram_replaced"}
LONG |= {"kmeans_step", "filtered_list", "mean_of_unknown_number", "gradient"}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in FOUND]


def certificate(name: str) -> Certificate:
    return proving.certified(FOUND[name])


@pytest.mark.parametrize("name", NAMES)
def test_each_example_gets_its_verdict(name: str) -> None:
    """Proved at the true bound, refuted, refused with its line, or not proved: as the table says."""
    found = certificate(name)
    if name in examples.PROVED:
        assert (found.verdict, found.details["by"]) == ("PROVED", examples.PROVED[name])
    elif name in examples.REFUSED:
        assert found.verdict == "UNSUPPORTED" and examples.REFUSED[name] in found.method
        assert found.method.startswith(f"line {found.details['line']}: ")
    else:
        assert found.verdict == ("REFUTED" if name in examples.REFUTED else "NOT PROVED")


def test_the_table_knows_every_example() -> None:
    """Each function of the file is in one list."""
    assert sorted([*examples.PROVED, *examples.REFUTED, *examples.REFUSED, *examples.NOT_PROVED]) == sorted(FOUND)


@pytest.mark.parametrize("name", ["cdf", "tripled", "median_of_three", "largest"])
def test_a_certificate_is_accepted_by_the_other_solver(name: str) -> None:
    """Its obligations, made again from the text and the stored invariants, are all proved by cvc5 too."""
    found, function = certificate(name), FOUND[name]
    assert function.stated is not None
    stated = type(function.stated)(function.stated.neighbours, Expression(found.details["by"]), function.stated.metric)
    assert with_cvc5(obligations(settled(function), stated, function.whole, found.details["hints"]["invariants"])) is None


@pytest.mark.parametrize("name", [name for name in FOUND if name not in examples.REFUSED])
def test_the_straightened_program_computes_the_same(name: str) -> None:
    """On worlds given as slots the program that is proved gives what the function gives on the rows."""
    function = FOUND[name]
    assert function.program is not None and function.stated is not None
    try:
        program = settled(function)
    except Unsupported:
        assert name in examples.REFUTED
        return
    compared = 0
    for worlds in pairs(function, 60):
        try:
            one, two, _ = far(function.program, function.stated, worlds)
        except FAILURES:
            continue
        if worlds.public.get("k", 1) <= 0:
            continue  # a store that does not happen stands for one of entry 0, which an empty list lacks
        for wanted, slots in zip((one, two), worlds.slots, strict=True):
            assert output(program, {**worlds.public, **slots}) == wanted
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize("name", examples.REFUTED)
def test_a_refutation_is_confirmed(name: str) -> None:
    """The two inputs are neighbours, the outputs are what the plain Python function gives, and they are too far apart."""
    details, function = certificate(name).details, FOUND[name]
    assert function.stated is not None
    relation, public = function.stated.neighbours, details["parameters"]
    relation.check(details["world"], details["other"], public)
    plain: Callable[..., Any] = getattr(examples, name)
    outputs = [plain(**{relation.parameter: world}, **public) for world in (details["world"], details["other"])]
    assert outputs == details["outputs"]
    distance = apart(function.stated, *outputs)
    assert distance is None or distance > Fraction(details["bound_there"])


# random functions: bounds that are proved hold wherever they are tried


def pieces(depth: int) -> st.SearchStrategy[str]:
    """Piecewise-linear expressions of x."""
    leaf = st.sampled_from(("x", "x", "0", "1", "2", "3"))
    if not depth:
        return leaf
    inner = pieces(depth - 1)
    return st.one_of(
        leaf,
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("({} * {})".format, st.sampled_from(("2", "3", "Fraction(1, 2)")), inner),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("min({}, {})".format, inner, inner),
        st.builds("abs({})".format, inner),
        st.builds("clip({}, {}, {})".format, inner, st.sampled_from(("0", "-1")), st.sampled_from(("1", "4"))),
        st.builds("({} if {} <= {} else {})".format, inner, inner, inner, inner),
    )


def function_of(text: str) -> str:
    return f"def f(x):\n    return {text}\n"


@settings(max_examples=8, deadline=None)
@given(text=pieces(3), far_off=st.lists(st.fractions(-50, 50, max_denominator=8), min_size=8, max_size=8))
def test_proved_bounds_hold(text: str, far_off: list[Fraction]) -> None:
    """Whatever bound is proved of a random piecewise-linear function holds for inputs that nobody tried."""
    found = sensitivity(function_of(text), neighbours=Number("x", by=1))
    assert found.verdict in ("PROVED", "NOT PROVED")
    if found.verdict != "PROVED":
        return
    program = from_text(function_of(text), proving.Stated.of(Number("x", by=1))).program
    assert program is not None
    bound = Expression(found.details["by"]).above({})
    for x in far_off:
        for step in (Fraction(1), Fraction(-1, 2), Fraction(1, 3)):
            assert abs(output(program, {"x": x + step}) - output(program, {"x": x})) <= bound


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(text=pieces(3), by=st.sampled_from(("0", "1", "2")))
def test_stated_bounds_are_proved_or_refuted_rightly(text: str, by: str) -> None:
    """A claim is refuted by two inputs that the interpreter confirms, or nothing tried exceeds it; it is never both."""
    stated = proving.Stated.of(Number("x", by=1), by)
    found = sensitivity(function_of(text), neighbours=Number("x", by=1), by=by)
    program = from_text(function_of(text), stated).program
    assert program is not None
    if found.verdict == "REFUTED":
        one, two = (output(program, {"x": Fraction(found.details[world])}) for world in ("world", "other"))
        assert abs(two - one) > Fraction(by)
    elif found.verdict == "PROVED":
        assert all(
            abs(output(program, {"x": Fraction(x + 1)}) - output(program, {"x": Fraction(x)})) <= Fraction(by)
            for x in range(-9, 9)
        )


# every check earns its place: without it a false bound is proved


def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is refuted, so that only the proof stands between a false claim and its certificate."""
    monkeypatch.setattr(proving, "_refuted", lambda *_: None)


def unclaimed(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    claim = Runs.claim

    def keep(self: Runs, point: Any, goal: str, reason: str, label: Any = None) -> None:
        if why not in reason:
            claim(self, point, goal, reason, label)

    monkeypatch.setattr(Runs, "claim", keep)


def guessing(monkeypatch: pytest.MonkeyPatch, *more: str) -> None:
    """False invariants among the guesses of the last loop."""
    guesses = proving.guesses

    def with_more(*given: Any) -> list[list[str]]:
        found = guesses(*given) or [[]]
        return [*found[:-1], [*found[-1], *more]]

    monkeypatch.setattr(proving, "guesses", with_more)


FALSE = ("(<= (- total.2 total.1) 1.0)", "(<= (- total.1 total.2) 1.0)")
LAST = "def f(rows):\n    kept = 0\n    for row in rows:\n        kept = clip(row, 0, 9)\n    return 0 * kept\n"
ORDERED = """
def f(rows):
    held = 0
    for row in rows:
        held = clip(row, 0, 1) - held
    return clip(held, 0, 1)
"""
GROWS = "def f(xs):\n    total = 0\n    for x in xs:\n        total = total + x\n    return total\n"
DIVIDES = "def f(x):\n    return 0 * (1 / x)\n"
PLACE = "def f(x, ys):\n    return 0 * ys[clip(x // 1, 0, 9)]\n"


@pytest.mark.parametrize(
    ("text", "neighbours", "by", "without"),
    [
        (GROWS, Each("xs", by=1), "1", "the invariant is kept"),
        (DIVIDES, Number("x", by=1), "0", "what is divided by is 0"),
        (PLACE, Number("x", by=1), "0", "the index is inside"),
    ],
    ids=["loop", "division", "index"],
)
def test_a_check_taken_away_lets_a_false_claim_pass(
    text: str, neighbours: Any, by: str, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all checks the claim is not proved, even where no trial speaks against it; without one of them it is."""
    blind(monkeypatch)
    guessing(monkeypatch, *(FALSE if text == GROWS else ()))
    assert sensitivity(text, neighbours=neighbours, by=by).verdict != "PROVED"
    unclaimed(monkeypatch, without)
    assert sensitivity(text, neighbours=neighbours, by=by).verdict == "PROVED"


ONE_PLACE = """
def f(x):
    counts = [0, 0]
    place = -1 if x > 0 else 1
    counts[place] = counts[place] + (1 if x > 0 else -1)
    return counts
"""


def test_an_index_from_the_end_is_the_place_that_it_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """-1 and 1 are one place of two: what both runs change there adds up."""
    blind(monkeypatch)
    assert sensitivity(ONE_PLACE, neighbours=Number("x"), by=1, metric="Linf").verdict != "PROVED"
    monkeypatch.setattr(runs, "placed", lambda index, _: index)
    assert sensitivity(ONE_PLACE, neighbours=Number("x"), by=1, metric="Linf").verdict == "PROVED"


def test_a_list_that_is_only_returned_is_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its entries moves, and they add up; nothing but the relation says that it is one."""
    blind(monkeypatch)
    text = "def f(xs):\n    return xs\n"
    assert sensitivity(text, neighbours=Each("xs"), by=1).verdict != "PROVED"
    assert sensitivity(text, neighbours=Each("xs"), by=1, metric="Linf").verdict == "PROVED"


def test_lists_of_one_person_are_not_taken_for_numbers() -> None:
    """Their lengths may differ."""
    lists = Local("xs", values=((1,), (1, 2)))
    assert sensitivity("def f(xs):\n    return len(xs)\n", neighbours=lists, by=0).verdict == "UNSUPPORTED"


def test_int_means_whole_only_where_the_text_leaves_it_its_meaning() -> None:
    """Of a whole number nothing is left over by 1; of other numbers something may be."""
    text = "def f(x, *, n: int):\n    return x * (n // 1 - n)\n"
    assert sensitivity(text, neighbours=Number("x"), by=0).verdict == "PROVED"
    assert sensitivity("int = float\n" + text, neighbours=Number("x"), by=0).verdict != "PROVED"


def test_hints_are_single_expressions_that_bind_nothing() -> None:
    """What a certificate says of a loop means the same at every point, and is no command to a solver."""
    found = from_text(GROWS, Stated.of(Each("xs"), 1))
    for text in ("true) (assert false", "(let ((total.1 0.0)) (= total.2 0.0))", "(= total!7 0.0)"):
        with pytest.raises(Unsupported, match="not one expression"):
            obligations(settled(found), found.stated, found.whole, [[text]])


def test_rows_have_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that depends on the order of the rows is refused, with a fix; only that check stands between it and a proof."""
    found = sensitivity(ORDERED, neighbours=AddRemove("rows"), by=1)
    assert found.verdict == "UNSUPPORTED" and "carries over from row to row" in found.method
    assert sensitivity(LAST, neighbours=AddRemove("rows"), by=0).verdict == "UNSUPPORTED"
    monkeypatch.setattr(tables, "_check_order", lambda *_: None)
    assert sensitivity(ORDERED, neighbours=AddRemove("rows"), by=1).verdict == "PROVED"


@pytest.mark.slow
def test_histograms_count_both_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced row changes two counts; a measure that forgets one of them would prove 1."""
    blind(monkeypatch)
    guessing(monkeypatch, "(<= $l1.counts 0.0)")
    function = FOUND["histogram_claimed"]
    assert proving.certified(function).verdict == "NOT PROVED"
    monkeypatch.setattr(Runs, "store", lambda *given: given[-1])
    assert proving.certified(function).verdict == "PROVED"


# calls


def test_a_function_keeps_working_and_says_what_is_stated() -> None:
    """The decorator leaves the function as it is; what it states may be overridden in the call."""

    @sensitive(neighbours=Number("x", by=1), by=3)
    def doubled(x: Any) -> Any:
        return 2 * x

    assert doubled(4) == 8
    assert sensitivity(doubled).verdict == "PROVED"
    assert sensitivity(doubled, by=1).verdict == "REFUTED"
    assert sensitivity(doubled, neighbours=Number("x", by=2)).details["by"] in ("2 * 2", "4")


def test_a_file_is_never_run() -> None:
    """A text that would do harm when run is only read."""
    text = "from twoworlds import sensitive\nfrom twoworlds.worlds.neighbours import Number\nraise SystemExit(9)\n"
    text += "@sensitive(neighbours=Number('x', by=1), by=1)\ndef f(x):\n    return x\n"
    assert [found.verdict for found in sensitivities(text)] == ["PROVED"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f(x):\n    return sorted(x)\n", "sorted"),
        ("def f(x):\n    return undefined\n", "undefined"),
        ("def f(y):\n    return y\n", "no parameter"),
        ("def f(x):\n    return None\n", "no number"),
        ("def f(x):\n    while x > 0:\n        pass\n    return 0\n", "without an end"),
        ("def f(x, *rest):\n    return x\n", "args"),
        ("def f(x):\n    x = (\n", "not Python"),
        ("", "0 functions"),
    ],
)
def test_what_is_outside_of_the_language_is_refused(text: str, why: str) -> None:
    """UNSUPPORTED with the line and the reason, or an error of the same kind; never a guess."""
    assert why in _refusal(text)


def _refusal(text: str) -> str:
    try:
        found = sensitivity(text, neighbours=Number("x", by=1), by=1)
    except Unsupported as error:
        return str(error)
    assert found.verdict == "UNSUPPORTED"
    return found.method


def test_malformed_calls_say_what_to_do() -> None:
    """A missing relation, a strange metric, a bound that tells a secret, a card, a relation that is not covered."""
    with pytest.raises(BadArgument, match="neighbours"):
        sensitivity(lambda x: x)
    with pytest.raises(BadArgument, match="neighbours"):
        sensitivity("def f(x):\n    return x\n", by=1)
    with pytest.raises(BadArgument, match="metric"):
        sensitivity("def f(x):\n    return x\n", neighbours=Number("x"), metric="L3")  # type: ignore[arg-type]  # the mistake
    with pytest.raises(BadArgument, match="private parameter x"):
        sensitivity("def f(x):\n    return x\n", neighbours=Number("x"), by="x")
    found = sensitivity("def f(rows):\n    return len(rows)\n", neighbours=User("rows"), by=1)
    assert found.verdict == "UNSUPPORTED" and "not covered" in found.method


def test_an_unread_function_has_its_reason() -> None:
    """What could not be read keeps why."""
    assert isinstance(FOUND["size"], Function) and FOUND["size"].why is None
    assert runs.RELATIONS
