"""`twoworlds demo`: one mechanism written once and read four ways, its wrong twin caught, and a table asked under one budget."""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any

import click

from twoworlds.cli.journey import told
from twoworlds.cli.tabulate import rows_of

__all__ = ["command"]

_WORLDS = [0, 0, 0, 1], [1, 1, 1, 0]
_RUNS = 60_000


@click.command()
@click.option("--ascii", "plain", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--runs", default=_RUNS, show_default=True, help="Runs in each world for the attack.")
@click.option("--table", type=click.Path(dir_okay=False, path_type=Path), help="Only write the table, as .parquet or .csv.")
def command(plain: bool, runs: int, table: Path | None) -> None:
    """Tell the story of `above_threshold` with real output: run, tabulated, proved, attacked; then ask a table of visits.

    The table is synthetic: 100,000 visits of 20,000 people who do not exist. With --table it is yours to ask.
    """
    if table is not None:
        _written(table)
        return
    from twoworlds.mechanisms.above_threshold import above_threshold

    _title("One mechanism, written once, in plain Python")
    click.echo(textwrap.indent(above_threshold.text, "    "))
    _ran(above_threshold)
    _tabulated(above_threshold, plain)
    _proved(above_threshold)
    _attacked(above_threshold, runs)
    _twin(above_threshold, runs)
    _title("One table, asked in SQL under one durable budget")
    told()
    click.echo('Next: twoworlds cards · twoworlds account "gaussian(sigma=1) sampled at 0.01, 10000 times" --delta 1e-5')


def _written(path: Path) -> None:
    from twoworlds.cli import visits
    from twoworlds.worlds.errors import BadArgument

    if path.exists() or not path.resolve().parent.is_dir():
        why = "exists already" if path.exists() else "is in a folder that does not exist"
        raise BadArgument("--table", str(path), why, "Give the name of a new file, such as visits.parquet")
    count = visits.write(path)
    click.echo(
        f"Wrote {path}: {count:,} visits of {visits.PEOPLE:,} people who do not exist. Next: twoworlds init {path} --unit user_id"
    )


def _title(text: str) -> None:
    click.secho(f"\n{text}\n", bold=True)


def _say(text: str) -> None:
    click.echo(textwrap.fill(text, 100) + "\n")


def _ran(card: Any) -> None:
    from twoworlds.sampling.run import repeat

    _title("1. Run: the function itself, with exact noise from the operating system's entropy")
    _say(
        "Four queries, the threshold at 1, epsilon = 1. World one has answers 0, 0, 0, 1. In world two one person's record moved"
        " every answer by 1, to 1, 1, 1, 0. Ten runs in each:"
    )
    for name, world in zip(("world one", "world two"), _WORLDS, strict=True):
        click.echo(f"    {name}   {'  '.join(f'{output!s:>4}' for output in repeat(card, 10, world, threshold=1, epsilon=1))}")


def _tabulated(card: Any, plain: bool) -> None:
    from twoworlds.exact.tabulate import tabulate
    from twoworlds.figures import terminal, tradeoff

    _title("2. Tabulate: the same source, interpreted over distributions, exactly")
    table = tabulate(card, *_WORLDS, threshold=1, epsilon=1)
    click.echo(textwrap.indent("\n".join(rows_of(table)), "    ") + "\n")
    _say(
        f"The output {table.witness.output} separates these worlds most: its log ratio is {table.epsilon.upper:.6f}, below the"
        " claimed 1. No run was needed, and every digit is proved."
    )
    curve = [(vertex.alpha.upper, vertex.beta.upper) for vertex in table.tradeoff]
    promise = card.price.loss({"epsilon": 1})
    claimed = [(at / 50, promise.tradeoff(f"{at}/50").lower) for at in range(51)]
    chart = tradeoff("How well can anyone tell the two worlds apart?", {"epsilon = 1": claimed, "these two worlds": curve})
    click.echo(textwrap.indent(terminal(chart, ascii_only=plain), "    "))


def _proved(card: Any) -> None:
    from twoworlds.proofs.prover import prove

    _title("3. Prove: for every list of queries, every threshold and every epsilon")
    certificate = prove(card)
    click.echo(
        f"    {certificate.verdict}  {certificate.card}  {certificate.price}  {certificate.seconds:.1f} s  {certificate.method}\n"
    )


def _attacked(card: Any, runs: int) -> None:
    from twoworlds.sampling.run import repeat

    _title("4. Attack: learn to tell the worlds apart, confirm on fresh runs")
    _report(_attack(lambda world, count: repeat(card, count, world, threshold=1, epsilon=1), *_WORLDS, runs), claimed=1.0)


def _twin(card: Any, runs: int) -> None:
    """The file with one word changed, as text: no wrong mechanism lives in the package."""
    from twoworlds.exact.tabulate import tabulate
    from twoworlds.proofs.prover import prove
    from twoworlds.sampling.draws import draw_one
    from twoworlds.source.interpreter import interpret
    from twoworlds.source.parser import parse_text
    from twoworlds.worlds.grid import Parameter

    _title("Its wrong twin: the course's listing compares with the threshold instead of the noisy one")
    file = inspect.getsource(sys.modules[card.function.__module__]).replace(">= noisy_threshold", ">= threshold")
    twin = card.text.replace(">= noisy_threshold", ">= threshold")
    for count in (4, 8, 16, 32):
        table = tabulate(twin, [0] * count, [1] * count, neighbours=card.neighbours, threshold=1, epsilon=1)
        click.echo(f"    tabulated, {count:2} queries   log ratio {table.epsilon.upper:.4f} at the output {table.witness.output}")
    click.echo()
    _say("The twin claims epsilon = 1; its loss is a quarter of that per query, without end.")
    certificate = prove(file)
    found = certificate.details
    click.echo(
        f"    proved?   {certificate.verdict}: worlds {found['world']} and {found['other']} tell at the output {found['output']}"
    )
    click.echo(f"              probabilities {found['probabilities'][0]:.6f} and {found['probabilities'][1]:.6f},", nl=False)
    click.echo(f" log ratio {found['epsilon']:.4f} against a claimed 1\n")
    program = parse_text(twin)

    def outputs(world: Any, count: int) -> list[Any]:
        arguments = {"queries": world, "threshold": Parameter(1), "epsilon": Parameter(1)}
        return [interpret(program, arguments, lambda _, law: draw_one(law)) for _ in range(count)]

    _report(_attack(outputs, [0] * 8, [1] * 8, runs), claimed=1.0)


def _attack(outputs: Any, one: Any, other: Any, runs: int) -> Any:
    from twoworlds.audits.audit import attack

    return attack(lambda count: outputs(one, count), lambda count: outputs(other, count), trials=runs)


def _report(evidence: Any, claimed: float) -> None:
    sure, ceiling = f"{evidence.confidence:.1%} sure", f"ceiling {evidence.ceiling:.2f}"
    click.echo(
        f"    observed epsilon at least {evidence.epsilon_lower:.3f} ({sure}, {evidence.trials:,} runs in each world, {ceiling})"
    )
    click.echo(f"    event: {evidence.event}\n    verdict: {evidence.verdict(claimed)}\n")
