"""What lets more private programs be proved lets no wrong one through: each has its twin, which is not private at its price."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.proofs import newcomers, strangers
from twoworlds.losses.prices import Pure
from twoworlds.proofs.checker import check
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.prover import proof
from twoworlds.proofs.recheck import apart_of
from twoworlds.proofs.statements import Statement, stated, statements
from twoworlds.worlds.claims import Certificate

HEAD = """
from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Exponential, Laplace
from twoworlds.worlds.neighbours import L1, Each, Number, One

@mechanism(neighbours={neighbours}, price=Pure("{price}"))
def twin({private}, *, eps, first, second, flag, sample):
"""
ONE, EACH, NUMBER = 'One("cells")', 'Each("cells")', 'Number("cells")'
BEST = """
best = None
record = 0
for i in range(len(cells)):
    noisy = cells[i] + sample(Exponential(2 / eps))
    if best is None or noisy > record:
        best = i
        record = noisy
"""
TWINS = {
    "both loops read the even cells": (
        ONE,
        "eps",
        """
one = []
for i in range(len(cells)):
    if i % 2 == 0:
        one.append(cells[i] + sample(Laplace(1 / eps)))
two = []
for i in range(len(cells)):
    if i % 2 == 0:
        two.append(cells[i] + sample(Laplace(1 / eps)))
return one, two
""",
    ),
    "the halves overlap in one cell": (
        ONE,
        "eps",
        """
one = []
for i in range(len(cells)):
    if i <= flag:
        one.append(cells[i] + sample(Laplace(1 / eps)))
two = []
for i in range(len(cells)):
    if i >= flag:
        two.append(cells[i] + sample(Laplace(1 / eps)))
return one, two
""",
    ),
    "a record moves cells in both halves": (
        'L1("cells", by=2)',
        "eps",
        """
one = []
for i in range(len(cells)):
    if i % 2 == 0:
        one.append(cells[i] + sample(Laplace(1 / eps)))
two = []
for i in range(len(cells)):
    if i % 2 == 1:
        two.append(cells[i] + sample(Laplace(1 / eps)))
return one, two
""",
    ),
    "the last cell is read by -1 besides": (
        ONE,
        "eps",
        """
one = []
for i in range(len(cells)):
    if i % 2 == 0:
        one.append(cells[i] + sample(Laplace(1 / eps)))
two = []
for i in range(len(cells)):
    if i % 2 == 1:
        two.append(cells[i] + sample(Laplace(1 / eps)))
return one, two, cells[-1] + sample(Laplace(1 / eps))
""",
    ),
    "all cells are shown, and the last by -1 besides": (
        ONE,
        "eps",
        """
one = []
for i in range(len(cells)):
    one.append(cells[i] + sample(Laplace(1 / eps)))
return one, cells[-1] + sample(Laplace(1 / eps))
""",
    ),
    "one cell is shown by -1 and nothing is paid": (
        ONE,
        "eps",
        "one = cells[0] + sample(Laplace(1 / eps))\nreturn one, cells[-1]",
    ),
    "the second budget may be below 0 where it is not spent": (
        NUMBER,
        "first + second",
        """
one = cells + sample(Laplace(1 / first))
if flag > 0:
    return one, cells + sample(Laplace(1 / second))
return one, 0
""",
    ),
    "the second budget is left out": (
        NUMBER,
        "first",
        """
one = cells + sample(Laplace(1 / first))
two = cells + sample(Laplace(1 / second))
return one, two
""",
    ),
    "the bar's budget is left out": (
        EACH,
        "second",
        """
bar = sample(Laplace(1 / first))
for i in range(len(cells)):
    if cells[i] + sample(Laplace(2 / second)) >= bar:
        return i
return None
""",
    ),
    "None tells the sign": (NUMBER, "eps", "known = None\nif cells > 0:\n    known = 1\nreturn known"),
    "None tells the sign, and 1 nothing": (
        NUMBER,
        "eps",
        "known = None\nif cells > 0:\n    known = 1\nother = 0\nif known is None:\n    other = 1\nreturn other",
    ),
    "None is a number for one world": (
        NUMBER,
        "eps",
        "known = None\nif cells > 0:\n    known = 3\nif known == 3:\n    return 1\nreturn 0",
    ),
    "the best is -1 at first and comes with its value": (
        EACH,
        "eps",
        BEST.replace("best = None", "best = -1").replace("best is None", "best < 0") + "return best, record",
    ),
    "the best comes with its value": (EACH, "eps", f"{BEST}return best, record"),
    "the first is never compared": (
        EACH,
        "eps",
        BEST.replace("noisy > record", "cells[i] > record") + "return best",
    ),
    "the best is found with half of the noise": (EACH, "eps", BEST.replace("2 / eps", "1 / eps") + "return best"),
}


@pytest.mark.parametrize("name", sorted(TWINS))
def test_a_twin_is_not_proved(name: str) -> None:
    """Planted faults, each distinct in cause."""
    neighbours, price, body = TWINS[name]
    text = HEAD.format(neighbours=neighbours, price=price, private="cells")
    [found] = statements(text + "".join(f"    {line}\n" for line in body.strip("\n").splitlines()))
    assert isinstance(found, Statement), found
    assert proof(found) is None


TIGHT = (
    newcomers.total_and_count,
    newcomers.first_hot_day,
    strangers.evens_and_odds,
    strangers.best_by_one_sided_noise,
    newcomers.prefixes,
    newcomers.top_by_gumbel,
)


@pytest.mark.parametrize("card", TIGHT, ids=lambda card: card.name)
def test_it_is_not_proved_for_less(card) -> None:  # type: ignore[no-untyped-def]  # a card reads like its paper
    """A hundredth below the price."""
    found = stated(card)
    assert isinstance(found, Statement)
    assert proof(replace(found, price=Pure(f"99 / 100 * ({found.price.formulas['epsilon']})"))) is None


def test_an_entry_counted_from_the_end_is_none_of_its_own() -> None:
    """Forged hints say that the entry that moves is counted from the front, so that the last one, read by -1, would stay."""
    body = "one = []\nfor i in range(len(cells)):\n    one.append(cells[i] + sample(Laplace(1 / eps)))\n"
    text = HEAD.format(neighbours=ONE, price="eps", private="cells")
    body += "return one, cells[-1] + sample(Laplace(1 / eps))\n"
    [found] = statements(text + "".join(f"    {line}\n" for line in body.splitlines()))
    assert isinstance(found, Statement)
    count = "next@@1.1"
    invariant = f"(= {count} next@@1.2) (>= {count} 0.0) (<= $K0 ($moved/1 {count})) (<= ($moved/1 {count}) $u)"
    hints = {
        "guess": False,
        "shifts": {
            "0": [{"when": "true", "by": {"(cells.1 i.1)": -1}, "charge": None}],
            "1": [{"when": "true", "by": {"(cells.1 (- 1.0))": -1}, "charge": None}],
        },
        "invariants": [f"(and {invariant} (or (= $K0 0.0) (>= $where 0.0)))"],
        "cells": {"one": "(= $one $two)"},
        "signs": {"0": "(> eps.1 0.0)", "1": "(> eps.1 0.0)"},
        "rates": {"1": ["0", "1"]},
        "bounds": ["(<= (+ $K0 (* 1.0 $K1)) $u)"],
    }
    assert check(lower(found.program), found.relation, found.price, found.whole, hints) is not None
    certificate = Certificate(found.name, found.digest, "PROVED", str(found.price), "alignment", {"hints": hints})
    assert "costs more" in str(apart_of(found, certificate))
