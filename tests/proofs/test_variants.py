"""What a program is called, in which order it is written and by which loop changes no verdict; nor does who wrote it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from tests.broken.proofs import adversarial, benchmarks
from tests.broken.proofs import strangers as wrong_strangers
from tests.proofs import newcomers, strangers
from tests.proofs.programs import coins, maxima, numbers, sums, thresholds
from tests.proofs.variants import SAFER, SAME, variants
from twoworlds.losses.prices import Pure
from twoworlds.proofs.prover import proof, prove, prove_text
from twoworlds.proofs.recheck import apart_of
from twoworlds.proofs.refuter import glance
from twoworlds.proofs.statements import Statement, stated, statements
from twoworlds.source.interpreter import interpret
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.distributions import Bernoulli, Distribution
from twoworlds.worlds.errors import Unsupported


def cards(*modules: object) -> dict[str, Card]:
    return {name: card for module in modules for name, card in vars(module).items() if isinstance(card, Card)}


PRIVATE = cards(sums, thresholds, maxima, coins, numbers)
STRANGE = cards(strangers, newcomers)
WRONG = cards(benchmarks, wrong_strangers)
PLANTED = cards(adversarial)
OUTSIDE = {
    "two_names_for_one_list",
    "list_that_grows_while_it_is_read",
    "quotient_of_counts",
    "scale_from_a_global",
    "helper_forgets",
}
UNPROVED = {"positive_total": "what is known of a list's entries says nothing of how far the secret's own entry moved"}
UNREAD = {"sparse_histogram": "Lists of lists are outside the prover"}
TAKES_LONG = {
    "margin_of_the_best",
    "second_best_too",
    "two_bars",
    "worst_by_noise",
    "counts_and_their_sum",
    "winner_or_none",
    "three_searches",
}
SLOW = {"bad_adaptive", "noisy_max_monotone_noise", "restarts_the_search"}
QUICK = [
    "noisy_histogram",
    "partial_sum",
    "first_above",
    "clipped_answer",
    "counts_by_comprehension",
    "below_the_bar",
    "salary_sum",
]


def patiently(names: list[str], others: int = 1) -> list[Any]:
    """What takes long is slow; so are all but one of so many others."""
    quick = [name for name in names if name not in TAKES_LONG][::others]
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def text_of(card: Card) -> str:
    return "\n\n".join([*card.helpers.values(), card.text])


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_what_is_made_to_deceive_is_refuted_or_not_read(name: str) -> None:
    """Never proved; refuted wherever it can be read at all."""
    assert prove(PLANTED[name]).verdict == ("UNSUPPORTED" if name in OUTSIDE else "REFUTED")


@pytest.mark.parametrize("name", patiently(sorted(cards(wrong_strangers).keys() - SLOW)))
def test_what_strangers_get_wrong_is_refuted(name: str) -> None:
    """Wrong mechanisms in styles that nobody tuned for."""
    assert prove(WRONG[name]).verdict == "REFUTED"


@pytest.mark.parametrize("name", sorted(STRANGE))
def test_what_strangers_get_right_is_not_refuted(name: str) -> None:
    """A first look refutes nothing that is private."""
    found = stated(STRANGE[name])
    assert isinstance(found, Statement) and glance(found) is None


@pytest.mark.parametrize("name", patiently(sorted(STRANGE), others=2))
def test_what_strangers_get_right_is_proved(name: str) -> None:
    """In styles that nobody tuned for; what is not proved, or not read, is named, with what is missing."""
    found = stated(STRANGE[name])
    assert isinstance(found, Statement)
    if name in UNREAD:
        with pytest.raises(Unsupported, match=UNREAD[name]):
            proof(found)
        return
    shown = proof(found)
    assert (shown is None) == (name in UNPROVED)
    if shown is None:
        return
    if "hints" in shown[1]:
        assert apart_of(found, Certificate(name, found.digest, "PROVED", str(found.price), *shown)) is None


def test_a_count_that_falls_pays_for_no_more_than_it_began_with() -> None:
    """Sparse vector that counts down is not proved for a hundredth less."""
    found = stated(STRANGE["bits_until_enough"])
    assert isinstance(found, Statement)
    assert proof(replace(found, price=Pure("99 / 100 * eps"))) is None


@pytest.mark.parametrize("name", patiently(sorted(WRONG.keys() - SLOW)[::3]))
def test_a_variant_of_a_wrong_program_is_refuted(name: str) -> None:
    """Whatever it is called and however it is written."""
    for how, text in variants(text_of(WRONG[name]), len(name), 1, safer=False):
        assert prove_text(text)[-1].verdict == "REFUTED", f"{how}\n{text}"


@pytest.mark.parametrize("name", QUICK)
def test_a_variant_of_a_private_program_is_proved(name: str) -> None:
    """Whatever it is called, however it is written, and with slack."""
    card = {**PRIVATE, **STRANGE}[name]
    for how, text in islice(variants(text_of(card), len(name), 2, safer=True), 1):
        if "twice_at_half" not in how:
            assert prove_text(text)[-1].verdict == "PROVED", f"{how}\n{text}"


def some(names: Iterable[str], effort: float) -> list[str]:
    """As many of the names as the effort asks for, from all over."""
    return sorted(names)[:: max(1, round(1 / effort))]


@pytest.mark.soak
def test_many_variants_of_wrong_programs_are_refuted(effort: float) -> None:
    """Six of each program."""
    for name in some(WRONG.keys() - SLOW, effort):
        for how, text in variants(text_of(WRONG[name]), 7, max(2, round(6 * effort)), safer=False):
            assert prove_text(text)[-1].verdict == "REFUTED", f"{how}\n{text}"


@pytest.mark.soak
def test_no_variant_of_a_private_program_is_refuted(effort: float) -> None:
    """Twelve of each program, whether or not a proof of them is found."""
    cards = {**PRIVATE, **STRANGE}
    for name in some(cards, effort):
        for how, text in variants(text_of(cards[name]), 7, max(2, round(12 * effort)), safer=True):
            assert prove_text(text)[-1].verdict != "REFUTED", f"{how}\n{text}"


@pytest.mark.parametrize("name", ["first_above", "noisy_histogram", "two_coins", "clipped_answer"])
def test_variants_mean_the_same(name: str) -> None:
    """Where only the writing changes, the program returns the same on the same noise."""
    card = {**PRIVATE, **STRANGE}[name]
    found = statements(text_of(card))[-1]
    assert isinstance(found, Statement)
    private = found.program.parameters.index(found.relation.parameter)
    values: list[Any] = [Fraction(at + 1) for at in range(len(found.program.parameters))]
    values[private] = (Fraction(3), Fraction(-2), Fraction(5)) if found.program.depth else Fraction(3)
    if name == "two_coins":
        values = [True]
    compared = 0
    for how, text in variants(text_of(card), 3, 6, safer=False):
        other = statements(text)[-1]
        assert isinstance(other, Statement), f"{how}\n{text}"
        if "reordered" not in how:  # two draws that change places draw each other's noise
            assert all(said(other, values, tape) == said(found, values, tape) for tape in range(8)), f"{how}\n{text}"
            compared += 1
    assert compared


def said(found: Statement, values: list[Any], tape: int) -> Any:
    """What the program returns on these values in order, when its draws are small numbers that hang on how many came before."""
    count = iter(range(1000))

    def draw(_: int, law: Distribution) -> Any:
        noise = (next(count) * 7 + tape * 5) % 11 - 5
        return noise > 0 if isinstance(law, Bernoulli) else Fraction(noise)

    return interpret(found.program, dict(zip(found.program.parameters, values, strict=True)), draw)


def test_every_way_changes_something() -> None:
    """No way of writing stands unused: each changes some program."""
    texts = [text_of(card) for card in {**PRIVATE, **STRANGE, **WRONG}.values()]
    for way in (*SAME.values(), *SAFER.values()):
        changed = 0
        for text in texts:
            module = ast.parse(text)
            function = next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.decorator_list)
            changed += way(function, module)
        assert changed, way.__name__


def test_there_are_many_strangers() -> None:
    """Programs that nobody tuned for, private and wrong."""
    assert len(STRANGE) >= 25 and len(cards(wrong_strangers)) >= 20 and len(PLANTED) >= 30
