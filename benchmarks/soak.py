"""Runs the soak tests at full counts and records each verdict for the report. Takes hours; `--effort 0.01` rehearses it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from report import HERE, RESULTS, Bar, Result, keep, write


def run(effort: float) -> list[dict[str, object]]:
    """One row for each soak test: its name, verdict and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "soak.xml"
        options = ["-m", "soak", "--effort", str(effort), "--hypothesis-profile", "soak", f"--junitxml={record}"]
        ended = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=HERE.parent, check=False)
        if ended.returncode not in (0, 1):
            sys.exit(f"no soak test ran to its end: pytest says {ended.returncode}")
        cases = list(ElementTree.parse(record).iter("testcase"))
    return [
        {"test": f"{case.get('classname')}: {case.get('name')}", "verdict": verdict(case), "seconds": float(case.get("time", 0))}
        for case in cases
    ]


def verdict(case: ElementTree.Element) -> str:
    tags = {child.tag for child in case}
    return "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", type=float, default=1.0, help="share of the full counts")
    effort = parser.parse_args().effort
    rows = run(effort)
    passed = sum(row["verdict"] == "passed" for row in rows)
    result = Result(
        title="Soak tests",
        rows=rows,
        notes=[f"effort {effort:g} of the full counts; statistical tests have fixed seeds, properties draw new ones"],
        bars=[Bar("soak tests passed", f"{len(rows)}", f"{passed}", passed == len(rows))],
    )
    RESULTS.mkdir(exist_ok=True)
    keep(asdict(result), RESULTS / "soak.json")
    write()
    sys.exit(passed != len(rows))


if __name__ == "__main__":
    main()
