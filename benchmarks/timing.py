"""Fair times on a busy machine: contenders take turns, CPU time is counted, and medians are compared as ratios."""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

ROUNDS = 7


def interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of one call of each contender in this process."""
    return _medians(contenders, time.process_time, rounds)


def fresh(statements: Mapping[str, str], rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of a new interpreter that runs each of these statements."""
    return _medians({name: _interpreter(statement) for name, statement in statements.items()}, _spent_by_children, rounds)


def first(setup: str, statement: str, rounds: int = ROUNDS) -> float:
    """Median CPU seconds of a statement's first run in a new interpreter, measured inside it after `setup`."""
    timed = f"import time\n{setup}\nstart = time.process_time()\n{statement}\nprint(time.process_time() - start)"
    told = [subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True) for _ in range(rounds)]
    return statistics.median(float(ran.stdout) for ran in told)


def _medians(contenders: Mapping[str, Callable[[], object]], clock: Callable[[], float], rounds: int) -> dict[str, float]:
    """One call of each a round, in turn; a first round warms up and is not counted."""
    if rounds < ROUNDS:
        raise ValueError(f"{rounds} rounds are too few for a median that is worth printing: take {ROUNDS} or more")
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for counted in range(rounds + 1):
        for name, run in contenders.items():
            gc.collect()
            start = clock()
            run()
            if counted:
                times[name].append(clock() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}


def _interpreter(statement: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True, capture_output=True)


def _spent_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as a Markdown table; columns are those of the first row, numbers are shown to three figures."""
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([shown(row[column]) for column in columns] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value).replace("|", "\\|")
