"""What stands in the text: nothing unfinished, nothing swallowed, a reason for each exception, nothing about a workplace."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.repo.house import ROOT, comments, modules, pages, python_files, shown

HERE = Path(__file__).resolve()
UNFINISHED = re.compile(
    r"\b(TODO|FIXME|XXX|HACK|for now)\b|NotImplementedError|pragma: no cover|simplified version", re.IGNORECASE
)
WORKPLACE = re.compile(
    r"(?<![\w.])/(work|root|home|opt|Users)/|\bissue #?\d|\bas (requested|instructed)\b|\b(sub-?agent|chatbot)\b", re.IGNORECASE
)
# An exception to a rule names the rule and then says why, in more than one word.
EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore)\b")
REASONED = re.compile(
    r"#\s*noqa:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*\s+(?P<why>\S.*)|#\s*type:\s*ignore\[[\w, -]+\]\s*#\s*(?!noqa)(?P<because>\S.*)"
)


def unfinished(text: str) -> list[str]:
    return [match.group() for match in UNFINISHED.finditer(text)]


def unreasoned(text: str) -> list[int]:
    """Lines whose noqa or type: ignore gives no rule or no reason."""
    found = []
    for line, comment in comments(text):
        if EXCEPTION.search(comment):
            match = REASONED.search(comment)
            if not match or len((match["why"] or match["because"]).split()) < 2:
                found.append(line)
    return found


def swallowed(text: str) -> list[int]:
    """Lines of handlers that catch everything or do nothing."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or all(isinstance(step, ast.Pass) or _is_ellipsis(step) for step in node.body))
    ]


def _is_ellipsis(step: ast.stmt) -> bool:
    return isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant) and step.value.value is ...


def everywhere() -> list[Path]:
    texts = [*python_files(), *pages(), ROOT / "Makefile", ROOT / "pyproject.toml"]
    assert len(texts) >= 40
    return [path for path in texts if path != HERE]


def test_nothing_is_unfinished() -> None:
    """The package holds no note of work left to do, and no stub."""
    paths = list(modules().values())
    assert len(paths) >= 15
    assert {shown(path): found for path in paths if (found := unfinished(path.read_text()))} == {}


def test_no_error_is_swallowed() -> None:
    """No handler catches everything, and none does nothing."""
    assert {shown(path): found for path in modules().values() if (found := swallowed(path.read_text()))} == {}


def test_every_exception_to_a_rule_has_its_reason() -> None:
    """Each noqa and type: ignore names its rule and says why."""
    texts = {path: path.read_text() for path in python_files() if path != HERE}
    assert sum(len(EXCEPTION.findall(text)) for text in texts.values()) >= 3
    assert {shown(path): found for path, text in texts.items() if (found := unreasoned(text))} == {}


def test_no_text_speaks_of_a_workplace() -> None:
    """No page and no code depends on, or tells of, the machine and the desk it was written at."""
    assert {shown(path): found.group() for path in everywhere() if (found := WORKPLACE.search(path.read_text()))} == {}


@pytest.mark.parametrize(
    "planted", ["# TODO: later", "raise NotImplementedError", "x = 1  # pragma: no cover", "a simplified version"]
)
def test_planted_unfinished_work_is_found(planted: str) -> None:
    """Each kind of unfinished work is seen."""
    assert unfinished(planted)


@pytest.mark.parametrize(
    "planted",
    [
        "x = 1  # noqa",
        "x = 1  # noqa: E501",
        "x = 1  # noqa: E501  long",
        "x = 1  # type: ignore",
        "x = 1  # type: ignore[arg-type]",
    ],
)
def test_a_planted_exception_without_reason_is_found(planted: str) -> None:
    """A bare rule, a missing rule and a one-word reason are all refused."""
    assert unreasoned(planted)


def test_a_reason_is_enough() -> None:
    """A rule followed by why is let through, in both forms."""
    reasoned = "# noqa: E501, B018  a table reads best whole", "# type: ignore[misc]  # the library has no types"
    assert [unreasoned(comment) for comment in reasoned] == [[], []]


@pytest.mark.parametrize("handler", ["except:\n    log()", "except Exception:\n    pass", "except KeyError:\n    ..."])
def test_a_planted_swallowed_error_is_found(handler: str) -> None:
    """A handler that catches all or does nothing is seen."""
    assert swallowed(f"try:\n    x()\n{handler}")


@pytest.mark.parametrize("planted", ["see /work/shared/notes", "fixes issue 12", "done as requested"])
def test_planted_workplace_talk_is_found(planted: str) -> None:
    """Paths of one machine and talk of tickets are seen."""
    assert WORKPLACE.search(planted)
