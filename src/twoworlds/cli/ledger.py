"""`twoworlds ledger`: create a budget, see what is left of it, read and verify its history, and keep it safe."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

__all__ = ["command", "entry_line", "kept", "standing", "verified"]

_PATH = click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_KEY = click.option("--key", help="The public key that you trust, as `ledger head` shows it.")
_AGAINST = click.option("--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A head that you kept.")


@click.group()
def command() -> None:
    """A durable budget in one file: charges are on disk before any noise is drawn, and history cannot be edited unnoticed."""


@command.command()
@click.argument("path", type=click.Path(dir_okay=False))
@click.argument("population")
@click.option("--rho", help="Cap under approximate zCDP, the default notion.")
@click.option("--delta", default="0", show_default=True, help="Cap on the summed failure probability, with --rho.")
@click.option("--epsilon", help="Cap under pure privacy, instead of --rho.")
@click.option(
    "--renews", type=click.IntRange(1), metavar="DAYS", help="The cap is one of every so many days, said with every claim."
)
@click.option(
    "--protects", help='What it speaks of, such as "one user, added or removed": prices for something else are refused.'
)
def create(
    path: str, population: str, rho: str | None, delta: str, epsilon: str | None, renews: int | None, protects: str | None
) -> None:
    """Fix the budget of POPULATION in the ledger at PATH, once and for all."""
    from twoworlds.ledger.book import Ledger
    from twoworlds.losses.filters import ConcentratedFilter, Filter, PureFilter
    from twoworlds.worlds.errors import BadArgument

    if (rho is None) == (epsilon is None):
        raise BadArgument(
            "--rho/--epsilon", (rho, epsilon), "is not exactly one cap", "Give --rho, or --epsilon for pure privacy"
        )
    budget: Filter = PureFilter(epsilon) if epsilon is not None else ConcentratedFilter(rho, delta)
    Ledger(path).create(population, budget, renews=renews, protects=protects)
    click.echo(f"{population}: {budget.guarantee()}; filter: {budget.name} ({budget.theorem})")


@command.command()
@_PATH
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(path: Path, as_json: bool) -> None:
    """What each population may still spend."""
    from twoworlds.ledger.book import Ledger

    standing(Ledger(path), as_json=as_json)


def standing(book: Any, *, as_json: bool) -> None:
    """Print what every population, and every analyst's slice of it, may still be charged."""
    from twoworlds.losses.filters import shown

    rows: dict[str, Any] = {}
    for population in book.populations():
        account, slices = book.account(population), book.slices(population)
        left = {own.principal: account.left(own) for own in slices}
        rows[population] = {
            "guarantee": str(account.guarantee()),
            "remaining": _exact(account.left()),
            "largest": account.largest(),
            "charges": account.spent.count,
            **({} if account.protects is None else {"protects": account.protects}),
            **({"slices": {name: _exact(amounts) for name, amounts in left.items()}} if slices else {}),
        }
        if not as_json:
            period = "" if account.renews is None else f" in {account.renews} days"
            within = f"{shown(account.budget.limits, up=False)}{period}"
            whom = "" if account.protects is None else f" for {account.protects}"
            click.echo(f"{population}: {account.spent.count} charges within {within}{whom}; can still pay {account.largest()}")
            for name, amounts in left.items():
                click.echo(f"  of this, set aside for {name}: {shown(amounts, up=False)} left")
    if as_json:
        click.echo(json.dumps(rows, indent=2))


def _exact(amounts: Mapping[str, Any]) -> dict[str, str]:
    return {currency: str(amount) for currency, amount in amounts.items()}


@command.command()
@_PATH
def log(path: Path) -> None:
    """Every entry, oldest first."""
    from twoworlds.ledger.book import Ledger

    for entry in Ledger(path).history():
        click.echo(entry_line(entry))


def entry_line(entry: Any) -> str:
    """One line for an entry: number, time, kind, whom it is about, what it says, the beginning of its hash."""
    return f"{entry.seq:>6}  {entry.fields['at']}  {entry.kind:8}  {entry.population or '-'}  {_said(entry)}  {entry.hash[:12]}"


def _said(entry: Any) -> str:
    from twoworlds.ledger.charging import cost_of
    from twoworlds.losses.filters import filter_from_json, shown

    fields, told = entry.fields, []
    if "charge" in fields:
        told.append(f"charged {shown(cost_of(entry), up=True)}")
    if "filter" in fields:
        told.append(f"{fields['filter']['filter']}, {shown(filter_from_json(fields['filter']).limits, up=False)}")
    if "reservation" in fields:
        told.append(f"{'answers' if entry.kind == 'RELEASE' else 'about'} {fields['reservation']}")
    told += [f"{name} {fields[name]}" for name in ("principal", "renews", "reason", "key") if name in fields]
    return ", ".join(told)


@command.command()
@_PATH
@click.option("--head", help="A hash that you kept: the ledger must still hold an entry with it.")
@_KEY
@_AGAINST
def verify(path: Path, head: str | None, key: str | None, against: Path | None) -> None:
    """Walk the whole history; exit code 1 if it was changed or an older copy was put back."""
    from twoworlds.ledger.book import Ledger

    book = Ledger(path)
    verified(book, key=key, against=against)
    if head is not None and not any(entry.hash == head for entry in book.history()):
        click.echo(f"{path} verifies, but holds no entry {head}: an older copy was put back", err=True)
        sys.exit(1)


