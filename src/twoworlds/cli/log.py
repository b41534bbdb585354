"""`twoworlds log`: every entry of the ledger, oldest first."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command()
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
def command(policy: str) -> None:
    """Every charge and every answer, with receipts."""
    from twoworlds.queries.session import session

    for entry in session(policy).ledger.history():
        content = json.loads(entry.content)
        what = content.get("charge") or content.get("filter") or {"answers": content.get("reservation")}
        about = f"{entry.kind:8}  {entry.population or '-'}  {json.dumps(what)}"
        click.echo(f"{entry.seq:>6}  {content['at']}  {about}  {entry.hash[:12]}")
