"""Fixed seeds, one false-alarm budget, one dial for effort and one look at what is left behind, shared by every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.leftovers import left, untracked
from tests.statistics import RUN, Judge, overspent

# Wall-clock health checks would make the verdict depend on what else the machine does.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", max_examples=50, derandomize=True, database=None, **_COMMON)
settings.register_profile("soak", max_examples=5_000, print_blob=True, **_COMMON)
settings.load_profile("fixed")

_JUDGED = pytest.StashKey[list[tuple[float, int]]]()
_BEFORE = pytest.StashKey[frozenset[str] | None]()
_LEFT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--effort", type=float, default=0.05, help="share of a soak test's full counts (make soak: 1)")


@pytest.fixture(scope="session")
def effort(request: pytest.FixtureRequest) -> float:
    """The share of its full counts that a soak test should run."""
    return float(request.config.getoption("--effort"))


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    """Compares observations with claimed laws; see `tests.statistics`."""
    judge = Judge()
    yield judge
    request.config.stash[_JUDGED].append((judge.spent, len(judge.planted)))
    judge.close()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_JUDGED], config.stash[_LEFT] = [], []
    config.stash[_BEFORE] = None if hasattr(config, "workeroutput") else untracked(config.rootpath)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names that change with every run: workers could not agree on them, and a failure could not be run again."""
    fleeting = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if fleeting:
        raise pytest.UsageError(f"a parameter needs an id, its name holds a memory address: {fleeting[0]}")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """A pytest-xdist worker is done: take over what its tests have spent."""
    judged = getattr(node, "workeroutput", {}).get("judged", [])
    node.config.stash[_JUDGED].extend(tuple(entry) for entry in judged)  # type: ignore[attr-defined]  # xdist has no types


def pytest_sessionfinish(session: pytest.Session) -> None:
    judged = session.config.stash[_JUDGED]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["judged"] = judged
        return
    session.config.stash[_LEFT] = left(session.config.stash[_BEFORE], untracked(session.config.rootpath))
    if overspent([spent for spent, _ in judged]) or session.config.stash[_LEFT]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name in config.stash[_LEFT]:
        terminalreporter.write_line(f"leftovers: this run made {name!r} in the tree, so it fails; write to tmp_path instead")
    judged = config.stash[_JUDGED]
    if judged:
        shares = [spent for spent, _ in judged]
        terminalreporter.write_line(
            f"statistics: {len(judged)} tests spent {sum(shares):.2g} of the false-alarm budget {RUN:.0e} of a run"
            f" and rejected {sum(planted for _, planted in judged)} planted faults"
            + (": OVERSPENT, the run fails; lower the shares" if overspent(shares) else "")
        )
