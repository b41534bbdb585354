"""What a run leaves in the tree: nothing. A file with a strange name in the root is how freed memory shows itself.

A C library that was handed a name which Python then let go of writes to whatever stands there afterwards (SQLite makes its
`-shm` file beside a name that it keeps for as long as a database is open), so such a file is a bug of memory and not untidiness.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["left", "untracked"]

WRITTEN_BY_PEOPLE = {".md", ".py"}  # somebody may be at work while the tests run


def untracked(root: Path) -> frozenset[str] | None:
    """The files in the tree that git neither knows nor ignores; None where there is no git to ask."""
    command = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
    try:
        ran = subprocess.run(command, cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    entries = ran.stdout.decode(errors="backslashreplace").split("\0")
    return frozenset(entry[3:] for entry in entries if entry.startswith("?? "))


def left(before: frozenset[str] | None, after: frozenset[str] | None) -> list[str]:
    """What appeared in between and is not what people write."""
    return sorted(name for name in (after or frozenset()) - (before or frozenset()) if Path(name).suffix not in WRITTEN_BY_PEOPLE)
