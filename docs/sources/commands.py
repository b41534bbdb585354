"""The page of the command line, from each verb's own help."""

from __future__ import annotations

import importlib
import inspect

import click

from twoworlds.cli.main import _VERBS, main

FORM = {"max_content_width": 100, "terminal_width": 100, "help_option_names": ["-h", "--help"]}


def pages() -> dict[str, str]:
    """The page by its path."""
    parts = [f"# The command line\n\n{_about()}\n\n| verb | what it does |\n|---|---|"]
    parts += [f"| [{verb}](#{verb}) | {about} |" for verb, about in sorted(_VERBS.items())]
    for verb in sorted(_VERBS):
        parts.append(f"\n## {verb}\n\n" + "\n".join(f"```text\n{text}\n```" for text in _helps(verb)))
    return {"reference/cli.md": "\n".join(parts) + "\n"}


def _about() -> str:
    """How verbs behave alike, with the exit codes as the program itself states them."""
    module = inspect.getdoc(inspect.getmodule(main)) or ""
    codes = " ".join(module.partition("Exit codes: ")[2].split())
    return (
        "Each verb has `--help`; those that give data have `--json`. Answers go to standard output, notes to standard error."
        f" Numbers are exact: `0.1`, `1/10` and `1e-1` are the same.\n\nExit codes: {codes}"
    )


def _helps(verb: str) -> list[str]:
    """The help of a verb, and of the verbs below it."""
    command: click.Command = importlib.import_module(f"twoworlds.cli.{verb}").command
    context = click.Context(command, info_name=f"twoworlds {verb}", **FORM)  # type: ignore[arg-type]  # settings by name
    texts = [command.get_help(context)]
    if isinstance(command, click.Group):
        below = [(name, command.commands[name]) for name in command.list_commands(context)]
        texts += [
            one.get_help(click.Context(one, info_name=name, parent=context, **FORM))  # type: ignore[arg-type]  # settings by name
            for name, one in below
        ]
    return texts
