"""`twoworlds budget`: what each population may still spend."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with exact numbers.")
def command(policy: str, as_json: bool) -> None:
    """What is left of every budget of the policy, and of what is set aside for each analyst."""
    from twoworlds.cli.ledger import standing
    from twoworlds.queries.session import session

    standing(session(policy).ledger, as_json=as_json)
