"""The same verdict and the same certificate, in another process and under another hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from twoworlds.proofs.prover import prove_text

ROOT = Path(__file__).parents[2]
FILES = ("thresholds.py:first_above", "maxima.py:noisy_max", "coins.py:warner")
RUN = """
import json, sys
from pathlib import Path
from twoworlds.proofs.prover import certified
from twoworlds.proofs.statements import statements
for file in sys.argv[1:]:
    name, _, cards = file.partition(":")
    for found in statements((Path("tests/proofs/programs") / name).read_text()):
        if found.name in cards.split(","):
            shown = certified(found)
            print(json.dumps([shown.card, shown.verdict, shown.method, shown.details], default=str))
"""


def shown(seed: int) -> str:
    """What a process with this seed finds, word for word."""
    given = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", RUN, *FILES]
    return subprocess.run(command, env=given, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_certificates_do_not_depend_on_the_hash_seed() -> None:
    """Whole certificates are compared, hints included; and there are as many as asked for, all of them proofs."""
    first = shown(1)
    lines = [json.loads(line) for line in first.splitlines()]
    assert len(lines) == 3 and {line[1] for line in lines} == {"PROVED"}
    assert shown(77) == first


def test_certificates_do_not_depend_on_what_was_proved_before() -> None:
    """Twice in one process."""
    text = (ROOT / "src/twoworlds/mechanisms/above_threshold.py").read_text()
    assert prove_text(text) == prove_text(text)
