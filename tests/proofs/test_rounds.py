"""A loop over many people is proved by one round only where nothing else can tell the worlds apart."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.rounds import one_round
from twoworlds.proofs.statements import Statement, statements

PROGRAMS = Path(__file__).parent / "programs/responses.py"
HEAD = """
from fractions import Fraction
from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Laplace, Uniform
from twoworlds.worlds.neighbours import L1, Each, Local, Monotone, Number, One

@mechanism(neighbours={neighbours}, price=Pure("{price}"))
def planted({private}, *, keep, size: int, sample):
"""
ONE, ANSWER = 'One("bits", by=1, grid=1)', 'Local("answer")'
FAIR, KEEP = "log(3)", "abs(log(keep / (1 - keep)))"
COIN = "sample(Bernoulli(Fraction(3, 4) if {} else Fraction(1, 4)))"
BY_ENTRY, BY_INDEX, BY_ORDER = map(COIN.format, ("bits[i] > 0", "i == answer", "i < answer"))
KEPT = "(bit > 0) if sample(Bernoulli(keep)) else (bit <= 0)"
EACH = "shown = []\nfor i in range(len(bits)):\n"
BIASED = "sample(Bernoulli(Fraction(3, 4) if bit > 0 else Fraction(1, 2)))"
FOR = "shown = []\nfor bit in bits:\n"
ROUND = "    shown.append(sample(Bernoulli(Fraction(3, 4) if bit > 0 else Fraction(1, 4))))\n"


def statement(neighbours: str, price: str, body: str) -> Statement:
    text = HEAD.format(neighbours=neighbours, price=price, private=neighbours.split('"')[1])
    [found] = statements(text + "".join(f"    {line}\n" for line in body.strip("\n").splitlines()))
    assert isinstance(found, Statement), found
    return found


def is_shown(found: Statement) -> bool:
    """Whether both solvers accept the table of one round; they never disagree here."""
    text = one_round(found)
    answers = {text is not None and solver(text, 1_000_000) is None for solver in (with_z3,)}
    if text is not None and answers == {True}:
        answers.add(with_cvc5(text) is None)
    assert len(answers) == 1
    return answers.pop()


RIGHT = [
    (ONE, FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    ('L1("bits", by=2, grid=1)', f"2 * {FAIR}", f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    ('Monotone(One("bits", by=1, grid=1))', FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    (ONE, KEEP, f"shown = []\nfor bit in bits:\n    shown.append({KEPT})\nreturn shown"),
    (ONE, FAIR, f"shown = []\nfor bit in bits:\n{ROUND}    if sample(Bernoulli(keep)):\n        break\nreturn shown"),
    (ANSWER, f"2 * {FAIR}", f"shown = []\nfor i in range(size):\n    shown.append({BY_INDEX})\nreturn shown"),
    (ONE, FAIR, f"yes = 0\nfor i in range(len(bits)):\n    yes += 1 if {BY_ENTRY} else 0\nreturn yes + sample(Laplace(1))"),
]  # fmt: skip


@pytest.mark.parametrize(("neighbours", "price", "body"), RIGHT, ids=range(len(RIGHT)))
def test_rounds_are_proved_and_not_for_less(neighbours: str, price: str, body: str) -> None:
    """At the price of one round, and not at a hundredth less."""
    assert is_shown(statement(neighbours, price, body))
    assert not is_shown(statement(neighbours, price.replace("log(", "log(99 / 100 * "), body))


DRAWN = "kept = sample(Bernoulli(Fraction(3, 4)), len(bits))\n"
TOLD = "    shown.append((bits[i] > 0) if kept[i] else (bits[i] <= 0))\n"
WRONG = {
    "the coin is biased, at the price of its other direction": (
        ONE,
        "log(3 / 2)",
        f"{FOR}    shown.append({BIASED})\nreturn shown",
    ),
    "two entries differ": ('L1("bits", by=2, grid=1)', FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    "two entries differ, of no grid": ('L1("bits", by=1)', FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    "all entries differ": ('Each("bits", grid=1)', FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown"),
    "a lie is likelier than the truth": (
        ONE,
        "log(1 / (1 - keep))",
        f"shown = []\nfor bit in bits:\n    shown.append({KEPT})\nreturn shown",
    ),
    "the round before is looked at": (
        ONE,
        FAIR,
        f"shown = []\nlast = 0\nfor bit in bits:\n{ROUND}    last = bit\nreturn shown, last > 0",
    ),
    "the last entry is shown": (ONE, FAIR, f"shown = []\nbit = 0\nfor bit in bits:\n{ROUND}return shown, bit > 0"),
    "an entry is told twice": (ONE, FAIR, f"shown = []\nfor bit in bits:\n{ROUND}{ROUND}return shown"),
    "an entry is read in two rounds": (
        ONE,
        FAIR,
        f"shown = []\nfor i in range(-1, len(bits)):\n    shown.append({BY_ENTRY})\nreturn shown",
    ),
    "the next entry is read too": (
        ONE,
        FAIR,
        f"{EACH}    shown.append({BY_ENTRY} and bits[0] > 0)\nreturn shown",
    ),
    "the index is moved": (
        ONE,
        FAIR,
        f"{EACH}    i = 0\n    shown.append({BY_ENTRY})\nreturn shown",
    ),
    "one coin for all": (
        ONE,
        FAIR,
        f"kept = sample(Bernoulli(keep))\n{FOR}    shown.append((bit > 0) if kept else (bit <= 0))\nreturn shown",
    ),
    "the coins are shown": (ONE, FAIR, f"{DRAWN}{EACH}{TOLD}return shown, kept"),
    "a coin is used twice": (
        ONE,
        FAIR,
        f"{DRAWN}{EACH}    shown.append((bits[i] > 0) if kept[0] else (bits[i] <= 0))\nreturn shown",
    ),
    "the coins were counted before": (
        ONE,
        FAIR,
        f"{DRAWN}heads = 0\nfor k in kept:\n    heads = heads + (1 if k else 0)\n{EACH}{TOLD}return shown, heads",
    ),
    "coins are chosen by the entry": (
        ONE,
        FAIR,
        f"{DRAWN}{FOR}    shown.append((bit > 0) if kept[0 if bit > 0 else 1] else (bit <= 0))\nreturn shown",
    ),
    "the loop ends by the entry": (
        ONE,
        FAIR,
        f"shown = []\nfor bit in bits:\n{ROUND}    if bit > 0:\n        break\nreturn shown",
    ),
    "a round is skipped by the entry": (
        ONE,
        FAIR,
        f"shown = []\nfor bit in bits:\n    if bit > 0:\n        continue\n{ROUND}return shown",
    ),
    "what is told depends on how much was told": (
        ONE,
        FAIR,
        f"{FOR}    coin = sample(Bernoulli(keep))\n    shown.append((bit > 0) if len(shown) > 0 else coin)\nreturn shown",
    ),
    "a flag from before makes it open": (
        ONE,
        FAIR,
        f"open = 0\n{FOR}    if open > 0:\n        shown.append(bit > 0)\n{ROUND}    open = 1\nreturn shown",
    ),
    "the secret is read again": (ONE, FAIR, f"shown = []\nfor bit in bits:\n{ROUND}return shown, bits[0] > 0"),
    "a second loop reads it again": (
        ONE,
        FAIR,
        f"shown = []\nfor bit in bits:\n{ROUND}for bit in bits:\n{ROUND}return shown",
    ),
    "many rounds differ, not two": (
        ANSWER,
        f"2 * {FAIR}",
        f"shown = []\nfor i in range(size):\n    shown.append({BY_ORDER})\nreturn shown",
    ),
    "two rounds differ, not one": (
        ANSWER,
        FAIR,
        f"shown = []\nfor i in range(size):\n    shown.append({BY_INDEX})\nreturn shown",
    ),
    "an index comes often": (
        ANSWER,
        f"2 * {FAIR}",
        f"shown = []\nfor i in range(size):\n    i = 3\n    shown.append({BY_INDEX})\nreturn shown",
    ),
    "as many rounds as the answer says": (
        ANSWER,
        f"2 * {FAIR}",
        f"shown = []\nfor i in range(answer):\n    shown.append({BY_INDEX})\nreturn shown",
    ),
    "as many rounds as an entry says": (
        ONE,
        FAIR,
        f"shown = []\nfor i in range(bits[0]):\n    shown.append({BY_ENTRY})\nreturn shown",
    ),
    "as many coins as the answer says": (
        ANSWER,
        f"2 * {FAIR}",
        f"kept = sample(Uniform(2), answer)\nshown = []\nfor i in range(9):\n    shown.append({BY_INDEX})\nreturn shown, kept",
    ),
    "the answer is used besides": (
        ANSWER,
        f"2 * {FAIR}",
        f"shown = []\nfor i in range(size):\n    shown.append({BY_INDEX})\nreturn shown, answer",
    ),
    "a round fails for some entries": (
        ONE,
        FAIR,
        f"shown = []\nfor bit in bits:\n{ROUND}    none = None if bit > 0 else 1\n    shown.append(0 * none)\nreturn shown",
    ),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_not_private_at_its_price_is_not_proved(name: str) -> None:
    """Planted faults, each distinct in cause."""
    found = statement(*WRONG[name])
    assert not is_shown(found), name


EXACT = {
    "kept_or_turned": ([0, 0, 1], [0, 1, 1], {"keep": Fraction(1, 4)}),
    "turned_by_array": ([0, 0, 1], [0, 1, 1], {"keep": Fraction(3, 4)}),
    "three_bits_differ": ([0, 0, 0], [1, 1, 1], {}),
    "rappor_of_any_size": (0, 1, {"size": 2, "lie": Fraction(1, 2)}),
    "rappor_in_two_steps": (0, 1, {"size": 2}),
    "symmetric_unary_of_any_size": (0, 1, {"size": 2, "keep": Fraction(1, 5)}),
    "three_way_each": ([0, 2], [0, 4], {}),
    "counted_responses": ([0], [1], {}),
}


@pytest.mark.parametrize("name", sorted(EXACT))
def test_the_price_is_attained(name: str) -> None:
    """The whole output law of a small world costs exactly what is proved."""
    one, other, at = EXACT[name]
    found = next(found for found in statements(PROGRAMS.read_text(encoding="utf-8")) if found.name == name)
    assert isinstance(found, Statement) and is_shown(found)
    table = tabulate(found.program, one, other, neighbours=found.relation, **at)
    price = found.price.at(at)["epsilon"]
    assert float(table.epsilon.upper) == pytest.approx(float(price)) and math.isfinite(price)
