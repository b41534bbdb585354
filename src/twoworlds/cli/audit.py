"""`twoworlds audit CARD`: attack a card in two worlds and hold the result against its claim."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict

import click

from twoworlds.cli.inputs import pairs, world

__all__ = ["command"]


@click.command()
@click.argument("name", metavar="CARD")
@click.option("--world", "one", help="The first world, such as 0,0,0,1. Default: the card's worst case.")
@click.option("--other", help="The second world, such as 1,1,1,0.")
@click.option("--at", multiple=True, metavar="NAME=VALUE", help="A public parameter, such as epsilon=1. Repeat it.")
@click.option("--trials", default=20_000, show_default=True, help="Runs in each world.")
@click.option("--confidence", default=0.999, show_default=True, help="How sure the lower bound is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    name: str, one: str | None, other: str | None, at: tuple[str, ...], trials: int, confidence: float, as_json: bool
) -> None:
    """Run CARD in two neighbouring worlds, learn to tell them apart, and confirm on fresh runs.

    A pass proves nothing; a contradiction refutes the claim at the stated confidence. Exit code 1 if it does.
    """
    from twoworlds.audits.audit import attack
    from twoworlds.mechanisms.catalogue import card as find
    from twoworlds.sampling.run import repeat
    from twoworlds.worlds.errors import BadArgument
    from twoworlds.worlds.rationals import printed_above, printed_below

    card = find(name)
    if (one is None) != (other is None):
        raise BadArgument("--world/--other", (one, other), "come together", "Give both worlds or neither")
    if one is None or other is None:
        case = card.worst[0]
        first, second, values = case.world, case.other, {**case.at, **pairs(at, "--at")}
    else:
        first, second, values = world(one, "--world"), world(other, "--other"), pairs(at, "--at")
    bound = card.bind(**{card.neighbours.parameter: first}, **values)
    card.neighbours.check(first, second, bound)
    claimed = float(card.price.loss(bound).epsilon(0).upper)
    secret = card.neighbours.parameter
    evidence = attack(
        lambda runs: repeat(card, runs, **{secret: first}, **values),
        lambda runs: repeat(card, runs, **{secret: second}, **values),
        trials=trials,
        confidence=confidence,
    )
    verdict = evidence.verdict(claimed)
    if as_json:
        click.echo(json.dumps({"card": card.name, "claimed": claimed, "verdict": verdict, **asdict(evidence)}))
    else:
        click.echo(
            f"{card.name} claims epsilon {printed_above(claimed, 4)}; observed {printed_below(evidence.epsilon_lower, 4)} or more"
            f" ({confidence:.1%} sure)"
        )
        click.echo(f"event    {evidence.event}")
        click.echo(f"ceiling  {evidence.ceiling:.4g}, the most that {trials:,} runs in each world could show")
        click.echo(f"verdict  {verdict}")
    if math.isfinite(claimed) and evidence.epsilon_lower > claimed:
        sys.exit(1)
