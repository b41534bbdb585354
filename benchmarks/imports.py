"""What it costs to start: importing the package, and the first draw of a new process. CPU time of whole interpreters."""

from __future__ import annotations

from report import Bar, Result, publish
from timing import first, fresh

ROUNDS = 15
DRAW = "from twoworlds.sampling.draws import draw_one\nfrom twoworlds.worlds.distributions import Laplace"
STATEMENTS = {
    "pass": "pass",
    "import twoworlds": "import twoworlds",
    "import twoworlds; a public name": "import twoworlds; twoworlds.Each",
    "import what a draw needs, and draw": f"{DRAW}\ndraw_one(Laplace(10))",
    "import numpy": "import numpy",
}


def measure() -> Result:
    seconds = fresh(STATEMENTS, ROUNDS)
    bare = seconds["pass"]
    rows = [
        {"statement": name, "CPU ms": 1e3 * taken, "above bare, ms": 1e3 * (taken - bare), "ratio to bare": taken / bare}
        for name, taken in seconds.items()
    ]
    imported = 1e3 * (seconds["import twoworlds"] - bare)
    drawn = 1e3 * first(DRAW, "draw_one(Laplace(10))", ROUNDS)
    return Result(
        title="Start: import and first draw",
        rows=rows,
        notes=[
            f"medians of {ROUNDS} interleaved rounds, each a new interpreter, user and system time",
            "the limit is the bare interpreter; `import numpy` is shown for scale",
            "the first draw is timed inside a new process, after the imports that it names",
        ],
        bars=[
            Bar("import twoworlds, above a bare interpreter", "at most 60 ms CPU", f"{imported:.2g} ms", imported <= 60),
            Bar("first draw in a new process, after its imports", "at most 5 ms CPU", f"{drawn:.2g} ms", drawn <= 5),
        ],
    )


if __name__ == "__main__":
    publish(measure())