def verified(book: Any, *, key: str | None = None, against: Path | None = None) -> None:
    """Print what holds, or leave with exit code 1."""
    from twoworlds.ledger.book import Tampered

    try:
        found = book.verify(key=key, against=kept(against))
    except Tampered as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    click.echo(f"{found.entries} entries follow from one another; head {found.head}")
    click.echo(f"signed by key {found.signed['key']}")


def kept(path: Path | None) -> Mapping[str, Any] | None:
    """A head that was written to a file."""
    from twoworlds.worlds.errors import BadArgument

    if path is None:
        return None
    try:
        found: Mapping[str, Any] = json.loads(path.read_text())
        return {**found["head"]} if "head" in found else found
    except (ValueError, TypeError, UnicodeDecodeError):
        raise BadArgument("--against", str(path), "is no head", "Give what `twoworlds ledger head` wrote, or a receipt") from None


@command.command()
@_PATH
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it into this file.")
def head(path: Path, out: Path | None) -> None:
    """The newest signed head: keep it elsewhere, and pin its key."""
    from twoworlds.ledger.book import Ledger

    text = json.dumps(Ledger(path).head(), indent=1)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")


@command.command()
@_PATH
@click.argument("copy", type=click.Path(dir_okay=False, path_type=Path))
def backup(path: Path, copy: Path) -> None:
    """Copy the ledger at PATH into the new file COPY, checked. The key is not in it: keep one copy of that apart."""
    from twoworlds.ledger.book import Ledger

    head = Ledger(path).backup(copy)
    click.echo(f"{copy}: {head['size']} entries, which verify; head {head['chain']}")


@command.command()
@click.argument("copy", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@_KEY
def restore(copy: Path, path: Path, key: str | None) -> None:
    """Put COPY where the ledger at PATH was; what is there is put aside.

    Refused where what is there holds as much. If the witness has seen more than the copy holds, the ledger is sealed.
    """
    from twoworlds.ledger.book import Ledger
    from twoworlds.ledger.copies import restore as put_back

    head = put_back(copy, path, key=key)
    click.echo(f"{path}: {head['size']} entries, which verify; head {head['chain']}")
    sealed = Ledger(path).sealed()
    click.echo("it goes on from there" if sealed is None else f"sealed: {sealed}")
    if sealed is not None:
        click.echo("Look for a newer copy, or say what may be lost: twoworlds ledger acknowledge", err=True)


@command.command()
@_PATH
def rotate(path: Path) -> None:
    """Hand over to a new key, in an entry that the old one signs. Copy the key file anew afterwards."""
    from twoworlds.ledger.book import Ledger

    click.echo(f"the key is now {Ledger(path).rotate()}")


@command.command()
@_PATH
@click.option("--reason", required=True, help="Why the old key cannot sign any more: lost, or stolen.")
def rekey(path: Path, reason: str) -> None:
    """Put a new key in the place of one that is lost. Whoever pinned the old one will see that it was not handed over."""
    from twoworlds.ledger.book import Ledger

    click.echo(f"the key is now {Ledger(path).rekey(reason)}; tell everybody who pinned the old one")


@command.command()
@_PATH
@click.argument("reservation", type=int)
@click.option("--reason", required=True, help="For those who read the log.")
@click.option("--statement", help="That nothing of it ever left: signed with the ledger's key, it gives the charge back.")
def void(path: Path, reservation: int, reason: str, statement: str | None) -> None:
    """Close a RESERVATION that was never answered, by its number in the log. Its charge stays, unless a statement is signed."""
    from twoworlds.ledger.book import Ledger

    entry = Ledger(path).void(reservation, reason, statement=statement)
    click.echo(f"reservation {reservation} is void; its charge {'is given back' if statement else 'stays'}  {entry.hash[:12]}")


@command.command()
@_PATH
@click.option("--reason", required=True, help="What happened, for those who read the log.")
@click.option(
    "--lost", multiple=True, metavar="POPULATION:AMOUNT", help='Such as "people:epsilon=1/2" or "people:all". Repeat it.'
)
def acknowledge(path: Path, reason: str, lost: tuple[str, ...]) -> None:
    """Open a sealed ledger again: charges are missing, and every population pays for what they may have been."""
    from twoworlds.ledger.book import Ledger

    Ledger(path).acknowledge(reason, dict(_lost(one) for one in lost))
    click.echo("the loss is recorded, and the ledger is open again")


def _lost(text: str) -> tuple[str, dict[str, object] | None]:
    """`people:all` or `people:rho=0.1,delta=0`."""
    from twoworlds.worlds.errors import BadArgument

    population, _, amounts = text.rpartition(":")
    parts = [part.partition("=") for part in amounts.split(",")]
    if population and amounts == "all":
        return population, None
    if not population or not all(name and equals and value for name, equals, value in parts):
        raise BadArgument("--lost", text, "does not say what may be lost", 'Write "people:epsilon=1/2", or "people:all"')
    return population, {name.strip(): value for name, _, value in parts}
