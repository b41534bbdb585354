"""Reader 1: what runs is the card's own function, on rounded inputs, at the sensitivity that rounding leaves."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from twoworlds.mechanisms.catalogue import card, cards
from twoworlds.sampling.draws import draw
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.inputs import settle
from twoworlds.sampling.run import repeat, run, run_each
from twoworlds.worlds.errors import BadArgument


@pytest.mark.parametrize("name", cards())
def test_every_card_runs_in_both_worlds(name: str) -> None:
    """Every card runs on its worst case, with the system's own entropy."""
    mechanism = card(name)
    for case in mechanism.worst:
        for world in (case.world, case.other):
            run(mechanism, **{mechanism.neighbours.parameter: world}, **case.at)


def test_equal_seeds_give_equal_outputs() -> None:
    """A seeded source is a noise tape: the same one gives the same outputs, another one others."""
    first, again, other = (
        repeat(card("laplace"), 50, 0, sensitivity=1, epsilon="0.01", entropy=SeededEntropy(s)) for s in (1, 1, 2)
    )
    assert first == again != other


def test_arrays_and_lists_are_one_input() -> None:
    """Numpy arrays, lists and tuples of the same numbers give the same outputs from the same tape."""
    outputs = [
        run(card("histogram"), counts, epsilon=1, entropy=SeededEntropy(7))
        for counts in ([3, 0, 5], (3, 0, 5), np.array([3, 0, 5]), np.array([3, 0, 5], dtype=np.uint8))
    ]
    assert all(output == outputs[0] for output in outputs)


def test_answers_lie_on_the_grid() -> None:
    """Every released number is a multiple of the grid, whatever the input was."""
    for grid in (Fraction(1, 1024), Fraction(1, 4), 1):
        answers = repeat(card("laplace"), 50, 0.3, sensitivity=1, epsilon=1, grid=grid)
        assert all((Fraction(answer) / Fraction(grid)).denominator == 1 for answer in answers)


