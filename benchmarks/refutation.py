"""Refutation: wrong mechanisms, beside StatDP on the same programs where it is installed. CPU time of one call each, in turn."""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from report import Bar, Result, publish

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the wrong programs stand in tests/

from tests.broken.proofs import benchmarks
from twoworlds.proofs.prover import prove
from twoworlds.worlds.cards import Card

ROUNDS = 7
LONG = {"bad_adaptive"}  # a proof is looked for in vain before it is refuted: measured once
TESTED, SIGNIFICANT = 0.7, 0.05
WRONG = {name: card for name, card in vars(benchmarks).items() if isinstance(card, Card)}


# ours by name, theirs by name, whether all queries may differ: the same mistakes
THEIRS = {
    "noisy_max_value": ("noisy_max_v1b", True),
    "noisy_max_exponential_value": ("noisy_max_v2b", True),
    "hist_wrong_scale": ("histogram_eps", False),
    "svt_stoddard": ("iSVT1", True),
    "svt_chen": ("iSVT2", True),
    "svt_lee_clifton": ("iSVT3", True),
    "svt_roth_notes": ("iSVT4", True),
}


def spent(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def medians(cards: dict[str, Card]) -> dict[str, tuple[float, Any]]:
    """Median CPU seconds of a verdict, the cards taking turns; a first round warms up."""
    taken: dict[str, list[float]] = {name: [] for name in cards}
    last: dict[str, Any] = {}
    for counted in range(ROUNDS + 1):
        for name, card in cards.items():
            if name in LONG and counted != 1:
                continue
            seconds, last[name] = spent(lambda card=card: prove(card))
            if counted:
                taken[name].append(seconds)
    return {name: (sorted(times)[len(times) // 2], last[name]) for name, times in taken.items()}


def statdp() -> Any:
    """StatDP's module, or None: its users call `detect_counterexample` on a function of numpy."""
    try:
        import statdp
        import statdp.algorithms
    except ImportError:
        return None
    return statdp


def theirs(library: Any, name: str) -> tuple[float, str]:
    """Seconds and verdict of StatDP where 0.7 is claimed and tested, with its own defaults and events."""
    algorithm, every = THEIRS[name]
    function = getattr(library.algorithms, algorithm)
    keywords: dict[str, Any] = {function.__code__.co_varnames[2]: TESTED}
    if algorithm.startswith("iSVT"):
        keywords |= {"T": 1, "N": 1}
    differ = library.ALL_DIFFER if every else library.ONE_DIFFER
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, found = spent(lambda: library.detect_counterexample(function, (TESTED,), keywords, sensitivity=differ))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)  # it works in child processes
    seconds += after.ru_utime + after.ru_stime - start.ru_utime - start.ru_stime
    p = found[0][1]
    return seconds, f"violation, p = {p:.2g}" if p < SIGNIFICANT else f"none found, p = {p:.2g}"


def rows(found: dict[str, tuple[float, Any]], library: Any) -> Iterable[dict[str, Any]]:
    for name, (seconds, certificate) in found.items():
        details = certificate.details
        loss = details.get("epsilon", math.nan)
        row = {
            "program": name,
            "verdict": certificate.verdict,
            "s": seconds,
            "ln ratio": "infinite" if math.isinf(loss) else f"{loss:.3g}",
            "price": f"{details.get('price', math.nan):.3g}",
            "grows": "yes" if details.get("grows") else "no",
            "StatDP": "no such program",
            "StatDP s": "",
        }
        if name in THEIRS:
            row["StatDP"] = "not installed"
            if library is not None:
                taken, verdict = theirs(library, name)
                row |= {"StatDP": verdict, "StatDP s": taken}
        yield row


def measure() -> Result:
    library = statdp()
    found = medians(WRONG)
    times = sorted(seconds for seconds, _ in found.values())
    refuted = sum(certificate.verdict == "REFUTED" for _, certificate in found.values())
    middle, worst = times[len(times) // 2], times[-1]
    return Result(
        title="Refutation: wrong mechanisms, each by two worlds and an output",
        rows=list(rows(found, library)),
        notes=[
            f"ours: `prove` on the card, median of {ROUNDS} rounds in turn; the loss is certified, nothing is sampled",
            f"measured once, for it takes long: {', '.join(sorted(LONG))}",
            "StatDP samples: it says that a violation is likely where 0.7 is claimed; sparse vector events are chosen by hand",
            "StatDP is on no package index: installed from its repository (commit 747fad6), its columns are filled",
            "StatDP's programs are its own, with continuous noise; only the mistakes are the same",
            "the limit of a loss on ever longer lists is not shown: `grows` says that it still rises at the longest list tried",
        ],
        bars=[
            Bar("wrong programs of the list refuted", "all", f"{refuted} of {len(found)}", refuted == len(found)),
            Bar("refutation, median", "at most 2 s CPU", f"{middle:.2g} s", middle <= 2),
            Bar("refutation, worst", "at most 20 s CPU", f"{worst:.2g} s", worst <= 20),
        ],
        versions={"statdp": metadata.version("statdp")} if library is not None else {},
    )


if __name__ == "__main__":
    publish(measure())
