"""`twoworlds count`: one private count through the ledger."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("database", type=click.Path(exists=True, dir_okay=False))
@click.argument("table")
@click.option("--epsilon", required=True, help="The price, under adding or removing one row.")
@click.option("--ledger", "path", required=True, type=click.Path(exists=True, dir_okay=False), help="The ledger that pays.")
@click.option("--population", required=True, help="The people whom the table is about, as named in the ledger.")
def command(database: str, table: str, epsilon: str, path: str, population: str) -> None:
    """Count the rows of TABLE in the DuckDB file DATABASE, with geometric noise; charged before the table is read."""
    from twoworlds.ledger.book import Ledger
    from twoworlds.queries.counts import count, interval

    released = count(database, table, epsilon=epsilon, ledger=Ledger(path), population=population)
    click.echo(f"{released.value} +/- {interval(epsilon)} (95 %)  receipt {released.receipt}")
