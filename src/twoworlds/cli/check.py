"""`twoworlds check`: everything that is wrong with a policy, and everything that is probably not meant."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command()
@click.argument("policy", default="privacy.toml", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--strict", is_flag=True, help="Doubts count as faults, for use in CI.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of the format instead, for editors.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(policy: Path, strict: bool, schema: bool, as_json: bool) -> None:
    """Look over POLICY (privacy.toml): faults, with which it cannot be used, and doubts, with which it can. No data are read.

    Exit code 0 without faults, 1 with them (or, with --strict, with doubts).
    """
    from twoworlds.queries.declared import BadPolicy, parse, text_of
    from twoworlds.queries.linting import linted
    from twoworlds.queries.schema import published

    if schema:
        click.echo(json.dumps(published(), indent=2))
        return
    text = text_of(policy)
    try:
        faults, doubts = [], linted(parse(text, policy), text)
    except BadPolicy as error:
        faults, doubts = list(error.complaints), []
    if as_json:
        click.echo(json.dumps({"faults": _plain(faults), "doubts": _plain(doubts)}, indent=2))
    else:
        for kind, found in (("fault", faults), ("doubt", doubts)):
            for one in found:
                click.echo(f"{kind}: {one}")
        click.echo(f"{policy}: {_many(len(faults), 'fault')}, {_many(len(doubts), 'doubt')}", err=True)
    if faults or (strict and doubts):
        sys.exit(1)


def _plain(found: list[Any]) -> list[dict[str, Any]]:
    return [{"line": one.line, "key": one.key, "what": one.what, "fix": one.fix} for one in found]


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
