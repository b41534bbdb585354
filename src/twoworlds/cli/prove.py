"""`twoworlds prove FILE`: every mechanism of a file, proved for all inputs or refuted by two worlds. The file is never run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

__all__ = ["command"]

_NOWHERE = "-"
_COLUMN = 60  # where it is said what was found


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--check", "recheck", is_flag=True, help="Check stored certificates again: those of FILES, or the package's own.")
@click.option("--write", is_flag=True, help="Prove the package's own cards and store their certificates.")
@click.option(
    "--certificates",
    metavar="FOLDER",
    help="Where certificates are written and read; default: `certificates` beside each file. `-` writes none.",
)
@click.option("--runs", default=6_000, show_default=True, help="Runs in each world against what is not proved; 0 for none.")
@click.option("--explain", is_flag=True, help="Say the coupling in words and columns, or the two worlds.")
@click.option(
    "--price/--no-price", "priced", default=True, help="Look for the price at which a card that fails its own is provable."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    files: tuple[str, ...],
    recheck: bool,
    write: bool,
    certificates: str | None,
    runs: int,
    explain: bool,
    priced: bool,
    as_json: bool,
) -> None:
    """Prove every @mechanism of FILES. Exit code 1 if one is refuted, 2 if one is not proved."""
    from twoworlds.proofs.recheck import main, main_of
    from twoworlds.worlds.errors import BadArgument

    if recheck:
        where = Path(certificates) if certificates not in (None, _NOWHERE) else None
        sys.exit(main_of(map(Path, files), where) if files else main())
    if not files and not write:
        raise BadArgument("FILES", None, "is missing", "Name a Python file with mechanisms, or give --check")
    found = []
    for statement, certificate, path in _written() if write else _proved(files, certificates, runs):
        if not as_json:
            click.echo(f"{certificate.verdict:14}{certificate.card:27} {_price(certificate):17} {_says(certificate, path)}")
        cheap = _provable(statement, certificate) if priced else None
        if cheap and not as_json:
            click.echo(f"{' ' * _COLUMN}it is provable at {cheap}")
        found.append(_record(certificate, path, cheap))
        if explain and not as_json:
            click.echo(f"\n{_explained(files, certificate)}\n")
    if as_json:
        click.echo(json.dumps(found, indent=2))
    verdicts = {record["verdict"] for record in found}
    sys.exit(1 if "REFUTED" in verdicts else 2 if verdicts - {"PROVED"} else 0)


def _explained(files: tuple[str, ...], certificate: Any) -> str:
    """The certificate in words, with the lines of the file that it is about."""
    from twoworlds.proofs.explaining import explained
    from twoworlds.proofs.statements import Statement, statements

    for file in files:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
        for found in statements(text):
            if isinstance(found, Statement) and (found.name, found.digest) == (certificate.card, certificate.digest):
                return str(explained(certificate, text))
    return str(explained(certificate))


def _proved(files: tuple[str, ...], certificates: str | None, runs: int) -> Iterator[tuple[Any, Any, Path | None]]:
    """Each statement with its certificate as soon as it is decided, with where it was written: proofs only."""
    from twoworlds.audits.learned import attacked
    from twoworlds.proofs.prover import certified
    from twoworlds.proofs.recheck import keep
    from twoworlds.proofs.statements import Statement, statements

    for file in map(Path, files):
        where = file.parent / "certificates" if certificates is None else Path(certificates)
        for found in statements(file.read_text(encoding="utf-8", errors="replace")):
            certificate = certified(found)
            if certificate.verdict == "NOT PROVED" and runs and isinstance(found, Statement):
                certificate = attacked(found, certificate, runs)
            kept = certificate.verdict == "PROVED" and certificates != _NOWHERE
            yield found, certificate, keep(found, certificate, where) if kept else None


def _written() -> Iterator[tuple[Any, Any, Path | None]]:
    from twoworlds.mechanisms.catalogue import cards
    from twoworlds.proofs.certificates import folder
    from twoworlds.proofs.recheck import write

    return ((None, certificate, None) for certificate in write(cards().values(), folder()))


def _price(certificate: Any) -> str:
    price = str(certificate.price).removeprefix("pure ")
    return price if certificate.verdict == "PROVED" else f"claims {price}"


def _says(certificate: Any, path: Path | None) -> str:
    if certificate.verdict != "REFUTED":
        kept = f"certificate: {path}" if path is not None else certificate.method
        return f"{certificate.seconds:.1f} s   {kept}" if certificate.verdict == "PROVED" else _open(certificate)
    from twoworlds.proofs.refutations import told

    first, *rest = told(certificate.details)
    return "\n".join([first, *(" " * _COLUMN + line for line in rest)])


def _open(certificate: Any) -> str:
    """Why there is no verdict, and the most that small worlds were seen to cost."""
    seen = certificate.details.get("tabulated")
    if certificate.verdict != "NOT PROVED" or seen is None:
        return str(certificate.method)
    reach = f" for up to {seen['entries']} entries" if "entries" in seen else ""
    at = ", ".join(f"{name} = {value}" for name, value in seen["parameters"].items())
    worst = f"worst {seen['worst']:.3f} for {seen['price']:.3f} claimed{at and f' at {at}'}"
    return f"{certificate.method}; tabulated exactly{reach}, {worst}"


def _provable(statement: Any, certificate: Any) -> str | None:
    """The smallest provable price of a card whose own price was not proved, if a short search finds one."""
    from twoworlds.proofs.pricing import cheapest
    from twoworlds.proofs.statements import Statement

    if certificate.verdict not in ("REFUTED", "NOT PROVED") or not isinstance(statement, Statement):
        return None
    cheap = cheapest(statement, briefly=True)
    return None if cheap is None else cheap.price.removeprefix("pure ")


def _record(certificate: Any, path: Path | None, cheap: str | None) -> dict[str, Any]:
    names = ("card", "verdict", "price", "method", "digest", "seconds")
    kept = {"certificate": None if path is None else str(path)}
    at = {} if cheap is None else {"provable_at": cheap}
    return {**{name: getattr(certificate, name) for name in names}, **kept, **at, "details": dict(certificate.details)}
