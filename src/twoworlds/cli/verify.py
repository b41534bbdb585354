"""`twoworlds verify`: walk the ledger's chain, add up every charge again, and check the signed head."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
def command(policy: str) -> None:
    """Verify the ledger of the policy; exit code 1 if history was changed or an older copy was put back."""
    from twoworlds.ledger import standalone
    from twoworlds.ledger.book import Tampered
    from twoworlds.queries.session import session

    ledger = session(policy).ledger
    try:
        verified = ledger.verify()
        told = standalone.check_ledger(Path(ledger.path))
    except (Tampered, standalone.Refuted) as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    click.echo(f"{verified.entries} entries follow from one another; head {verified.head}")
    click.echo("\n".join(told))
