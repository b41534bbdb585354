"""Tabulating: sparse vectors of fifty queries, people with coins, and what the finite mechanisms cost."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from report import Bar, Result, publish
from twoworlds.exact.combinators import shuffled
from twoworlds.exact.finite import FiniteMechanism
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.catalogue import cards
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import One

QUERIES, BAR, ROUNDS = 50, 1.0, 1
LIMITS = (1, 2, 3, 5, 10)
_MIXED = [(7 * i) % 11 - 5 for i in range(QUERIES)]
WORLDS: dict[str, tuple[list[int], list[int]]] = {
    "equal": ([0] * QUERIES, [1] * QUERIES),
    "all but one equal": ([0] * (QUERIES - 1) + [1], [1] * (QUERIES - 1) + [0]),
    "eleven values, up and down": (_MIXED, [value + (-1 if i % 2 else 1) for i, value in enumerate(_MIXED)]),
    "all unlike": (list(range(-25, 25)), [value + (-1 if i % 2 else 1) for i, value in enumerate(range(-25, 25))]),
}
SPARSE: dict[str, dict[str, Any]] = {
    "above_threshold": {},
    "sparse_vector": {},
    "sparse_vector_redrawn": {},
    "sparse_vector_numeric": {},
    "sparse_vector_gap": {},
    "sparse_vector_adaptive": {"margin": 2},
}
RESPONSE = """
def response(bits, *, keep, sample):
    told = []
    for bit in bits:
        if sample(Bernoulli(keep)):
            told.append(bit)
        else:
            told.append(1 - bit)
    return told
"""


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Median CPU seconds of a few runs, and what came out."""
    taken: list[float] = []
    found: Any = None
    for _ in range(ROUNDS):
        start = time.process_time()
        try:
            found = action()
        except Unsupported as refusal:
            found = refusal
        taken.append(time.process_time() - start)
    return statistics.median(taken), found


def sparse(name: str, limit: int, worlds: str) -> dict[str, Any]:
    """One sparse vector: the table, then epsilon, delta and a Renyi divergence of it."""
    card, public = cards()[name], {"threshold": 3, "epsilon": 1, **SPARSE[name]}
    if name != "above_threshold":
        public["limit"] = limit
    seconds, found = timed(lambda: tabulate(card, *WORLDS[worlds], **public))
    row = {"mechanism": name, "limit": limit, "queries": worlds, "s": seconds}
    if isinstance(found, Unsupported):
        return {**row, "outputs": "refused", "rows": "", "asking three things, s": "", "epsilon": ""}
    asking, epsilon = timed(lambda: asked(found))
    return {
        **row,
        "outputs": f"{found.count:,}",
        "rows": len(found.rows),
        "asking three things, s": asking,
        "epsilon": str(epsilon),
    }


def asked(table: Table) -> Any:
    fresh = Table(table.rows, table.lost, table.other_lost, table.name)
    fresh.delta("1/10")
    fresh.renyi(2)
    return fresh.epsilon


def others() -> list[dict[str, Any]]:
    """The rest of what the oracle is for."""
    people = [0] * 100
    warner = FiniteMechanism.of({bit: {bit: "3/4", 1 - bit: "1/4"} for bit in (0, 1)})
    cases: dict[str, Callable[[], Any]] = {
        "randomized response of 100 people, each answer told": lambda: tabulate(
            RESPONSE, people, [1, *people[1:]], neighbours=One("bits", by=1), keep="3/4"
        ),
        "randomized response of 100 people, shuffled": lambda: shuffled(warner, people, [1, *people[1:]]),
        "exponential mechanism, 100 candidates": lambda: tabulate(
            cards()["exponential"], list(range(100)), [score + 1 for score in range(100)], sensitivity=1, epsilon=1
        ),
    }
    return [named(name, action) for name, action in cases.items()]


def named(name: str, action: Callable[[], Any]) -> dict[str, Any]:
    seconds, table = timed(action)
    row = {"mechanism": name, "limit": "", "queries": "", "s": seconds, "outputs": f"{table.count:,}", "rows": len(table.rows)}
    return {**row, "asking three things, s": timed(lambda: asked(table))[0], "epsilon": str(table.epsilon)}


def main() -> None:
    grid = [(name, limit) for name in SPARSE for limit in LIMITS if name != "above_threshold" or limit == 1]
    rows = [sparse(name, limit, worlds) for name, limit in grid for worlds in WORLDS]
    bars = [bar(name, limit, [row for row in rows if (row["mechanism"], row["limit"]) == (name, limit)]) for name, limit in grid]
    notes = [
        f"CPU time in one process, median of {ROUNDS} runs.",
        "Rows: lists that are equally likely in each world are one row. Refused: too many unlike outputs, said in one sentence.",
        "sparse_vector, sparse_vector_redrawn: Lyu, Su and Li 2017, algorithms 1 and 2. Threshold 3, epsilon 1, grid 1.",
    ]
    publish(Result(f"Tabulating sparse vectors of {QUERIES} queries, and others", rows + others(), notes, bars))


def bar(name: str, limit: int, rows: list[dict[str, Any]]) -> Bar:
    """Met when every kind of queries is tabulated in time; a refusal misses it, however fast."""
    refused = [row["queries"] for row in rows if row["outputs"] == "refused"]
    worst = max(row["s"] for row in rows)
    measured = f"{worst:.2g} s" + (f", refused for {', '.join(refused)}" if refused else "")
    return Bar(f"{QUERIES} queries, {name}, limit {limit}", "at most 1 s", measured, worst <= BAR and not refused)


if __name__ == "__main__":
    main()
