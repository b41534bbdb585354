"""Nothing outside the plan reaches the engine, whatever the text of a question says.

Of every text that is not refused, the SQL that we write is taken apart into words: outside of quoted constants and quoted names
there are only words of our own templates. And the locked engine runs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from tests.choosers import SeededChooser
from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.hostile import HOSTILE, drawn
from tests.queries.worlds import engine, row
from twoworlds.queries import relations
from twoworlds.queries.compiling import compiled
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.functions import COLUMNS, FUNCTIONS
from twoworlds.queries.policy import Policy
from twoworlds.queries.pricing import offer
from twoworlds.queries.reading import read
from twoworlds.queries.refusals import Refused
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import BadArgument

OURS_TEXT = """
select from where group by as and or not in is null case when then else end join left on using values with distinct over
partition order cast try_cast double bigint hugeint union all true false count sum min max hash row_number coalesce floor
round greatest least isfinite epoch_us picked weights known partials few cells numbered users heavy one list list_sum
list_sort filter e between like escape timestamp date varchar boolean materialized limit any_value places usmallint integer
"""
OURS = OURS_TEXT.split()
ALIASES = re.compile(r"[a-z]{1,2}\d*|[0-9.]+(e[+-]?[0-9]+)?|place|\d+e\d+")
NAMES = ("visits", "cities")


@cache
def vocabulary() -> frozenset[str]:
    """Words of our own templates: those of functions, of columns, and a list."""
    templates = [form.sql for function in FUNCTIONS.values() for form in function.forms] + list(COLUMNS.values())
    return frozenset(OURS) | {word.lower() for text in templates for word in re.findall(r"[A-Za-z_]\w*", _bare(text))}


def _bare(text: str) -> str:
    """Without quoted constants and quoted names."""
    return re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", " ", text)


def strange(text: str) -> list[str]:
    """Words and signs of the engine's text that are none of ours."""
    bare = _bare(text)
    words = [word for word in re.findall(r"[^\W\d]\w*", bare) if word.lower() not in vocabulary() and not ALIASES.fullmatch(word)]
    return words + re.findall(r"--|/\*|;|['\"\\$?@#{}`\x00]", bare)


@cache
def held(by_user: bool) -> DuckDB:
    chooser = SeededChooser(5)
    return engine(BY_USER if by_user else BY_ROW, [row(chooser) for _ in range(12)])


def outcome(text: str, policy: Policy, run: bool = True) -> list[str] | None:
    """What we write for a question, checked; None where it is refused. Anything else that is raised fails the test."""
    told: list[str] = []
    try:
        question = typed(read(text, policy), policy, text)
        made = offer(question, policy, epsilon=1)
        scans = compiled(made.typed, made.bounding, policy, "salt")
    except (Refused, BadArgument) as error:
        told.append(str(error))
    if told:
        assert len(told[0]) < 3000
        return None
    texts = [scan.text for scan in scans]
    assert [found for one in texts for found in strange(one)] == []
    if run:
        for one in texts:
            held(policy is BY_USER).run(one)
    return texts


@pytest.mark.parametrize("policy", [BY_USER, BY_ROW], ids=["users", "rows"])
def test_hand_made_texts(policy: Policy, caplog: pytest.LogCaptureFixture) -> None:
    """More than three hundred texts: most are refused, the rest is harmless, no canary leaves its quotes, no log has them."""
    assert len(set(HOSTILE)) >= 300
    refused = 0
    for text in HOSTILE:
        found = outcome(text, policy)
        refused += found is None
        assert found is None or "canary" not in _bare(" ".join(found)).lower(), text
    assert refused > 0.85 * len(HOSTILE)
    assert not caplog.records


def fuzzed(seeds: range) -> tuple[int, int]:
    """How many drawn texts are answered, and how many refused."""
    found = [outcome(drawn(seed), BY_USER if seed % 2 else BY_ROW, run=seed % 4 < 2) for seed in seeds]
    answered = sum(one is not None for one in found)
    return answered, len(found) - answered


def test_drawn_texts() -> None:
    """Texts by the grammar, and broken ones: all are answered or refused, and many are either."""
    answered, refused = fuzzed(range(300))
    assert answered > 40 and refused > 40


@pytest.mark.slow
def test_many_drawn_texts() -> None:
    """The same with thousands."""
    answered, refused = fuzzed(range(300, 5800))
    assert answered > 700 and refused > 700


PLANTED: dict[str, tuple[str, Callable[[str], str]]] = {
    "a name is not quoted": (
        'SELECT SUM(clip("x"" FROM canary --", 0, 9)) FROM (SELECT age AS "x"" FROM canary --" FROM visits) AS t',
        lambda name: '"' + name + '"',
    ),
    "a name is left as it is": (
        'SELECT SUM(clip("canary, secret", 0, 9)) FROM (SELECT age AS "canary, secret" FROM visits) AS t',
        lambda name: name,
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_escapes_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that forgets the quotes lets words through, and the look at the words sees them."""
    text, quoted = PLANTED[name]
    assert outcome(text, BY_ROW) is not None
    monkeypatch.setattr(relations, "quoted", quoted)
    with pytest.raises(AssertionError):
        outcome(text, BY_ROW, run=False)


def test_functions_that_are_not_listed_are_seen() -> None:
    """The words tell a function of the engine from ours."""
    assert strange("SELECT getenv('HOME')") == ["getenv"] and strange("SELECT 1; DROP TABLE visits")
    assert not strange('SELECT count(*) AS m0 FROM (SELECT * FROM "visits" WHERE "getenv" = \'getenv\')')
