"""`twoworlds sensitivity FILE`: how far every @sensitive function of a file moves, proved or refuted. The file is never run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]

_NOWHERE = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--check", "recheck", is_flag=True, help="Check the stored certificates of FILES again, without a search.")
@click.option(
    "--certificates",
    metavar="FOLDER",
    help="Where certificates are written and read; default: `certificates` beside each file. `-` writes none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], recheck: bool, certificates: str | None, as_json: bool) -> None:
    """Prove or refute every @sensitive function of FILES. Exit code 1 if one is refuted, 2 if one is not proved.

    Without `by` in the decorator, the smallest provable bound is inferred.
    """
    from twoworlds.proofs.functions.keeping import kept

    if recheck:
        sys.exit(_checked(files, None if certificates in (None, _NOWHERE) else Path(certificates)))
    found = []
    for file in map(Path, files):
        where = file.parent / "certificates" if certificates is None else Path(certificates)
        for certificate, path in kept(
            file.read_text(encoding="utf-8", errors="replace"), where if certificates != _NOWHERE else None
        ):
            found.append((certificate, path))
            if not as_json:
                click.echo(f"{certificate.verdict:12}{certificate.card:24}{certificate.price:32}{_says(certificate, path)}")
    if as_json:
        click.echo(json.dumps([_record(certificate, path) for certificate, path in found], indent=2))
    if not found:
        click.echo("No function is decorated with @sensitive(neighbours=..., by=...).", err=True)
        sys.exit(2)
    verdicts = {certificate.verdict for certificate, _ in found}
    sys.exit(1 if "REFUTED" in verdicts else 2 if verdicts - {"PROVED"} else 0)


def _checked(files: tuple[str, ...], where: Path | None) -> int:
    """Say of each stored certificate that does not stand why; 1 if there is one."""
    from twoworlds.proofs.functions.keeping import flaws

    found = list(flaws(map(Path, files), where))
    wrong = [(name, why) for name, why in found if why is not None]
    for name, why in wrong:
        click.echo(f"{name}: the certificate {why}; run `twoworlds sensitivity` on the file again", err=True)
    click.echo(f"{len(found) - len(wrong)} of {len(found)} certificates stand")
    return 1 if wrong or not found else 0


def _record(certificate: Any, path: Path | None) -> dict[str, Any]:
    names = ("card", "verdict", "price", "method", "digest", "seconds")
    kept = {"certificate": None if path is None else str(path)}
    return {**{name: getattr(certificate, name) for name in names}, **kept, "details": dict(certificate.details)}


def _says(certificate: Any, path: Path | None) -> str:
    details = certificate.details
    if certificate.verdict == "REFUTED":
        at = ", ".join(f"{name} = {value}" for name, value in details["parameters"].items())
        outputs = " and ".join(map(str, details["outputs"]))
        worlds = f"inputs {details['world']} and {details['other']}{' at ' + at if at else ''}"
        return f"{worlds}: outputs {outputs}, {details['distance']} apart"
    attained = ", attained" if certificate.verdict == "PROVED" and "attained" in details else ""
    where = "" if path is None else f"  certificate: {path}"
    return f"{certificate.seconds:.1f} s  {certificate.method}{attained}{where}"