@pytest.mark.parametrize("most", [1, 250, 1 << 18])
def test_runs_that_share_a_supply_share_no_noise(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Noise that is fetched ahead for several inputs is served once: of draws this wide, none is seen again."""
    monkeypatch.setattr("twoworlds.sampling.run._MOST_AHEAD", most)
    inputs = [[0] * 100] * 7 + [[0] * 60] * 3
    outputs = run_each(card("laplace_vector"), inputs, sensitivity=1, epsilon="1e-15", entropy=SeededEntropy(5))
    assert [len(output) for output in outputs] == [100] * 7 + [60] * 3
    assert len({entry for output in outputs for entry in output}) == 880
    numbers = run_each(card("laplace"), [0] * 500, sensitivity=1, epsilon="1e-15", entropy=SeededEntropy(5))
    assert len(set(numbers)) == 500


def test_each_input_gets_the_noise_that_its_own_rounding_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input that is rounded needs wider noise; those before and after it, which are not, get theirs."""
    drawn: list[Any] = []
    monkeypatch.setattr("twoworlds.sampling.run.draw", lambda law, count, **how: drawn.append(law) or draw(law, count, **how))
    vectors = [[1, 2, 3], [0.25, 0.5, 0.75], [1, 2, 3], [0.5, 0.5, 0.5]]
    monkeypatch.setattr("twoworlds.sampling.run._MOST_AHEAD", 1)
    each = run_each(card("laplace_vector"), vectors, sensitivity=1, epsilon=1, entropy=SeededEntropy(3))
    assert [law.scale for law in drawn] == [1, 3, 1, 3]
    tape = SeededEntropy(3)
    assert each == [run(card("laplace_vector"), vector, sensitivity=1, epsilon=1, entropy=tape) for vector in vectors]
    assert run_each(card("laplace_vector"), [], sensitivity=1, epsilon=1) == []
    with pytest.raises(BadArgument, match="list"):
        run_each(card("laplace_vector"), [[1], 2], sensitivity=1, epsilon=1)


def test_rounding_raises_the_sensitivity_where_it_must() -> None:
    """Numbers that are rounded may move further than they did; whole numbers are on the grid already."""
    vector = card("laplace_vector")
    rounded = settle(vector, {"values": [0.25, 0.5, 0.75], "sensitivity": 1, "epsilon": 1}, Fraction(1))
    assert rounded["sensitivity"] == 3
    exact = settle(vector, {"values": [1, 2, 3], "sensitivity": 1, "epsilon": 1}, Fraction(1))
    assert exact["sensitivity"] == 1
    one = settle(card("laplace"), {"value": 0.25, "sensitivity": "1.5", "epsilon": 1}, Fraction(1))
    assert one["sensitivity"] == 2


def test_a_grid_that_does_not_fit_the_relation_is_refused() -> None:
    """Queries that move by 1 cannot be rounded to multiples of 2 at the same price."""
    with pytest.raises(BadArgument, match="does not divide"):
        run(card("above_threshold"), [0, 5], 3, epsilon=1, grid=2)


@pytest.mark.parametrize("count", [0.5, Fraction(1, 3), "7"])
def test_a_count_is_a_whole_number(count: Any) -> None:
    """The geometric mechanism is for counts: anything else is refused without showing it."""
    with pytest.raises(BadArgument, match=r"count = '\.\.\.'"):
        run(card("geometric"), count, sensitivity=1, epsilon=1)


@pytest.mark.parametrize(
    ("named", "match"),
    [
        ({"epsilon": 0}, "divide by zero"),
        ({"epsilon": -1}, "epsilon .* below 0"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": "many"}, "epsilon"),
        ({"epsilon": 1, "grid": 0}, "grid"),
        ({"epsilon": 1, "grid": 3}, "grid"),
        ({"epsilon": 1, "scale": 2}, "cannot be called"),
        ({}, "cannot be called"),
    ],
)
def test_bad_parameters_are_named(named: dict[str, Any], match: str) -> None:
    """Each bad parameter is an error that names it; none draws anything."""
    with pytest.raises(Exception, match=match) as caught:
        run(card("laplace"), 0, sensitivity=1, **named)
    assert isinstance(caught.value, BadArgument), repr(caught.value)


COINS: dict[str, dict[str, str]] = {
    "randomized_response": {"keep": "3/4"},
    "fair_coins": {},
    "biased_coins": {"first": "1/2", "second": "1/2"},
}


@pytest.mark.parametrize("name", COINS)
@pytest.mark.parametrize("truth", [1, 0, 1.0, Fraction(0), np.int64(1)])
def test_the_kind_of_an_answer_tells_nothing(name: str, truth: Any) -> None:
    """A 1 that is told comes out as a coin's True does: were it 1, whoever saw it would know that it is the truth."""
    outputs = repeat(card(name), 60, truth, **COINS[name], entropy=SeededEntropy(3))
    assert {type(output) for output in outputs} == {bool}
    assert set(outputs) == {True, False}


@pytest.mark.parametrize("name", COINS)
@pytest.mark.parametrize("truth", [5, 0.3, -1, "2"])
def test_answers_that_a_card_does_not_speak_of_are_refused(name: str, truth: Any) -> None:
    """Told as it is, a third answer would stand out from the two that coins give; and the refusal does not repeat it."""
    with pytest.raises(BadArgument, match="none of the values") as refused:
        run(card(name), truth, **COINS[name])
    assert str(truth) not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "secret", "public"),
    [
        ("histogram", {7: 2}, {"epsilon": 1}),
        ("histogram", {7, 3}, {"epsilon": 1}),
        ("histogram", b"77", {"epsilon": 1}),
        ("histogram", np.array([[7, 7], [7, 7]]), {"epsilon": 1}),
        ("histogram", ["7 is the diagnosis"], {"epsilon": 1}),
        ("histogram", [float("nan"), 7], {"epsilon": 1}),
        ("laplace", "7 is the diagnosis", {"sensitivity": 1, "epsilon": 1}),
        ("planar_laplace", (7,), {"epsilon": 1}),
        ("planar_laplace", (7, 7, 7), {"epsilon": 1}),
        ("noisy_max_laplace", [], {"sensitivity": 1, "epsilon": 1}),
        ("permute_and_flip", [], {"sensitivity": 1, "epsilon": 1}),
        ("binary_tree", [7, 7, 7, 7], {"levels": 2, "epsilon": 1}),
    ],
)
def test_inputs_that_do_not_fit_are_refused_without_repeating_them(name: str, secret: Any, public: dict[str, Any]) -> None:
    """Keys instead of counts, a third coordinate, an empty list: an error in words, with nothing in it that is private."""
    mechanism = card(name)
    with pytest.raises(BadArgument) as refused:
        run(mechanism, **{mechanism.neighbours.parameter: secret}, **public)
    assert "7" not in str(refused.value)


def test_truth_values_are_counts_and_a_floats_grid_is_what_it_is() -> None:
    """True and False in a list of counts are 1 and 0, and 2.0 ** -40 is a power of two although its decimal text is not."""
    exactly, told = (run(card("histogram"), counts, epsilon=1, entropy=SeededEntropy(5)) for counts in ([1, 0], [True, False]))
    assert exactly == told
    assert run(card("laplace"), 1, sensitivity=1, epsilon=1, grid=2.0**-40).denominator <= 2**40


@pytest.mark.parametrize("count", ["k / 2", "None", "-1"])
def test_a_number_of_draws_is_whole(count: str, tmp_path: Any) -> None:
    """Half a draw, no number of draws and fewer than none are refused when the card runs, as every reader of its program does."""
    text = (
        "from twoworlds.losses.prices import Pure\nfrom twoworlds.worlds.cards import mechanism\n"
        "from twoworlds.worlds.distributions import Laplace\nfrom twoworlds.worlds.neighbours import Number\n\n\n"
        "@mechanism(neighbours=Number('value', by=1), price=Pure('k'))\n"
        f"def drawing(value, *, k, sample):\n    return value + sum(sample(Laplace(1 / k), {count}))\n"
    )
    path = tmp_path / "drawing.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("drawing", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(BadArgument):
        run(module.drawing, 3, k=1)
