"""No module needs itself: imports inside functions count."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.repo.house import modules


def sort(package: str) -> list[str]:
    """The package's modules in an order in which each comes after all that it imports; raises CycleError if there is none."""
    graph = grimp.build_graph(package, cache_dir=None)
    return list(TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).static_order())


def test_no_import_cycles() -> None:
    """The modules can be put in an order, and the order covers all of them."""
    assert set(sort("twoworlds")) == set(modules())


def test_a_planted_cycle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules that import each other, one of them inside a function, are a cycle."""
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted/__init__.py").touch()
    (tmp_path / "planted/one.py").write_text("from planted import other\n")
    (tmp_path / "planted/other.py").write_text("def later():\n    from planted.one import other\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CycleError, match=r"planted\.one"):
        sort("planted")
