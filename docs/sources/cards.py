"""The page of every card, from the card: source, claim, accuracy, exact law, attack, trade-off curve."""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import Any

from docs.sources.curves import claimed, corners
from twoworlds.audits.audit import attack
from twoworlds.exact.tabulate import tabulate
from twoworlds.figures import Dot, svg, tradeoff
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.statuses import status
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat
from twoworlds.worlds.cards import Card, Case
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.rationals import float_above

FOLDER = "reference/cards"
RUNS = 6_000


def pages() -> dict[str, str]:
    """Every file of the folder by its path."""
    written = {f"{FOLDER}/index.md": index()}
    for name, card in cards().items():
        written[f"{FOLDER}/{name}.svg"] = _chart(card)
        written[f"{FOLDER}/{name}.md"] = "\n".join(
            [statement(card), f"![The trade-off curve of {name}]({name}.svg)\n", *(_worst(card, case) for case in card.worst)]
        )
    return written


def index() -> str:
    """The table of all cards."""
    rows = [f"| [{name}]({name}.md) | {card.about} | `{card.price}` | {status(card)} |" for name, card in cards().items()]
    about = "Each page is written from its card by `python -m docs.generate`: source, claim, accuracy, exact law, attack."
    head = f"# The cards\n\n{about}\n\n| card | what it gives | price | status |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def statement(card: Card) -> str:
    """What the card says: its source and claims. No run and no numerics, so that a stale page is seen at once."""
    parts = [
        f"# {card.name}\n\n{card.about}\n",
        f"```python\n{inspect.getsource(sys.modules[card.function.__module__]).strip()}\n```\n",
        "## Claim\n",
        f"| | |\n|---|---|\n| neighbours | `{card.neighbours}` |\n| price | `{card.price}` |\n| status | {status(card)} |",
        f"| source | {card.cite} |\n| hash of the program | `{card.digest[:16]}` |\n",
    ]
    if card.accuracy is not None:
        names = "".join(f", `{name} = {formula}`" for name, formula in card.accuracy.names.items())
        parts.append(f"## Accuracy\n\nWith probability 1 - beta the error is at most `{card.accuracy.alpha}`{names}.\n")
    return "\n".join(parts)


def _worst(card: Card, case: Case) -> str:
    at = ", ".join(f"{name} = {value}" for name, value in case.at.items())
    lines = [f"## Two worlds{': ' + at if at else ''}\n", f"`{case.world}` and `{case.other}`.\n"]
    table = _table(card, case)
    if isinstance(table, Unsupported):
        lines.append(f"Not tabulated: {table}\n")
    else:
        lines.append("| tabulated exactly | |\n|---|---|")
        lines.append(f"| largest log ratio | {_span(table.epsilon)}, at the output `{_shown(table.witness.output)}` |")
        lines += [f"| delta at epsilon = {level} | {_span(table.delta(level))} |" for level in ("1/2", "1")]
        lines.append(f"| total variation | {_span(table.total_variation)} |\n")
    lines.append(_observed(_evidence(card.name, card.worst.index(case))))
    return "\n".join(lines)


def _observed(evidence: Any) -> str:
    found = "they could not be told apart"
    if evidence.epsilon_lower > 0:
        sure = f"{evidence.confidence:.1%} sure"
        at = f" at delta = {evidence.delta:.6g}" if evidence.delta else ""
        found = f"epsilon{at} is at least {evidence.epsilon_lower:.3g} ({sure}), by the event *{evidence.event}*"
    return (
        f"Attacked with {evidence.trials:,} runs in each world: {found}. {evidence.ceiling:.3g} is the most that so many runs"
        " can show.\n"
    )


def _chart(card: Card) -> str:
    """The claimed curve, the curve of the first worst case, and the test that the attack found."""
    case = card.worst[0]
    promise = card.price.loss(card.bind(**{card.neighbours.parameter: case.world}, **case.at))
    curves = {"the claim": claimed(promise)}
    table = _table(card, case)
    if not isinstance(table, Unsupported):
        curves["these two worlds"] = corners(table)
    evidence = _evidence(card.name, 0)
    (false_alarms, misses), (across, upwards) = evidence.points[0], evidence.spans[0]
    return svg(tradeoff(f"{card.name}: telling two worlds apart", curves, [Dot(false_alarms, misses, *across, *upwards)]))


def _table(card: Card, case: Case) -> Any:
    """The exact law in both worlds, or why there is none."""
    try:
        return tabulate(card, case.world, case.other, **case.at)
    except Unsupported as why:
        return why


@cache
def _evidence(name: str, place: int) -> Any:
    """An attack on one worst case of a card, from seeds: the page is the same every time."""
    card = cards()[name]
    case, secret = card.worst[place], card.neighbours.parameter
    tapes = SeededEntropy(1), SeededEntropy(2)
    one, other = (
        lambda runs, world=world, tape=tape: repeat(card, runs, **{secret: world}, **case.at, entropy=tape)
        for world, tape in zip((case.world, case.other), tapes, strict=True)
    )
    delta = card.price.at(card.bind(**{secret: case.world}, **case.at)).get("delta", 0)
    return attack(one, other, trials=RUNS, delta=float_above(delta))


def _shown(output: Any) -> str:
    return f"({', '.join(map(_shown, output))})" if isinstance(output, tuple) else str(output)


def _span(interval: Any) -> str:
    if interval.upper == float("inf"):
        return f"{interval.lower:.6g} or more"
    return f"{interval.upper:.6g}" if interval.width <= 1e-6 else f"{interval.lower:.6g} to {interval.upper:.6g}"
