"""The pages tell the truth: commands exist, links resolve, the plan of the house is the house."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import twoworlds
from tests.repo.house import PROJECT, ROOT, pages, rooms, shown

LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(program: str) -> set[str]:
    """What the pages tell a reader to type after this program's name, in code."""
    pattern = re.compile(rf"(?:^\s*(?:\$ )?|`){program} ([a-z][a-z-]*)", re.MULTILINE)
    return {word for page in pages() for word in pattern.findall(page.read_text())}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(page.read_text())}


def broken(page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    found = []
    for target in LINK.findall(page.read_text()):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            goal = page.parent / path if path else page
            if not goal.exists() or (anchor and anchor not in anchors(goal)):
                found.append(target)
    return found


def test_make_commands_on_the_pages_exist() -> None:
    """Each `make` command that a page shows is a target, and the README shows the two that matter."""
    assert {"demo", "test"} <= commands("make") <= make_targets()
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme and "make test" in readme


def test_twoworlds_commands_on_the_pages_exist() -> None:
    """Each `twoworlds` command that a page or the Makefile shows is one that the program's own help lists."""
    program = Path(sys.executable).with_name("twoworlds")
    told = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r"^  ([a-z-]+)  ", told, re.MULTILINE))
    shown_in_makefile = set(re.findall(r"/twoworlds ([a-z]+)", (ROOT / "Makefile").read_text()))
    assert "demo" in shown_in_makefile & verbs
    assert (commands("twoworlds") | shown_in_makefile) - verbs == set()


def test_links_resolve() -> None:
    """Each relative link on each page leads to a file, and to a heading where it names one."""
    assert sum(len(LINK.findall(page.read_text())) for page in pages()) >= 15
    assert {shown(page): found for page in pages() if (found := broken(page))} == {}


def test_planted_broken_links_are_found(tmp_path: Path) -> None:
    """A missing file and a missing heading are seen, good ones are not."""
    page = tmp_path / "page.md"
    page.write_text("# Good heading\n[a](page.md) [b](#good-heading) [c](missing.md) [d](#bad) [e](https://example.org)\n")
    assert broken(page) == ["missing.md", "#bad"]


def test_every_page_is_reached_from_the_index() -> None:
    """Each page under docs is linked from another page: nothing is hidden."""
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in pages()
        for target in LINK.findall(page.read_text())
        if not re.match(r"[a-z]+:|#", target)
    }
    found = sorted((ROOT / "docs").rglob("*.md"))
    assert len(found) >= 8
    assert [shown(page) for page in found if page not in linked and page.name != "index.md"] == []


def test_the_room_table_is_the_folders() -> None:
    """ARCHITECTURE's table, the layers contract and the package's folders name the same rooms."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| (`.*?`) \|", text.partition("## The card")[0], re.MULTILINE)
    told = [room for row in rows for room in re.findall(r"`(\w+)`", row)]
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert told == [room for line in layers for room in re.findall(r"\w+", line)]
    assert rooms() <= set(told)


def test_every_public_name_is_in_the_reference() -> None:
    """The reference has a row for each public name and none for others."""
    table = (ROOT / "docs/reference/index.md").read_text().partition("## Parameters")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(listed) == sorted(twoworlds.__all__)


def test_decisions_are_numbered_and_complete() -> None:
    """Each decision is one page with context, choice and price, numbered without gaps and linked from the index."""
    found = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in found] == list(range(1, len(found) + 1)) and len(found) >= 3
    for page in found:
        assert HEADING.findall(page.read_text())[1:] == ["Context", "Choice", "Price"], shown(page)
        assert len(page.read_text().splitlines()) <= 60, f"{shown(page)} is longer than a page"


def requirements() -> list[str]:
    groups = PROJECT["dependency-groups"]
    return [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["prove"], *groups["dev"]]


def closure(wanted: list[str]) -> set[str]:
    """These requirements and all that they require in turn, as installed here."""
    found: set[str] = set()
    while wanted:
        requirement = Requirement(wanted.pop())
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and name not in found:
            found.add(name)
            wanted += importlib.metadata.requires(name) or []
    return found


def test_every_version_is_pinned() -> None:
    """constraints.txt pins each package that our own runs install, at the version that is installed here."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pins = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    needed = closure(requirements())
    assert len(needed) >= 25
    assert {name: importlib.metadata.version(name) for name in needed} == {name: pins.get(name) for name in needed}


def test_ranges_are_for_people_and_pins_for_us() -> None:
    """The package's own requirements are lower bounds: nobody is forced onto our versions."""
    declared = [
        *PROJECT["project"]["dependencies"],
        *(r for e in PROJECT["project"]["optional-dependencies"].values() for r in e),
    ]
    assert declared and all({spec.operator for spec in Requirement(each).specifier} == {">="} for each in declared)
