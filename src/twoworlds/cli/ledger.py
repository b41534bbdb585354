"""`twoworlds ledger`: create a budget, see what is left of it, read and verify its history."""

from __future__ import annotations

import json
import sys

import click

__all__ = ["command"]


@click.group()
def command() -> None:
    """A durable budget in one file: charges are on disk before any noise is drawn, and history cannot be edited unnoticed."""


@command.command()
@click.argument("path", type=click.Path(dir_okay=False))
@click.argument("population")
@click.option("--rho", help="Cap under approximate zCDP, the default notion.")
@click.option("--delta", default="0", show_default=True, help="Cap on the summed failure probability, with --rho.")
@click.option("--epsilon", help="Cap under pure privacy, instead of --rho.")
def create(path: str, population: str, rho: str | None, delta: str, epsilon: str | None) -> None:
    """Fix the budget of POPULATION in the ledger at PATH, once and for all."""
    from twoworlds.ledger.book import Ledger
    from twoworlds.losses.filters import ConcentratedFilter, Filter, PureFilter
    from twoworlds.worlds.errors import BadArgument

    if (rho is None) == (epsilon is None):
        raise BadArgument(
            "--rho/--epsilon", (rho, epsilon), "is not exactly one cap", "Give --rho, or --epsilon for pure privacy"
        )
    budget: Filter = PureFilter(epsilon) if epsilon is not None else ConcentratedFilter(rho, delta)
    Ledger(path).create(population, budget)
    click.echo(f"{population}: {budget.guarantee()}; filter: {budget.name} ({budget.theorem})")


@command.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(path: str, as_json: bool) -> None:
    """What each population may still spend."""
    from twoworlds.ledger.book import Ledger

    book = Ledger(path)
    rows = {}
    for population in book.populations():
        budget, state = book.budget(population)
        rows[population] = {
            "guarantee": str(budget.guarantee()),
            "remaining": {currency: str(amount) for currency, amount in budget.remaining(state).items()},
            "largest": budget.largest(state),
            "charges": state.count,
        }
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        for population, row in rows.items():
            click.echo(f"{population}: {row['charges']} charges of {row['guarantee']}; can still pay {row['largest']}")


@command.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
def log(path: str) -> None:
    """Every entry, oldest first."""
    from twoworlds.ledger.book import Ledger

    for entry in Ledger(path).history():
        content = json.loads(entry.content)
        what = content.get("charge") or content.get("filter") or {"answers": content.get("reservation")}
        about = f"{entry.kind:8}  {entry.population or '-'}  {json.dumps(what)}"
        click.echo(f"{entry.seq:>6}  {content['at']}  {about}  {entry.hash[:12]}")


@command.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--head", help="A hash that you kept: the ledger must still hold an entry with it.")
def verify(path: str, head: str | None) -> None:
    """Walk the chain of hashes; exit code 1 if history was changed or an older copy was put back."""
    from twoworlds.ledger.book import Ledger, Tampered

    book = Ledger(path)
    try:
        verified = book.verify()
    except Tampered as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    if head is not None and not any(entry.hash == head for entry in book.history()):
        click.echo(f"{path} verifies, but holds no entry {head}: an older copy was put back", err=True)
        sys.exit(1)
    click.echo(f"{verified.entries} entries follow from one another; head {verified.head}")
