"""`twoworlds log`: every entry of the ledger, oldest first."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
def command(policy: str) -> None:
    """Every charge and every answer; the last word of a line begins its hash, for `twoworlds receipt`."""
    from twoworlds.cli.ledger import entry_line
    from twoworlds.queries.session import session

    for entry in session(policy).ledger.history():
        click.echo(entry_line(entry))
