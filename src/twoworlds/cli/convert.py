"""`twoworlds convert DATA.csv OUT.parquet`: a CSV file whose cells hold line breaks, as a file with one row for each record."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
def command(data: Path, out: Path) -> None:
    """Write the CSV file DATA as the Parquet file OUT, one row for each record.

    For files with line breaks inside of cells: a table that is asked reads CSV line by line, so that no stray quote takes in the
    rows of others. Here all quotes have to be in place, and a file where they are not is refused. For whoever has the data: what
    is wrong with them is shown.
    """
    from twoworlds.queries.converting import converted

    count = converted(data, out)
    click.echo(f"Wrote {out}: {count:,} rows, every column a text until the policy says what it is.", err=True)
