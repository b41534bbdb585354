"""`twoworlds audit CARD`: attack a card in two worlds and hold the result against its claim."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from fractions import Fraction

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
@click.option("--delta", type=float, help="Hold the claim at this delta. Default: the delta that the card promises, else 0.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    name: str,
    one: str | None,
    other: str | None,
    at: tuple[str, ...],
    trials: int,
    confidence: float,
    delta: float | None,
    as_json: bool,
) -> None:
    """Run CARD in two neighbouring worlds, learn to tell them apart, and confirm on fresh runs.

    A pass proves nothing; a contradiction refutes the claim at the stated confidence. Exit code 1 if it does. Noise that is
    private at no finite epsilon, such as Gaussian noise, needs a --delta.
    """
    from twoworlds.audits.audit import attack
    from twoworlds.mechanisms.catalogue import card as find
    from twoworlds.sampling.run import repeat
    from twoworlds.worlds.errors import BadArgument
    from twoworlds.worlds.rationals import float_above, printed_above, printed_below

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
    if delta is None:
        delta = float_above(card.price.at(bound).get("delta", Fraction(0)))
    elif not 0 <= delta < 1:
        raise BadArgument("--delta", delta, "is not from 0 to below 1", "Give for example 1e-6")
    claimed = float(card.price.loss(bound).epsilon(delta).upper)
    secret = card.neighbours.parameter
    evidence = attack(
        lambda runs: repeat(card, runs, **{secret: first}, **values),
        lambda runs: repeat(card, runs, **{secret: second}, **values),
        trials=trials,
        delta=delta,
        confidence=confidence,
    )
    verdict = evidence.verdict(claimed) if math.isfinite(claimed) else "nothing is claimed here; give --delta, such as 1e-6"
    if as_json:
        click.echo(json.dumps({"card": card.name, "claimed": claimed, "verdict": verdict, **asdict(evidence)}))
    else:
        held = f" at delta = {printed_above(delta, 4)}" if delta else ""
        click.echo(
            f"{card.name} claims epsilon {printed_above(claimed, 4)}{held}; observed"
            f" {printed_below(evidence.epsilon_lower, 4)} or more ({confidence:.1%} sure)"
        )
        click.echo(f"event    {evidence.event}")
        click.echo(f"ceiling  {evidence.ceiling:.4g}, the most that {trials:,} runs in each world could show")
        click.echo(f"verdict  {verdict}")
    if math.isfinite(claimed) and evidence.epsilon_lower > claimed:
        sys.exit(1)
