"""Writes every page and drawing that is computed: cards, variants, conversions, commands, figures.

python -m docs.generate           writes them
python -m docs.generate --check   exits with 1 if one is stale
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.sources import cards, commands, conversions, drawings, proofs, questions, variants

DOCS = Path(__file__).parent
OWNED = ("reference/cards",)
"""Folders in which nothing is written by hand."""


def written() -> dict[str, str]:
    """Every generated file, by its path under docs."""
    return {**quickly_written(), **cards.pages(), **drawings.pages(), **proofs.pages()}


def quickly_written() -> dict[str, str]:
    """The pages that take no runs and no numerics."""
    return {**commands.pages(), **conversions.pages(), **questions.pages(), **variants.pages()}


def stale(wanted: dict[str, str]) -> list[str]:
    """Files that are missing or differ, and strangers in the folders that hold generated files only."""
    found = [name for name, text in wanted.items() if not (DOCS / name).exists() or (DOCS / name).read_text() != text]
    found += [
        str(path.relative_to(DOCS))
        for folder in OWNED
        if any(name.startswith(folder) for name in wanted)
        for path in sorted((DOCS / folder).glob("*"))
        if str(path.relative_to(DOCS)) not in wanted
    ]
    return found


def main() -> int:
    wanted = written()
    if "--check" in sys.argv:
        found = stale(wanted)
        print("\n".join(f"stale: docs/{name}; run: python -m docs.generate" for name in found))
        return bool(found)
    for name, text in wanted.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
