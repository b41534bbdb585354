"""`twoworlds prove FILE`: every mechanism of a file, proved for all inputs or refuted by two worlds. The file is never run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]

_COLUMN = 60


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--check", "recheck", is_flag=True, help="Check the stored certificates of the package's own cards again.")
@click.option("--write", is_flag=True, help="Prove the package's own cards and store their certificates.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], recheck: bool, write: bool, as_json: bool) -> None:
    """Prove every @mechanism of FILES. Exit code 1 if one is refuted, 2 if one is not proved."""
    from twoworlds.proofs.prover import prove_each
    from twoworlds.worlds.errors import BadArgument

    if recheck:
        from twoworlds.proofs.recheck import main

        sys.exit(main())
    if not files and not write:
        raise BadArgument("FILES", None, "is missing", "Name a Python file with mechanisms, or give --check")
    texts = (Path(file).read_text(encoding="utf-8", errors="replace") for file in files)
    found = []
    for certificate in _written() if write else (certificate for text in texts for certificate in prove_each(text)):
        found.append(certificate)
        if not as_json:
            click.echo(f"{certificate.verdict:12}{certificate.card:28}{_price(certificate):20}{_says(certificate)}")
    if as_json:
        click.echo(json.dumps([_record(certificate) for certificate in found], indent=2))
    verdicts = {certificate.verdict for certificate in found}
    sys.exit(1 if "REFUTED" in verdicts else 2 if verdicts - {"PROVED"} else 0)


def _price(certificate: Any) -> str:
    return f"claims {certificate.price}" if certificate.verdict == "REFUTED" else str(certificate.price)


def _written() -> Iterator[Any]:
    from twoworlds.mechanisms.catalogue import cards
    from twoworlds.proofs.certificates import folder
    from twoworlds.proofs.recheck import write

    return write(cards().values(), folder())


def _says(certificate: Any) -> str:
    if certificate.verdict != "REFUTED":
        return f"{certificate.seconds:.1f} s  {certificate.method}"
    from twoworlds.proofs.refutations import told

    first, *rest = told(certificate.details)
    return "\n".join([first, *(" " * _COLUMN + line for line in rest)])


def _record(certificate: Any) -> dict[str, Any]:
    names = ("card", "verdict", "price", "method", "digest", "seconds")
    return {**{name: getattr(certificate, name) for name in names}, "details": dict(certificate.details)}
