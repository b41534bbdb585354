"""`twoworlds tabulate CARD`: the exact output law in two worlds and what follows from it."""

from __future__ import annotations

import json
from typing import Any

import click

from twoworlds.cli.inputs import pairs, world

__all__ = ["command", "rows_of"]


@click.command()
@click.argument("name", metavar="CARD")
@click.option("--world", "one", help="The first world, such as 0,0,0,1. Default: the card's worst case.")
@click.option("--other", help="The second world, such as 1,1,1,0.")
@click.option("--at", multiple=True, metavar="NAME=VALUE", help="A public parameter, such as epsilon=1. Repeat it.")
@click.option("--grid", default="1", show_default=True, help="The step of the grid that private numbers live on.")
@click.option("--epsilon", "levels", multiple=True, help="Also give delta at this epsilon. Repeat it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    name: str, one: str | None, other: str | None, at: tuple[str, ...], grid: str, levels: tuple[str, ...], as_json: bool
) -> None:
    """Tabulate CARD exactly in two neighbouring worlds: no runs, no luck, every number with proved bounds."""
    from twoworlds.exact.tabulate import tabulate
    from twoworlds.mechanisms.catalogue import card as find
    from twoworlds.worlds.errors import BadArgument

    card = find(name)
    if (one is None) != (other is None):
        raise BadArgument("--world/--other", (one, other), "come together", "Give both worlds or neither")
    if one is None or other is None:
        first, second, values = card.worst[0].world, card.worst[0].other, {**card.worst[0].at, **pairs(at, "--at")}
    else:
        first, second, values = world(one, "--world"), world(other, "--other"), pairs(at, "--at")
    table = tabulate(card, first, second, grid=grid, **values)
    deltas = {level: table.delta(level) for level in levels or ("0", "0.5", "1")}
    if as_json:
        click.echo(json.dumps(_record(card.name, table, deltas), indent=2))
        return
    click.echo(f"{card.name} at {', '.join(f'{key}={value}' for key, value in values.items())}")
    click.echo(f"  world  {first}\n  other  {second}\n")
    for line in rows_of(table):
        click.echo(line)
    click.echo(f"\nepsilon          {table.epsilon}   attained by the output {table.witness.output}")
    for level, delta in deltas.items():
        click.echo(f"delta({level:>4})      {delta}   P[loss >= {level}] {table.tail(level)}")
    click.echo(f"total variation  {table.total_variation}")
    click.echo(f"Renyi, order 2   {table.renyi(2)}")


def rows_of(table: Any, most: int = 12) -> list[str]:
    """The output law of both worlds as lines of text, the most likely outputs of a long one."""
    shown = sorted(table.shares, key=lambda share: -max(share[1].upper, share[2].upper))[:most]
    wide = max(8, *(len(str(output)) for output, _, _ in shown))
    lines = [f"{'output':>{wide}}  {'world':>12}  {'other':>12}"]
    lines += [f"{output!s:>{wide}}  {one.upper:12.6g}  {other.upper:12.6g}" for output, one, other in shown]
    if len(table.rows) > most:
        lines.append(
            f"{'...':>{wide}}  and {len(table.rows) - most} more {'rows' if table.count > len(table.rows) else 'outputs'}"
        )
    return lines


def _record(name: str, table: Any, deltas: Any) -> dict[str, Any]:
    def span(interval: Any) -> list[float]:
        return [interval.lower, interval.upper]

    return {
        "card": name,
        "epsilon": span(table.epsilon),
        "witness": str(table.witness.output),
        "delta": {level: span(delta) for level, delta in deltas.items()},
        "total_variation": span(table.total_variation),
        "law": {str(output): [span(one), span(other)] for output, one, other in table.shares},
    }
