"""`twoworlds budget`: what each population may still spend."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command()
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(policy: str, as_json: bool) -> None:
    """What is left of every budget of the policy."""
    from twoworlds.queries.session import session

    ledger = session(policy).ledger
    rows = {}
    for population in ledger.populations():
        account = ledger.account(population)
        rows[population] = {
            "guarantee": str(account.guarantee()),
            "remaining": {currency: str(amount) for currency, amount in account.left().items()},
            "largest": account.largest(),
            "charges": account.spent.count,
        }
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for population, row in rows.items():
        click.echo(f"{population}: {row['charges']} charges of {row['guarantee']}; can still pay {row['largest']}")
