"""`twoworlds sensitivity FILE`: how far every @sensitive function of a file moves, proved or refuted. The file is never run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], as_json: bool) -> None:
    """Prove or refute every @sensitive function of FILES. Exit code 1 if one is refuted, 2 if one is not proved.

    Without `by` in the decorator, the smallest provable bound is inferred.
    """
    from twoworlds.proofs.functions.proving import sensitivities

    found = []
    for file in files:
        for certificate in sensitivities(Path(file).read_text(encoding="utf-8", errors="replace")):
            found.append(certificate)
            if not as_json:
                click.echo(f"{certificate.verdict:12}{certificate.card:24}{certificate.price:32}{_says(certificate)}")
    if as_json:
        names = ("card", "verdict", "price", "method", "digest", "seconds")
        click.echo(
            json.dumps(
                [{**{name: getattr(one, name) for name in names}, "details": dict(one.details)} for one in found], indent=2
            )
        )
    if not found:
        click.echo("No function is decorated with @sensitive(neighbours=..., by=...).", err=True)
        sys.exit(2)
    verdicts = {certificate.verdict for certificate in found}
    sys.exit(1 if "REFUTED" in verdicts else 2 if verdicts - {"PROVED"} else 0)


def _says(certificate: Any) -> str:
    details = certificate.details
    if certificate.verdict == "REFUTED":
        at = ", ".join(f"{name} = {value}" for name, value in details["parameters"].items())
        outputs = " and ".join(map(str, details["outputs"]))
        worlds = f"inputs {details['world']} and {details['other']}{' at ' + at if at else ''}"
        return f"{worlds}: outputs {outputs}, {details['distance']} apart"
    attained = ", attained" if certificate.verdict == "PROVED" and "attained" in details else ""
    return f"{certificate.seconds:.1f} s  {certificate.method}{attained}"
