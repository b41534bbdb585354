"""`twoworlds init DATA`: the first policy of a table, from its columns alone."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--unit", metavar="COLUMN", help='Whom to protect: the column that says who a row is about, or "row".')
@click.option("--table", help="Which table of a DuckDB file; else what to call this one.")
@click.option("--population", help="The people whom the table is about; tables of the same people share a budget.")
@click.option("--epsilon", help="The budget of all answers together.")
@click.option("--rows", type=click.IntRange(1), help="The most rows that one user counts for in an answer.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=SAYING",
    help="Such as age=0..120, age=0..120,known (never missing) or city=Lyon,Paris. Repeat it.",
)
@click.option("--header", is_flag=True, help="The first line of a CSV file holds names, even if they look like values.")
@click.option("--out", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False, path_type=Path))
def command(
    data: Path,
    unit: str | None,
    table: str | None,
    population: str | None,
    epsilon: str | None,
    rows: int | None,
    columns: tuple[str, ...],
    header: bool,
    out: Path,
) -> None:
    """Write privacy.toml for the table in DATA (CSV, Parquet or DuckDB), with the constants that you have to fill in.

    Reads the names and types of the columns, and never a value. The first line of a CSV file has to be their names, which are
    public: they stand in the policy.
    """
    from twoworlds.queries.founding import founded, saying
    from twoworlds.queries.sources import columns_of
    from twoworlds.worlds.errors import BadArgument

    if out.exists():
        raise BadArgument("--out", str(out), "exists already", "Edit it, or write another file with --out")
    if unit is None:
        names = ", ".join(name for name, _ in columns_of(data, table, header=header))
        fix = f"Give --unit with the column that says who a row is about (there are {names}), or --unit row"
        raise BadArgument("--unit", unit, "does not say whom to protect", fix)
    text = founded(
        data,
        unit=None if unit == "row" else unit,
        table=table,
        population=population,
        rows=rows,
        epsilon=epsilon,
        said=dict(saying(one) for one in columns),
        policy=out,
        header=header,
    )
    out.write_text(text, encoding="utf-8")
    left = [number for number, line in enumerate(text.splitlines(), 1) if '"?"' in line and not line.startswith("#")]
    click.echo(f"Wrote {out}.", err=True)
    if left:
        click.echo(
            f'Fill in what is "?" (line {", ".join(map(str, left))}), then look at it with: twoworlds check {out}', err=True
        )
