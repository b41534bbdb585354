"""The last part of the demo: a table is asked, with the commands that a person would type, in a folder of its own."""

from __future__ import annotations

import os
import shlex
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from twoworlds.cli import visits

__all__ = ["FILLED", "QUESTION", "told"]

QUESTION = "SELECT city, COUNT(*) AS visits, AVG(age) AS age, MEDIAN(income) AS income FROM visits GROUP BY city"
COUNTS = "SELECT city, COUNT(*) AS visits FROM visits GROUP BY city"
FILLED = {
    'epsilon = "?"': "epsilon = 4",
    'rows = "?"': "rows = 12",
    'groups = "?"': "groups = 2",
    'city = {type = "text"}': f'city = {{type = "text", nullable = false, values = {list(visits.CITIES)}}}'.replace("'", '"'),
    'age = {type = "integer", bounds = ["?", "?"]}': 'age = {type = "integer", bounds = [0, 120], nullable = false}',
    'income = {type = "real", bounds = ["?", "?"]}': 'income = {type = "real", bounds = [0, 100_000]}',
}
"""What a curator knows of these people, and `init` does not look up."""


def told() -> None:
    """From a file to a verified ledger."""
    with _in_a_folder_of_its_own():
        _typed("demo", "--table", "visits.parquet")
        _say("Whom does it protect, and how? `init` reads the names and types of the columns, never a value:")
        _typed("init", "visits.parquet", "--unit", "user_id")
        _fill(Path("privacy.toml"))
        _say("What would it cost, and how near would the answer be? A dry run reads no row and spends nothing:")
        _typed("ask", QUESTION, "--dry-run", "--epsilon", "1")
        _say("Charged on disk first, then computed, then made noisy:")
        _typed("ask", QUESTION, "--epsilon", "1")
        _say("Or say how near the answer has to be: the cheapest price is found, shown and spent.")
        _typed("ask", COUNTS, "--error", "150@95")
        _say("The same question again is answered from the ledger, for nothing. What is too dear is refused, with what is not:")
        _typed("ask", COUNTS, "--error", "150@95")
        _typed("ask", QUESTION, "--epsilon", "4")
        for verb in ("budget", "log", "verify"):
            _typed(verb)


@contextmanager
def _in_a_folder_of_its_own() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="twoworlds-demo-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _typed(*words: str) -> None:
    """Show a command, and run it as the program would."""
    from twoworlds.cli.main import run
    from twoworlds.worlds.errors import Exhausted

    click.secho(f"$ twoworlds {shlex.join(words)}", bold=True)
    try:
        run(words)
    except Exhausted as refused:
        click.echo(textwrap.fill(f"refused: {refused}", 100))
    click.echo()


def _fill(policy: Path) -> None:
    """Fill in the constants, and show the lines that changed."""
    text = policy.read_text(encoding="utf-8")
    for asked, known in FILLED.items():
        assert asked in text, f"{asked} is not in the policy of the demo"
        text = text.replace(asked, known, 1)
    policy.write_text(text, encoding="utf-8")
    _say('What is "?" in privacy.toml only a person can know. Filled in:')
    click.echo(textwrap.indent("\n".join(FILLED.values()), "    ") + "\n")


def _say(text: str) -> None:
    click.echo(textwrap.fill(text, 100) + "\n")
