"""Accounting: certified epsilons beside dp-accounting, the PRV accountant and Opacus, each problem in a process of its own."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from accountants import LAPLACE, PEERS, PROBLEMS, REQUIRED, WITHOUT_TORCH
from report import HERE, Bar, Result, publish

ROUNDS = 7
PATIENCE = 25  # seconds for a peer's answer
HOME = HERE.parent / ".venv" / "accountants"  # Opacus without torch, and pins of old: they stay out of our environment
LOOSE = ("ii", "huge", "tiny30")
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
OURS = """
import json, resource, sys, time
from fractions import Fraction
from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import parse
from twoworlds.losses.solved import calibrate
text, delta = sys.argv[1:]
loss_of(parse("gaussian(sigma=1)")).delta(1)  # all imports done
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
if "?" in text:
    found = {"noise": float(calibrate(text, epsilon=1, delta=delta).value)}
else:
    interval = loss_of(parse(text)).epsilon(delta)
    found = {"lower": interval.lower, "upper": interval.upper}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found |= {"seconds": time.process_time() - start, "grown": (peak - before) / 1024, "peak": peak / 1024}
print(json.dumps(found))
"""


def text_of(problem: str) -> str:
    """The problem in our language; its open number is a question mark."""
    parts = []
    for kind, noise, rate, count in PROBLEMS[problem][0]:
        made = f"laplace(scale={noise})" if kind == LAPLACE else f"gaussian(sigma={noise or '?'})"
        parts.append(f"{made}{f' sampled at {rate}' if rate < 1 else ''}, {count} times")
    return " and ".join(parts)


def ours(problem: str) -> dict[str, float]:
    """Median time and largest memory of several new processes; the answers are the same every time."""
    command = [sys.executable, "-c", OURS, text_of(problem), str(PROBLEMS[problem][1])]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(ROUNDS)]
    assert len({(run.get("lower"), run.get("upper"), run.get("noise")) for run in runs}) == 1
    most = {name: max(run[name] for run in runs) for name in ("grown", "peak")}
    return {**runs[0], **most, "seconds": statistics.median(run["seconds"] for run in runs)}


@cache
def peers_python() -> Path | None:
    """The interpreter of an environment with the peers, made at its first use; None where they cannot be had."""
    python = HOME / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-qq"]
    pinned = ["--constraint", HERE.parent / "constraints.txt"]
    try:
        if not (HOME / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", HOME], check=True)
            subprocess.run([*pip, *pinned, *REQUIRED], check=True)
            subprocess.run([*pip, *pinned, "--no-deps", WITHOUT_TORCH], check=True)
            (HOME / "ready").touch()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"peers cannot be installed: {error}", file=sys.stderr)
        return None
    return python


def peer(name: str, problem: str) -> dict[str, float] | str:
    """A peer's answer, or why there is none."""
    python = peers_python()
    if python is None:
        return "not installed"
    command = [python, HERE / "accountants.py", name, problem]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **ALONE, "PYTHONPATH": ""}, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not in {PATIENCE} s"
    if ran.returncode:
        said = ran.stderr.strip().splitlines()
        return "not offered" if said and said[-1] == "does not offer this" else "an error"
    found: dict[str, float] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def is_unsound(mine: dict[str, float], theirs: dict[str, float]) -> bool:
    """Whether an upper bound is below a certified lower one."""
    return "upper" in theirs and theirs["upper"] < mine["lower"]


def cell(mine: dict[str, float], theirs: dict[str, float] | str) -> str:
    if isinstance(theirs, str):
        return theirs
    value = theirs.get("noise", theirs.get("upper", math.nan))
    unsound = " **below the truth**" if is_unsound(mine, theirs) else ""
    return f"{value:.7g}{unsound} ({theirs['seconds']:.2g} s, {theirs['grown']:.0f} MB)"


