"""The frame: short targets, a CI that runs what the README says, set-up that names no place to download from."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.repo.house import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
CI = ROOT / ".ci" / "run"


def test_targets_are_short() -> None:
    """Each target of the Makefile has at most ten lines."""
    targets = re.findall(r"^[\w./$()-]+:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert len(targets) >= 9
    assert max(len(body.splitlines()) for body in targets) <= 10


def test_ci_runs_the_checks_and_the_readmes_own_command() -> None:
    """CI takes the test command from the README, and finds exactly one there."""
    script = CI.read_text()
    assert os.access(CI, os.X_OK)
    assert "\nmake check\n" in script
    [pattern] = re.findall(r"sed -n '(.*?)' README\.md", script)
    found = subprocess.run(["sed", "-n", pattern, ROOT / "README.md"], capture_output=True, text=True, check=True).stdout
    assert found == "make test\n"
    assert script.rstrip().endswith("$test_command"), "pytest's closing line must come last"


@pytest.mark.parametrize("name", ["Makefile", "pyproject.toml", "constraints.txt", ".ci/run"])
def test_set_up_names_no_host(name: str) -> None:
    """Packages come from whichever index the machine is told to use."""
    assert not re.search(r"https?://|index-url|find-links", (ROOT / name).read_text())


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"PYTHON": "no-such-python"}, "twoworlds needs Python 3.11 or newer"),
        ({"PYTHONPATH": "{folder}"}, "run: apt-get install python3-venv"),
    ],
)
def test_set_up_says_in_one_line_what_is_missing(tmp_path: Path, broken: dict[str, str], said: str) -> None:
    """Without Python 3.11, or on Debian without python3-venv, one line says what to do, and nothing is left behind."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    (tmp_path / "ensurepip.py").write_text("raise ImportError('as in Debian without python3-venv')\n")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = inherited | {name: value.format(folder=tmp_path) for name, value in broken.items()}
    ran = subprocess.run(["make", "test"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert said in ran.stdout + ran.stderr
    assert len((ran.stdout + ran.stderr).splitlines()) == 1
    assert not (tmp_path / ".venv").exists()
