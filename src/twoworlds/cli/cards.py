"""`twoworlds cards`: the mechanisms, or one of them whole."""

from __future__ import annotations

import json

import click

from twoworlds.worlds.cards import Card

__all__ = ["command"]


@click.command()
@click.argument("name", metavar="[CARD]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the mechanisms with price and status, or show one with its source, accuracy theorem and citation."""
    from twoworlds.mechanisms.catalogue import card as find
    from twoworlds.mechanisms.catalogue import cards

    chosen = [find(name)] if name else list(cards().values())
    rows = [_row(card) for card in chosen]
    if as_json:
        click.echo(json.dumps(rows[0] if name else rows, indent=2))
    elif name:
        _show(chosen[0], rows[0])
    else:
        wide = max(len(row["name"]) for row in rows)
        for row in rows:
            click.echo(f"{row['name']:{wide}}  {row['status']:17}  {row['price']}")


def _row(card: Card) -> dict[str, str]:
    from twoworlds.proofs.statuses import status

    return {
        "name": card.name,
        "about": card.about,
        "neighbours": str(card.neighbours),
        "price": str(card.price),
        "status": status(card),
        "accuracy": f"within {card.accuracy.alpha} with probability 1 - beta" if card.accuracy else "",
        "citation": card.cite,
        "digest": card.digest,
    }


def _show(card: Card, row: dict[str, str]) -> None:
    click.echo(card.text)
    for label in ("neighbours", "price", "status", "accuracy", "citation", "digest"):
        if row[label]:
            click.echo(f"{label:11} {row[label]}")
