"""The command `twoworlds`: one verb per file of this room, loaded when it is called.

Exit codes: 0 done · 1 a negative verdict (refuted, tampered, audit above the claim) · 2 wrong usage or unknown · 3 refused by
policy · 4 budget exhausted · 5 a fault of ours.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence

import click

from twoworlds.worlds.errors import Exhausted, TwoWorldsError

__all__ = ["main", "run"]

_VERBS = {
    "account": "What a release costs: certified epsilon, trade-off curve, odds, older methods side by side.",
    "ask": "Ask a private table in SQL, by price or by accuracy.",
    "audit": "Run a card in its two worst worlds and hold what was observed against the claim.",
    "budget": "What is left to spend, and what was spent.",
    "cards": "List the mechanisms with price, status and citation; `cards NAME` shows one whole.",
    "check": "Look over a privacy.toml: what is wrong, and what is probably not meant.",
    "convert": "Write a CSV file whose cells hold line breaks as Parquet, one row for each record.",
    "count": "One private count of the rows of a DuckDB table, through the ledger.",
    "demo": "One mechanism read four ways, then a table that is asked: all with real output.",
    "init": "Write the first privacy.toml of a table, from its columns alone.",
    "ledger": "Create, show, back up and restore a durable budget, and change its key.",
    "log": "Every charge and every answer, with receipts.",
    "notions": "The 49 variants of differential privacy, and what represents each here.",
    "prove": "Prove every card of a file for all inputs, or say why not.",
    "receipt": "One answer's receipt, in a file that proves itself.",
    "sensitivity": "Prove or refute how far functions of a file move, as @sensitive states it.",
    "tabulate": "The exact output law of a card in two worlds, with everything that follows from it.",
    "verify": "Verify the ledger, its chain, its sums and its signed head; or a receipt.",
}


class _Verbs(click.Group):
    """Finds a verb's module only when it is wanted, so that `--help` and `--version` stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        if name not in _VERBS:
            return None
        command: click.Command = importlib.import_module(f"twoworlds.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        with formatter.section("Verbs"):
            formatter.write_dl(sorted(_VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="twoworlds")
def _root() -> None:
    """Differential privacy in which every answer carries a claim that can be checked."""


def run(words: Sequence[str] | None = None) -> None:
    """Run a command, given or typed; errors come out as they are."""
    _root.main(None if words is None else list(words), prog_name="twoworlds", standalone_mode=False)


def main() -> None:
    """Run the command line; errors become one line that says what to do, and an exit code."""
    try:
        run()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        click.echo(
            f"{error.filename or 'a file'} cannot be used: {error.strerror}. See whether it is there and is yours", err=True
        )
        sys.exit(2)
    except Exhausted as error:
        click.echo(f"{error}", err=True)
        sys.exit(4)
    except TwoWorldsError as error:
        click.echo(f"{error}", err=True)
        sys.exit(3 if _is_refusal(error) else 2)
    except Exception:  # 1 would say that something was refuted
        traceback.print_exc()
        click.echo(
            "This is a fault of twoworlds; what was charged stays charged. Please report it with the lines above", err=True
        )
        sys.exit(5)


def _is_refusal(error: TwoWorldsError) -> bool:
    """Whether the policy said no; the room that says so is not loaded for this question."""
    refusals = sys.modules.get("twoworlds.queries.refusals")
    return refusals is not None and isinstance(error, refusals.Refused)
