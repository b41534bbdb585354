"""Release paths know no seeded generator: noise comes from `sampling` alone."""

from __future__ import annotations

import ast

import pytest

from tests.repo.house import PACKAGE, modules, names, shown, tree

# Where a seeded generator may be used, and why nothing that is released depends on it.
SEEDED = {"audits": "an adversary's own choices need to be repeatable, not secret"}

LIBRARIES = {"random", "numpy.random", "torch.random"}
TORCH = {"Generator", "bernoulli", "multinomial", "normal", "poisson", "rand", "randint", "randn", "randperm"}
ALIASES = {"np": "numpy"}


def unsafe(module: ast.Module) -> list[str]:
    """Every use of a generator that is not meant for secrets, with its line."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {(node.lineno, alias.name) for alias in node.names if alias.name in LIBRARIES}
        elif isinstance(node, ast.ImportFrom):
            full = {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
            found |= {(node.lineno, name) for name in full if name in LIBRARIES or _is_torch(name)}
        elif isinstance(node, ast.Attribute):
            full = {".".join([ALIASES.get(first, first), *rest]) for first, *rest in map(_split, names(node))}
            found |= {(node.lineno, name) for name in full if name in LIBRARIES or _is_torch(name) or name.endswith(".rvs")}
    return [f"{line}: {name}" for line, name in sorted(found)]


def _split(name: str) -> list[str]:
    return name.split(".")


def _is_torch(name: str) -> bool:
    library, _, function = name.rpartition(".")
    return library == "torch" and function in TORCH


def test_no_unsafe_generator_in_a_release_path() -> None:
    """No module outside the named rooms touches a generator that is predictable."""
    paths = [path for path in modules().values() if path.relative_to(PACKAGE).parts[0] not in SEEDED]
    assert len(paths) >= 15
    assert [f"{shown(path)}:{use}" for path in paths for use in unsafe(tree(path))] == []


@pytest.mark.parametrize(
    "planted",
    [
        "import random",
        "def later():\n    from random import gauss",
        "import numpy as np\nx = np.random.default_rng(1).normal()",
        "import numpy\nx = numpy.random.laplace(3)",
        "from numpy import random",
        "from numpy.random import default_rng",
        "from torch import randn",
        "import torch\nx = torch.normal(0, 1, (3,))",
        "from scipy import stats\nx = stats.norm.rvs()",
    ],
)
def test_a_planted_generator_is_found(planted: str) -> None:
    """Each way to reach an unsafe generator is seen."""
    assert unsafe(ast.parse(planted))


def test_secrets_and_arithmetic_are_left_alone() -> None:
    """The operating system's entropy and plain arithmetic raise no alarm."""
    assert unsafe(ast.parse("import os, numpy as np\nkey = os.urandom(32)\ny = np.cumsum([1])\nself.random.draw()")) == []
