"""`twoworlds ask "SELECT ..."`: one question, priced, charged, answered."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command()
@click.argument("question")
@click.option("--epsilon", help="The price that you are willing to pay.")
@click.option("--dry-run", is_flag=True, help="Price and expected error; reads no row, spends nothing.")
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--as", "analyst", metavar="NAME", help="Who asks, where the policy has analysts.")
@click.option("--idempotency-key", "key", help="A retry with the same key gives the same answer for one charge.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    question: str, epsilon: str | None, dry_run: bool, policy: str, analyst: str | None, key: str | None, as_json: bool
) -> None:
    """Ask QUESTION of the private tables that privacy.toml declares, for a price."""
    from twoworlds.queries.questions import Question
    from twoworlds.queries.reading import read
    from twoworlds.queries.session import session
    from twoworlds.worlds.errors import BadArgument

    opened = session(policy, analyst=analyst)
    asked = Question(opened, read(question, opened.policy), question)
    asked.typed  # noqa: B018  refusals come first
    if epsilon is None:
        raise BadArgument("--epsilon", epsilon, "is missing", "Give a price, such as --epsilon 1")
    if dry_run:
        offered = asked.offer(epsilon=epsilon)
        click.echo("\n".join([*offered.typed.derivation.lines(), *offered.notes, f"price {offered.price}"]))
        return
    answer = asked.release(epsilon=epsilon, idempotency=key)
    if as_json:
        click.echo(json.dumps({"rows": answer.rows, "receipt": answer.receipt}, default=str))
        return
    for row in answer.cells:
        click.echo("  ".join(f"{name}: {cell.value}" for name, cell in row.items()))
    click.echo(f"receipt {answer.receipt}", err=True)
