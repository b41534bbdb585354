"""`twoworlds receipt`: one answer's receipt, in a file that proves itself."""

from __future__ import annotations

import json
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("entry", metavar="HASH")
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--ledger", type=click.Path(exists=True, dir_okay=False), help="A ledger, instead of the policy's.")
@click.option("--without-answer", is_flag=True, help="Prove the charge, and tell nobody what was found.")
@click.option("--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Add the way from a kept head.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it into this file.")
def command(entry: str, policy: str, ledger: str | None, without_answer: bool, against: Path | None, out: Path | None) -> None:
    """The receipt of the answer whose HASH (or its beginning) `ask` or `log` has shown.

    Check it with `twoworlds verify FILE`, or anywhere with `python standalone.py FILE`, which needs no twoworlds.
    """
    from twoworlds.cli.ledger import kept
    from twoworlds.ledger.book import Ledger
    from twoworlds.queries.session import session

    book = Ledger(ledger) if ledger is not None else session(policy).ledger
    text = json.dumps(book.receipt(entry, with_answer=not without_answer, against=kept(against)), indent=1)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        click.echo(f"Wrote {out}. Check it with: twoworlds verify {out} --key {book.head()['key']}", err=True)
