"""Proofs: every mechanism of the literature, with its verdict, the time it takes and the time to check its certificate again."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from report import Bar, Result, publish
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.prover import certified
from twoworlds.proofs.recheck import script
from twoworlds.proofs.statements import Statement, statements

PROGRAMS = Path(__file__).parents[1] / "tests/proofs/programs"
ROUNDS = 1
PUBLISHED = {  # seconds: ShadowDP (type check and verification), coupling strategies, CheckDP's statement for all of its programs
    "noisy_max": ("0.5 + 1.9", "22"),
    "first_above": ("0.4 + 1.9", "27"),
    "svt_kept": ("0.4 + 2.6", "580"),
    "svt_numeric": ("0.4 + 2.6", "5"),
    "svt_gap": ("0.4 + 2.5", ""),
    "partial_sum": ("0.4 + 1.9", "14"),
    "prefix_sum": ("0.4 + 1.9", "14"),
    "smart_sum": ("0.6 + 2.6", "255"),
    "exponential_mechanism": ("", "22"),
}


def cpu(action: Callable[[], Any]) -> tuple[float, Any]:
    """The median CPU time of a few runs, and what came out."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        found = action()
        taken.append(time.process_time() - start)
    return statistics.median(taken), found


def row(found: Statement) -> tuple[dict[str, Any], float, float]:
    seconds, certificate = cpu(lambda: certified(found))
    z3 = cvc5 = 0.0
    if certificate.verdict == "PROVED":
        text = script(found, certificate)
        (z3, one), (cvc5, other) = cpu(lambda: with_z3(text)), cpu(lambda: with_cvc5(text))
        if one is not None or other is not None:
            raise SystemExit(f"{found.name}: a certificate is not accepted: {one or other}")
    shadow, couplings = PUBLISHED.get(found.name, ("", ""))
    cells = {
        "program": found.name,
        "price": str(found.price).removeprefix("pure "),
        "verdict": certificate.verdict,
        "s": round(seconds, 2),
        "z3 ms": round(1000 * z3),
        "cvc5 ms": round(1000 * cvc5),
        "ShadowDP s (published)": shadow,
        "coupling strategies s (published)": couplings,
    }
    return cells, seconds, max(z3, cvc5)


def main() -> None:
    texts = (path.read_text(encoding="utf-8") for path in sorted(PROGRAMS.glob("*.py")))
    found = [one for text in texts for one in statements(text) if isinstance(one, Statement)]
    measured = [row(one) for one in found]
    proved = [entry for entry in measured if entry[0]["verdict"] == "PROVED"]
    median, worst = statistics.median(entry[1] for entry in measured), max(entry[1] for entry in measured)
    checked = max(entry[2] for entry in proved)
    bars = [
        Bar("private programs proved at their true price", "all", f"{len(proved)} of {len(found)}", len(proved) == len(found)),
        Bar("time to a verdict, median", "at most 2 s", f"{median:.2f} s", median <= 2),
        Bar("time to a verdict, worst", "at most 20 s", f"{worst:.1f} s", worst <= 20),
        Bar("time to check a certificate again, worst solver", "at most 0.5 s", f"{checked:.2f} s", checked <= 0.5),
    ]
    notes = [
        f"CPU time in one process, median of {ROUNDS} runs; lists of any length, all parameters symbolic.",
        "Published columns: by their authors, on other machines, for programs in other languages. No speed-up is claimed.",
        "ShadowDP: Wang, Ding, Wang, Xiao and Kifer 2019, table 1. Coupling strategies: Albarghouthi and Hsu 2018.",
        "CheckDP (Wang, Ding, Kifer and Zhang 2020) says that each of its programs takes at most 70 s; "
        " LightDP (Zhang and Kifer 2017) needs annotations, and its Python version does not run on Python 3.11.",
    ]
    versions = {name: metadata.version(name) for name in ("z3-solver", "cvc5")}
    publish(Result("Proofs of the mechanisms of the literature", [entry[0] for entry in measured], notes, bars, versions))


if __name__ == "__main__":
    main()