def row(problem: str, mine: dict[str, float], others: dict[str, dict[str, float] | str]) -> dict[str, Any]:
    answer = f"{mine['noise']:.7g}" if "noise" in mine else f"{mine['upper']:.10g}"
    return {
        "problem": problem,
        "ours": answer,
        "relative width": mine.get("width", ""),
        "CPU s": mine["seconds"],
        "MB above imports": mine["grown"],
        **{name: cell(mine, theirs) for name, theirs in others.items()},
    }


def measure() -> Result:
    rows, found, answers = [], {}, {}
    for problem in PROBLEMS:
        mine = ours(problem)
        if "noise" not in mine:
            mine["width"] = (mine["upper"] - mine["lower"]) / mine["upper"]
        found[problem], answers[problem] = mine, {name: peer(name, problem) for name in PEERS}
        rows.append(row(problem, mine, answers[problem]))
        print(rows[-1], file=sys.stderr, flush=True)
    python = peers_python()
    told = (
        subprocess.run([python, HERE / "accountants.py", "versions"], capture_output=True, text=True, check=True)
        if python
        else None
    )
    return Result(
        title="Accounting: certified epsilons",
        rows=rows,
        notes=[
            *(f"{name}: {text_of(name)}, delta {delta:g}" for name, (_, delta) in PROBLEMS.items()),
            "v asks for the noise at which epsilon is 1, all others for epsilon; ours is the upper end, certified by balls",
            f"ours are medians of {ROUNDS} new processes, imports done; a peer runs once, for {PATIENCE} s at most",
            "below the truth: an upper bound of a peer that is under our certified lower bound",
            "the limit is the truth itself: the relative width is all that an upper end can still lose",
            "peers run in an environment of their own; Opacus with a stand-in for torch, which its accountants do not use",
        ],
        bars=bars(found, answers),
        versions=json.loads(told.stdout) if told else {},
    )


def bars(found: dict[str, dict[str, float]], answers: dict[str, dict[str, dict[str, float] | str]]) -> list[Bar]:
    """Every figure that was asked for."""
    widths = {name: mine["width"] for name, mine in found.items() if "width" in mine}
    tight = max(width for name, width in widths.items() if name not in LOOSE)
    loose = max(widths[name] for name in LOOSE)
    epsilons = {name: mine["seconds"] for name, mine in found.items() if name != "v"}
    slow, memory, total = max(epsilons.values()), max(mine["peak"] for mine in found.values()), sum(epsilons.values())
    solving = found["v"]["seconds"]
    worse, apart = compared(found, answers)
    return [
        Bar("relative width", "at most 1e-3", f"{tight:.1e}", tight <= 1e-3),
        Bar(f"relative width of {', '.join(LOOSE)}", "at most 1e-2", f"{loose:.1e}", loose <= 1e-2),
        Bar("upper end beside every sound peer's", "never larger", worse or "never larger", not worse),
        Bar("our interval beside certified ones", "they meet", apart or "they meet", not apart),
        Bar("slowest epsilon", "at most 2 s", f"{slow:.2g} s", slow <= 2),
        Bar("all epsilons", "at most 15 s", f"{total:.2g} s", total <= 15),
        Bar("calibration of v", "at most 3 s", f"{solving:.2g} s", solving <= 3),
        Bar("memory, the whole process", "at most 300 MB", f"{memory:.0f} MB", memory <= 300),
    ]


def compared(found: dict[str, dict[str, float]], answers: dict[str, dict[str, dict[str, float] | str]]) -> tuple[str, str]:
    """Where a sound peer is lower than we are, and where a certified interval lies apart from ours; empty if nowhere."""
    worse, apart = [], []
    for problem, mine in found.items():
        for name, theirs in answers[problem].items():
            if isinstance(theirs, str) or is_unsound(mine, theirs):
                continue
            key = "noise" if problem == "v" else "upper"
            if theirs[key] < mine[key]:
                worse.append(f"{name} on {problem}")
            if theirs.get("lower", -math.inf) > mine.get("upper", math.inf):
                apart.append(f"{name} on {problem}")
    return ", ".join(worse), ", ".join(apart)


if __name__ == "__main__":
    publish(measure())
