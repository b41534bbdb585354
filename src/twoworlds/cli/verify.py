"""`twoworlds verify`: a ledger's chain, sums and signed head; or a receipt."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--policy", default="privacy.toml", show_default=True, type=click.Path(dir_okay=False))
@click.option("--key", help="The public key that you trust.")
@click.option("--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A head that you kept.")
def command(file: Path | None, policy: str, key: str | None, against: Path | None) -> None:
    """Verify the policy's ledger, or FILE: a receipt or a ledger.

    Every entry must follow from the one before, every charge is added up again, and the head must be signed. Exit code 1 if
    history was changed or an older copy was put back.
    """
    from twoworlds.cli.ledger import verified
    from twoworlds.ledger.book import Ledger
    from twoworlds.ledger.standalone import is_database
    from twoworlds.queries.session import session

    if file is not None and not is_database(file):
        _receipt(file, key, against)
    else:
        verified(session(policy).ledger if file is None else Ledger(file), key=key, against=against)


def _receipt(file: Path, key: str | None, against: Path | None) -> None:
    import json

    from twoworlds.cli.ledger import kept
    from twoworlds.ledger.standalone import Refuted, check_receipt
    from twoworlds.worlds.errors import BadArgument

    try:
        told = check_receipt(json.loads(file.read_text(encoding="utf-8")), key=key, against=kept(against))
    except Refuted as error:
        click.echo(f"{file} does not hold: {error}", err=True)
        sys.exit(1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadArgument("file", str(file), "is neither a receipt nor a ledger", "Give what `twoworlds receipt` wrote") from None
    click.echo("\n".join(told))
    click.echo("it holds" if key is not None else "it holds, if that key is the one you trust (--key)")
