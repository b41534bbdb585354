"""`twoworlds account "..."`: what releases cost, certified, beside every older method."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command()
@click.argument("text", required=False)
@click.option("--delta", help="Give epsilon at this delta.")
@click.option("--epsilon", help="Give delta at this epsilon; with --calibrate, the epsilon to reach.")
@click.option("--records", type=int, help="How many records there are, to judge delta by.")
@click.option("--calibrate", metavar="NAME", help="Solve for this parameter, or write ? in the text, at --epsilon and --delta.")
@click.option("--points", metavar="'A,B A,B ...'", help="Instead of a text: points of a trade-off curve, type I and II errors.")
@click.option("--svg", type=click.Path(dir_okay=False, writable=True), help="Draw the trade-off curve into this file.")
@click.option("--ascii", "plain", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    text: str | None,
    delta: str | None,
    epsilon: str | None,
    records: int | None,
    calibrate: str | None,
    points: str | None,
    svg: str | None,
    plain: bool,
    as_json: bool,
) -> None:
    """What TEXT costs, such as "gaussian(sigma=1) sampled at 0.01, 10000 times".

    Prints a certified interval, the trade-off curve, what it means for Bob in odds, a verdict on the numbers, and what every
    older method would say.
    """
    from twoworlds.worlds.errors import BadArgument

    if (text is None) == (points is None):
        given = "is given beside --points" if points is not None else "is missing, and so is --points"
        raise BadArgument("TEXT", text, f"{given}: one of both is needed", 'Write "gaussian(sigma=1), 10 times" --delta 1e-6')
    if points is not None:
        _drawn(points, epsilon, delta, as_json=as_json)
        return
    assert text is not None
    if delta is None and epsilon is None:
        fix = "Say --delta 1e-6 for epsilon at that delta, or --epsilon 1 for delta at that epsilon"
        raise BadArgument("--delta", None, "is missing, and so is --epsilon", fix)
    if calibrate is not None or "?" in text:
        text, delta, epsilon = _calibrated(text, calibrate, epsilon, delta, quiet=as_json), delta or "0", None
    from twoworlds.losses.account import account
    from twoworlds.queries.waiting import waiting

    with waiting(_unknown):
        found = account(text, delta=delta, epsilon=epsilon, records=records)
    chart = _chart(found)
    if svg is not None:
        from twoworlds.figures import svg as draw

        Path(svg).write_text(draw(chart), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found.json(), indent=2))
    else:
        _print(found, chart, plain)


def _calibrated(text: str, parameter: str | None, epsilon: str | None, delta: str | None, *, quiet: bool) -> str:
    from twoworlds.losses.solved import calibrate
    from twoworlds.queries.waiting import waiting
    from twoworlds.worlds.errors import BadArgument

    if epsilon is None:
        raise BadArgument("--epsilon", epsilon, "is missing", "Give the epsilon to reach, such as --epsilon 1")
    with waiting(_unknown):
        solved = calibrate(text, None if parameter is None or "?" in text else parameter, epsilon=epsilon, delta=delta or 0)
    if not quiet:
        click.echo(f"{parameter or '?'} = {float(solved.value):.9g} reaches epsilon {epsilon} at delta {delta or 0}\n")
    return solved.text


def _print(found: Any, chart: Any, plain: bool) -> None:
    from twoworlds.figures import terminal
    from twoworlds.worlds.rationals import printed_above

    click.secho(found.text, bold=True)
    if found.asked == "delta":
        click.echo(f"\nepsilon is in {found.epsilon} at delta = {printed_above(found.delta.upper, 6)}, certified\n")
    else:
        click.echo(f"\ndelta is in {found.delta} at epsilon = {printed_above(found.epsilon.upper, 6)}, certified\n")
    for sentence in found.verdict:
        click.echo(sentence)
    unlikely = f", but for outputs of probability {printed_above(found.delta.upper, 3)}" if found.delta.upper else ""
    click.echo(f"\nWhat it means for Bob{unlikely}: somebody who held it likely that his record is in the data")
    for odds in found.odds:
        after = f"holds it likely at {_percent(odds.posterior):>5} at most; the best guess is right in {_percent(odds.guess)}"
        click.echo(f"  at {odds.prior:6.1%} {after} at most")
    click.echo("\n" + terminal(chart, ascii_only=plain))
    if found.older:
        click.echo("\nThe same by older methods")
        for priced in found.older:
            value = f"refused: {priced.refused}" if priced.refused else printed_above(priced.epsilon, 6)
            click.echo(f"  {priced.method:34} {value}")


def _unknown() -> None:
    """How much is left to compute: nobody knows."""


def _chart(found: Any) -> Any:
    from twoworlds.figures import tradeoff

    return tradeoff(
        "How well can anyone tell Bob's two worlds apart?", {"the claim": [(alpha, beta.lower) for alpha, beta in found.curve]}
    )


def _drawn(points: str, epsilon: str | None, delta: str | None, *, as_json: bool) -> None:
    """What a curve through these points satisfies: epsilon at a delta, delta at an epsilon, or all pairs where it has corners."""
    from twoworlds.losses.drawn import drawn
    from twoworlds.worlds.errors import BadArgument

    if epsilon is not None and delta is not None:
        raise BadArgument("--epsilon", epsilon, "and --delta: one of both at most", "Leave one out, and it is computed")
    try:
        pairs = [tuple(part.split(",")) for part in points.split()]
        curve = drawn([(one, other) for one, other in pairs])
    except ValueError as error:
        if isinstance(error, BadArgument):
            raise
        raise BadArgument("--points", points, "does not read as points", "Write them like '0.1,0.6 0.3,0.3'") from None
    found: list[tuple[str | float, str | float]]
    if epsilon is not None:
        found = [(epsilon, curve.delta(epsilon))]
    elif delta is not None:
        found = [(curve.finite_epsilon(delta), delta)]
    else:
        found = [*curve.frontier()]
    if as_json:
        click.echo(json.dumps({"smallest": [{"epsilon": float(one), "delta": float(other)} for one, other in found]}, indent=2))
        return
    click.echo(
        "the smallest pairs that the curve satisfies:" if len(found) > 1 else "the smallest pair that the curve satisfies:"
    )
    for one, other in found:
        click.echo(f"  epsilon = {_as_given(one)}, delta = {_as_given(other)}")


def _as_given(value: str | float) -> str:
    from twoworlds.worlds.rationals import printed_above

    return value if isinstance(value, str) else printed_above(value)


def _percent(share: float) -> str:
    """Rounded up, and to certainty only what is certain."""
    return f"{math.ceil(share * 1000) / 10:.1f}%" if share < 0.999 else f"{math.ceil(share * 1e8) / 1e6:.7g}%"
