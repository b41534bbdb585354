"""What a proof rests on: which modules, how many lines, and that none of them is part of the search. `-rP` prints them."""

from __future__ import annotations

import grimp

from tests.repo.house import modules

ROOM = "twoworlds.proofs"
ALIGNED = ("checker", "lowering", "obligations", "readings")
BY_TABLE = ("outcomes", "rounds", "rules")
SEARCH = {
    "alignments",
    "annotations",
    "attempts",
    "clauses",
    "costs",
    "induction",
    "limits",
    "search",
    "templates",
    "terms",
    "trials",
}
MOST_LINES, MOST_REPLAYED = 4_100, 200


def needed(*names: str) -> set[str]:
    """The modules of the room that these import, however far down, with themselves."""
    graph = grimp.build_graph("twoworlds", cache_dir=None)
    found, waiting = set[str](), [f"{ROOM}.{name}" for name in names]
    while waiting:
        module = waiting.pop()
        if module.startswith(f"{ROOM}.") and module not in found:
            found.add(module)
            waiting += graph.find_modules_directly_imported_by(module)
    return {module.removeprefix(f"{ROOM}.") for module in found}


def lines(name: str) -> int:
    return len(modules()[f"{ROOM}.{name}"].read_text().splitlines())


def test_the_search_is_not_trusted() -> None:
    """What makes and checks obligations imports nothing that proposes hints; nor does what replays them."""
    assert {name.rpartition(".")[2] for name in modules()} >= SEARCH
    assert not needed(*ALIGNED, *BY_TABLE) & SEARCH
    assert needed("attempts") & SEARCH  # the measure sees what it should


def test_the_trusted_part_is_counted() -> None:
    """All of its lines, comments and blank ones among them."""
    trusted = {name: lines(name) for name in sorted(needed(*ALIGNED, *BY_TABLE))}
    for name, count in trusted.items():
        print(f"{count:4} lines  {name}")
    print(f"{sum(trusted.values()):4} lines in all")
    assert {*ALIGNED, *BY_TABLE, "kinds", "runs"} <= trusted.keys()
    assert sum(trusted.values()) <= MOST_LINES


def test_a_replay_is_small_and_on_its_own() -> None:
    """It rests on the language and its interpreter, and on nothing else of the room but where worlds and tapes come from."""
    assert needed("replay") == {"replay", "tapes"}
    assert lines("replay") <= MOST_REPLAYED and lines("tapes") <= MOST_REPLAYED
