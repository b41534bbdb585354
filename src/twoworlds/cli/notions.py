"""`twoworlds notions`: the survey's 49 variants of differential privacy, and what represents each one here."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from twoworlds.losses.notions import Notion

__all__ = ["command"]


@click.command()
@click.option("--family", metavar="F", help="Only the variants that change this: loss, neighbours, variation, knowledge, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(family: str | None, as_json: bool) -> None:
    """List the variants of differential privacy by symbol and name: what represents each, or why it is not offered."""
    chosen = _of(family)
    if as_json:
        click.echo(json.dumps([asdict(notion) for notion in chosen], indent=2))
        return
    widths = [max(len(text) for text in column) for column in zip(*((one.symbol, one.name) for one in chosen), strict=True)]
    for one in chosen:
        says = one.represented_by.removeprefix("twoworlds.") if one.is_offered else f"not offered: {one.why_not}"
        click.echo(f"{one.symbol:{widths[0]}}  {one.name:{widths[1]}}  {says}")
    offered = sum(one.is_offered for one in chosen)
    click.echo(f"{offered} of {len(chosen)} are represented", err=True)


def _of(family: str | None) -> list[Notion]:
    """All variants, or those that change this dimension, alone or with others."""
    from twoworlds.losses.notions import notions
    from twoworlds.worlds.errors import BadArgument

    found = [one for one in notions() if family is None or family.strip().lower() in _dimensions(one)]
    if not found:
        known = sorted({dimension for one in notions() for dimension in _dimensions(one)})
        raise BadArgument("--family", family, "is no family of the survey", f"Use one of: {', '.join(known)}")
    return found


def _dimensions(one: Notion) -> list[str]:
    return one.family.replace(" and ", ", ").split(", ")
