"""Where a ledger may live: on a disk of this machine. Locks and syncs of network file systems promise less than they say."""

from __future__ import annotations

import re
from pathlib import Path

from twoworlds.worlds.errors import BadArgument

__all__ = ["check_place", "file_system"]

_MOUNTS = Path("/proc/self/mountinfo")
_REMOTE = re.compile(
    r"(nfs\d*|cifs|smb\w*|9p|afs|ncpfs|coda|ceph|glusterfs|lustre|gpfs|beegfs|ocfs2|gfs2|orangefs|davfs\d*|vboxsf|vmhgfs|prl_fs"
    r"|fuse\.(?!ext\d|lxcfs|ntfs|exfat|bindfs).*)"
)


def file_system(path: Path, mounts: str) -> str | None:
    """The kind of file system that holds the path, from the text of /proc/self/mountinfo; None if it names none."""
    found, length = None, -1
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= length:  # a later mount on the same point hides the earlier
            found, length = after.split()[0], len(point.parts)
    return found


def check_place(path: Path) -> None:
    """Refuse a path on a network file system. Systems without /proc cannot tell, and the docs say so."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadArgument("path", str(path), "is in a folder that does not exist", f"Create {folder} first")
    try:
        kind = file_system(folder, _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return
    if kind is not None and _REMOTE.fullmatch(kind):
        why = f"is on a network file system ({kind}), whose locks and syncs cannot be relied on"
        raise BadArgument("path", str(path), why, "Give a path on a disk of this machine")
