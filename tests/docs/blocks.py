"""Runs what the pages show: Python blocks in one namespace a page, console blocks through the program."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = {"twoworlds"}  # what is run from a console block; everything else there is set-up, and must be one of these:
SET_UP = {"apt-get", "cd", "git", "make", "pip"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its text, and the line of the page on which the text begins."""

    language: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        yield Block(match["language"], match["text"], text.count("\n", 0, match.start("text")) + 1)


def run_page(page: Path, folder: Path) -> int:
    """Run all blocks of a page in order, from this folder; how many ran."""
    namespace: dict[str, Any] = {"__name__": "__page__"}
    ran = 0
    for block in blocks(page.read_text()):
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language == "console":
            run_console(block, page, folder)
        else:
            continue
        ran += 1
    return ran


def run_python(block: Block, page: Path, namespace: dict[str, Any]) -> None:
    """Execute a block; where it shows a prompt, its shown output must match too."""
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, namespace, page.name, str(page), block.line - 1)
        report: list[str] = []
        result = doctest.DocTestRunner(optionflags=LENIENT).run(test, out=report.append, clear_globs=False)
        assert result.failed == 0, "".join(report)
        namespace.update(test.globs)
    else:
        tree = ast.parse(block.text, filename=str(page))
        ast.increment_lineno(tree, block.line - 1)
        exec(compile(tree, str(page), "exec"), namespace)


def run_console(block: Block, page: Path, folder: Path) -> None:
    """Run the commands of a block; what is shown below a command must occur in what it prints, in order."""
    for command, expected in _commands(block.text):
        words = shlex.split(command, comments=True)
        where = f"{page.name}:{block.line}: {command}"
        if words[0] not in RUN:
            assert words[0] in SET_UP, f"{where}: an unknown program"
            continue
        program = Path(sys.executable).with_name(words[0])
        ran = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{where}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}"
        assert shows(ran.stdout, expected), f"{where}: shown\n{chr(10).join(expected)}\nprinted\n{ran.stdout}"


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    command, shown = "", []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        elif command.endswith("\\"):
            command = command[:-1] + line
        elif line.strip():
            shown.append(line)
    assert command, "a console block shows no command: start it with `$ `"
    yield command, shown


def shows(output: str, expected: list[str]) -> bool:
    """Whether the expected lines occur in the output in order; spaces are alike, and `...` stands for anything."""
    printed = [" ".join(line.split()) for line in output.splitlines()]
    at = 0
    for line in expected:
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in line.split("..."))
        while at < len(printed) and not re.search(pattern, printed[at]):
            at += 1
        if at == len(printed):
            return False
    return True
