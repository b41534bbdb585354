"""Writes the page of every card from the card itself: source, claim, accuracy, exact law, proof, audit.

python docs/generate.py           writes docs/reference/cards/
python docs/generate.py --check   exits with 1 if a page is stale
"""

from __future__ import annotations

import inspect
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.audits.audit import attack
from twoworlds.exact.tabulate import tabulate
from twoworlds.figures import Dot, svg, tradeoff
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.statuses import status
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat
from twoworlds.worlds.cards import Card, Case
from twoworlds.worlds.errors import Unsupported

PAGES = Path(__file__).parent / "reference" / "cards"
RUNS = 6_000
POINTS = 64


def pages() -> dict[str, str]:
    """Every file of the folder by its name."""
    written = {}
    rows = []
    for name, card in cards().items():
        chart = _chart(card)
        if chart is not None:
            written[f"{name}.svg"] = chart
        written[f"{name}.md"] = _page(card, drawn=chart is not None)
        rows.append(f"| [{name}]({name}.md) | {card.about} | `{card.price}` | {status(card)} |")
    head = (
        "# The cards\n\nEach page is generated from its card.\n\n| card | what it gives | price | status |\n|---|---|---|---|\n"
    )
    written["index.md"] = head + "\n".join(rows) + "\n"
    return written


def _page(card: Card, *, drawn: bool) -> str:
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
    parts += [_worst(card, case) for case in card.worst]
    if drawn:
        parts.append(f"![The trade-off curve of {card.name}]({card.name}.svg)\n")
    return "\n".join(parts)


def _worst(card: Card, case: Case) -> str:
    at = ", ".join(f"{name} = {value}" for name, value in case.at.items())
    lines = [f"## Two worlds{': ' + at if at else ''}\n", f"`{case.world}` and `{case.other}`.\n"]
    table = _table(card, case)
    if table is None:
        lines.append("Too many outputs to tabulate whole.\n")
    else:
        lines.append("| tabulated exactly | |\n|---|---|")
        lines.append(f"| largest log ratio | {_span(table.epsilon)}, at the output `{table.witness.output}` |")
        lines += [f"| delta at epsilon = {level} | {_span(table.delta(level))} |" for level in ("1/2", "1")]
        lines.append(f"| total variation | {_span(table.total_variation)} |\n")
    evidence = _evidence(card, case)
    lines.append(
        f"Attacked with {evidence.trials:,} runs in each world: epsilon is at least {evidence.epsilon_lower:.3g}"
        f" ({evidence.confidence:.1%} sure), by the event *{evidence.event}*; {evidence.ceiling:.3g} is the most such an attack"
        " could show.\n"
    )
    return "\n".join(lines)


def _chart(card: Card) -> str | None:
    """The claimed curve, the curve of the first worst case, and the test that the attack found."""
    case = card.worst[0]
    secret = {card.neighbours.parameter: case.world}
    promise = card.price.loss({**case.at, **secret})
    claimed = [(at / POINTS, promise.tradeoff(Fraction(at, POINTS)).lower) for at in range(POINTS + 1)]
    curves = {"the claim": claimed}
    table = _table(card, case)
    if table is not None:
        curves["these two worlds"] = [(vertex.alpha.upper, vertex.beta.upper) for vertex in table.tradeoff]
    false_alarms, misses = _evidence(card, case).points[0]
    return svg(tradeoff(f"{card.name}: telling two worlds apart", curves, [Dot(false_alarms, misses)]))


def _table(card: Card, case: Case) -> Any:
    try:
        return tabulate(card, case.world, case.other, **case.at)
    except Unsupported:
        return None


def _evidence(card: Card, case: Case) -> Any:
    secret = card.neighbours.parameter
    tapes = SeededEntropy(1), SeededEntropy(2)
    worlds = case.world, case.other
    one, other = (
        lambda runs, world=world, tape=tape: repeat(card, runs, **{secret: world}, **case.at, entropy=tape)
        for world, tape in zip(worlds, tapes, strict=True)
    )
    return attack(one, other, trials=RUNS)


def _span(interval: Any) -> str:
    if interval.upper == float("inf"):
        return f"{interval.lower:.6g} or more"
    return f"{interval.upper:.6g}" if interval.width <= 1e-6 else f"{interval.lower:.6g} to {interval.upper:.6g}"


def main() -> int:
    wanted = pages()
    if "--check" in sys.argv:
        stale = [name for name, text in wanted.items() if not (PAGES / name).exists() or (PAGES / name).read_text() != text]
        stale += [path.name for path in PAGES.glob("*") if path.name not in wanted]
        print("\n".join(f"stale: docs/reference/cards/{name}; run: python docs/generate.py" for name in stale))
        return bool(stale)
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        (PAGES / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
