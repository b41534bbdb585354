"""`twoworlds ask "SELECT ..."`: one question, priced, charged, answered."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

import click

__all__ = ["command"]


@click.command()
@click.argument("question")
@click.option("--epsilon", help="The price that you are willing to pay.")
@click.option(
    "--error", "errors", multiple=True, metavar="[NAME=]50@95", help="Instead of a price: the error to stay within. Repeat it."
)
@click.option("--bias", is_flag=True, help="Tell how many rows the bound on each user's leaves out, for a slice of the price.")
@click.option("--suggest-bounds", is_flag=True, help="Choose that bound for the least error, for a slice of the price.")
@click.option("--slice", "part", default="0.1", show_default=True, metavar="SHARE", help="That slice.")
@click.option("--rows", type=click.IntRange(1), help="The most rows that a user counts for, instead of the policy's.")
@click.option("--dry-run", is_flag=True, help="Price, derivation and expected error; reads no row, spends nothing.")
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--as", "analyst", metavar="NAME", help="Who asks, where the policy has analysts.")
@click.option("--again", is_flag=True, help="New noise, and a new charge, for a question that was answered before.")
@click.option("--idempotency-key", "key", help="A retry with the same key gives the same answer for one charge.")
@click.option("--confidence", default=95.0, show_default=True, metavar="PERCENT", help="How sure the intervals are.")
@click.option("--simultaneous", is_flag=True, help="All intervals hold together, not each for itself.")
@click.option("--sampling", is_flag=True, help="Intervals for the population that the rows are a sample of.")
@click.option("--nonnegative", is_flag=True, help="Cut off below 0 what cannot be there.")
@click.option("--totals", is_flag=True, help="Counts whole, not below 0, and with their total.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the answer to this .csv, .parquet, .arrow or .json file.")
@click.option("--svg", type=click.Path(dir_okay=False), help="Draw the first column of numbers into this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--ascii", "plain", is_flag=True, help="Print ASCII characters only.")
def command(
    question: str,
    epsilon: str | None,
    errors: tuple[str, ...],
    bias: bool,
    suggest_bounds: bool,
    part: str,
    rows: int | None,
    dry_run: bool,
    policy: str,
    analyst: str | None,
    again: bool,
    key: str | None,
    out: str | None,
    svg: str | None,
    as_json: bool,
    plain: bool,
    **style: Any,
) -> None:
    """Ask QUESTION of the private tables that privacy.toml declares.

    Say what you pay (--epsilon 1), or how near the answer has to be (--error 50@95): then the cheapest price is found, shown and
    spent. The same question on the same data is answered from the ledger, for nothing.
    """
    from twoworlds.losses.filters import shown
    from twoworlds.queries.questions import Question
    from twoworlds.queries.reading import read
    from twoworlds.queries.session import session
    from twoworlds.queries.styles import Style

    look = Style(**{**style, "confidence": style["confidence"] / 100})
    opened = session(policy, analyst=analyst)
    asked = Question(opened, read(question, opened.policy), question, rows)
    price: dict[str, Any] = {"epsilon": epsilon, "error": errors or None}
    if dry_run or errors:
        explained = asked.explain(**price)
        if dry_run:
            click.echo(json.dumps(explained.record(), indent=2) if as_json else _plain(str(explained), plain))
            return
        click.echo(explained.found, err=True)
        price = price if bias or suggest_bounds else {"epsilon": explained.epsilon}
    _check_files(out, svg, opened.policy)
    found = asked.release(**price, bias=bias, suggest_bounds=suggest_bounds, slice=part, idempotency=key, again=again)
    answer = found.shown(**vars(look))
    _print(answer, as_json, plain)
    if out is not None:
        answer.write(out)
    if svg is not None:
        _draw(answer, svg)
    if not as_json and (left := asked.left()) is not None:
        click.echo(f"left: {shown({name: amount for name, amount in left.items() if amount}, up=False) or 'nothing'}", err=True)


def _print(answer: Any, as_json: bool, plain: bool) -> None:
    """The table to standard output; what is to be known about it to standard error."""
    from twoworlds.queries.display import about, table
    from twoworlds.queries.export import record

    if as_json:
        click.echo(json.dumps(record(answer), indent=2))
        return
    width = shutil.get_terminal_size((100, 24)).columns
    click.echo(_plain("\n".join(table(answer, width)), plain))
    click.echo(_plain("\n".join(about(answer)), plain), err=True)


def _plain(text: str, plain: bool) -> str:
    """In ASCII where that is asked for, or where the terminal has nothing else."""
    from twoworlds.queries.display import in_ascii

    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        plain = True
    return in_ascii(text) if plain else text


def _check_files(out: str | None, svg: str | None, policy: Any) -> None:
    """A file that cannot be written, or that must not be replaced, is told before anything is charged."""
    from pathlib import Path

    from twoworlds.queries.export import ENDINGS
    from twoworlds.worlds.errors import BadArgument

    if out is not None and Path(out).suffix.lower() not in ENDINGS:
        raise BadArgument("--out", out, "has an ending that is not known", f"Give one of {', '.join(ENDINGS)}")
    tables = (*policy.tables.values(), *policy.public.values())
    kept = {Path(one).resolve() for one in (policy.ledger, policy.path, *(table.source for table in tables)) if one is not None}
    for option, given in (("--out", out), ("--svg", svg)):
        if given is None:
            continue
        if not Path(given).resolve().parent.is_dir():
            raise BadArgument(option, given, "is in a folder that does not exist", "Create the folder first")
        if Path(given).is_dir() or Path(given).resolve() in kept:
            raise BadArgument(option, given, "is a folder, or a file of the policy that would be lost", "Give a file of its own")


def _draw(answer: Any, path: str) -> None:
    from pathlib import Path

    from twoworlds.figures import svg
    from twoworlds.worlds.errors import TwoWorldsError

    try:
        Path(path).write_text(svg(answer.chart()), encoding="utf-8")
    except OSError as error:
        fix = "Give a path that can be written; the same question gives this answer again for free"
        raise TwoWorldsError(f"{path} cannot be written: {error.strerror}", fix) from None
