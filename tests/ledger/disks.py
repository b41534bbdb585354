"""A disk under SQLite that fails when it is told to, and remembers what was written and what was synced.

SQLite lets a program put a file system of its own in place of the system's (a VFS). This one passes every call on to the
original, through the same library that Python's sqlite3 uses; it counts the steps, makes the n-th fail, and keeps a journal from
which the disk after a power cut can be built: what was synced is there, what was not may be there or not, in pieces.
"""

from __future__ import annotations

import _sqlite3
import ctypes as c
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512
_CODES = {"open": 14, "delete": 2570, "read": 266, "write": 778, "sync": 1034, "truncate": 1546, "map": 5386}
_P, _I, _L = c.c_void_p, c.c_int, c.c_int64


class _Vfs(c.Structure):
    _fields_ = (
        [("version", _I), ("size", _I), ("longest", _I), ("next", _P), ("name", c.c_char_p), ("data", _P)]
        + [(name, _P) for name in ("open", "delete", "access", "full_path", "dl_open", "dl_error", "dl_sym", "dl_close")]
        + [
            (name, _P)
            for name in ("randomness", "sleep", "current_time", "last_error", "current_time_64", "set", "get", "following")
        ]
    )


class _Methods(c.Structure):
    _fields_ = [("version", _I)] + [
        (name, _P)
        for name in (
            *("close", "read", "write", "truncate", "sync", "size", "lock", "unlock", "reserved", "control", "sector"),
            *("traits", "map", "shm_lock", "barrier", "unmap", "fetch", "unfetch"),
        )
    ]


class _File(c.Structure):
    _fields_ = [("methods", c.POINTER(_Methods))]


_SHAPES: dict[str, Any] = {
    "close": c.CFUNCTYPE(_I, _P),
    "read": c.CFUNCTYPE(_I, _P, _P, _I, _L),
    "write": c.CFUNCTYPE(_I, _P, _P, _I, _L),
    "truncate": c.CFUNCTYPE(_I, _P, _L),
    "sync": c.CFUNCTYPE(_I, _P, _I),
    "map": c.CFUNCTYPE(_I, _P, _I, _I, _I, _P),
}
_OPEN, _DELETE = c.CFUNCTYPE(_I, _P, _P, _P, _I, _P), c.CFUNCTYPE(_I, _P, c.c_char_p, _I)


@dataclass
class Disk:
    """What happened below SQLite. `fail` is the step that fails (counting from 1), `dead` whether all later ones fail too."""

    fail: int = 0
    dead: bool = False
    steps: int = 0
    failed: str = ""
    journal: list[tuple[int, str, str, int, bytes]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)

    def step(self, kind: str, name: str) -> bool:
        """Count a step; whether it may go on."""
        self.steps += 1
        if self.steps == self.fail or (self.dead and self.fail and self.steps > self.fail):
            self.failed = self.failed or f"{kind} {Path(name).name}"
            return False
        return True

    def after_power_cut(self, at: int, luck: random.Random) -> dict[str, bytes]:
        """The files as a power cut after this step may leave them."""
        files: dict[str, bytearray] = {}
        for name in {entry[2] for entry in self.journal}:
            own = [entry for entry in self.journal if entry[2] == name and entry[0] <= at]
            synced = max((i for i, entry in enumerate(own) if entry[1] == "sync"), default=-1)
            content = bytearray()
            for i, (_, kind, _, offset, data) in enumerate(own):
                if kind == "write":
                    for start in range(0, len(data), SECTOR):
                        if i <= synced or luck.random() < 0.5:
                            _put(content, offset + start, data[start : start + SECTOR])
                elif kind == "truncate" and (i <= synced or luck.random() < 0.5):
                    del content[offset:]
                elif kind == "delete":
                    content.clear()
            files[name] = content
        return {name: bytes(content) for name, content in files.items()}


def _put(content: bytearray, offset: int, data: bytes) -> None:
    if len(content) < offset + len(data):
        content.extend(bytes(offset + len(data) - len(content)))
    content[offset : offset + len(data)] = data


def library() -> Any:
    """The SQLite that Python's sqlite3 is linked with; None where it is built into Python and cannot be reached."""
    try:
        found = c.CDLL(_sqlite3.__file__)
        found.sqlite3_vfs_find.restype = c.POINTER(_Vfs)
    except (OSError, AttributeError):
        return None
    return found


@contextmanager
def disk(watched: Path) -> Iterator[Disk]:
    """Put a disk of ours under every database in this folder that is opened from now on."""
    sqlite = library()
    original = sqlite.sqlite3_vfs_find(None)
    state = Disk()
    keep: list[Any] = []
    tables: dict[int, Any] = {}
    opened = _OPEN(original.contents.open)
    deleted = _DELETE(original.contents.delete)

    def ours(name: str) -> bool:
        return name.startswith(str(watched)) and not name.endswith("-shm")

    def xopen(_: Any, name: int | None, file: int, flags: int, out: int) -> int:
        # The name must go on as the pointer that came: SQLite keeps it as long as the file is open, and names others after it.
        text = c.string_at(name).decode() if name else ""
        if ours(text) and not state.step("open", text):
            return _CODES["open"]
        code: int = opened(c.cast(original, _P), name, file, flags, out)
        if code == 0 and ours(text):
            state.names[file] = text
            methods = c.cast(file, c.POINTER(_File)).contents.methods
            address = c.addressof(methods.contents)
            if address not in tables:
                tables[address] = _hooked(state, methods.contents, keep)
            c.cast(file, c.POINTER(_File)).contents.methods = c.pointer(tables[address])
        return code

    def xdelete(_: Any, name: bytes, sync: int) -> int:
        text = name.decode()
        if ours(text) and not state.step("delete", text):
            return _CODES["delete"]
        code: int = deleted(c.cast(original, _P), name, sync)
        if code == 0 and ours(text):
            state.journal.append((state.steps, "delete", text, 0, b""))
        return code

    copy = _Vfs.from_buffer_copy(original.contents)
    copy.name = b"twoworlds-test-disk"
    hooks = _OPEN(xopen), _DELETE(xdelete)
    copy.open, copy.delete = (c.cast(hook, _P) for hook in hooks)
    keep += hooks
    sqlite.sqlite3_vfs_register(c.byref(copy), 1)
    try:
        yield state
    finally:
        sqlite.sqlite3_vfs_unregister(c.byref(copy))
        sqlite.sqlite3_vfs_register(original, 1)
        _GRAVEYARD.append((copy, keep, tables))


_GRAVEYARD: list[Any] = []  # a connection that outlives its test may still call them


def _hooked(state: Disk, methods: _Methods, keep: list[Any]) -> _Methods:
    """The methods of a file, each a step of the disk."""
    table = _Methods.from_buffer_copy(methods)

    def hook(kind: str, noted: Callable[..., tuple[int, bytes]] | None) -> None:
        if not getattr(methods, kind):  # a log has no shared memory
            return
        original = _SHAPES[kind](getattr(methods, kind))

        def call(file: int, *rest: Any) -> int:
            name = state.names.get(file, "")
            if not state.step(kind, name):
                return _CODES[kind]
            code: int = original(file, *rest)
            if code == 0 and noted is not None:
                state.journal.append((state.steps, kind, name, *noted(*rest)))
            return code

        wrapped = _SHAPES[kind](call)
        keep.extend((original, wrapped))
        setattr(table, kind, c.cast(wrapped, _P))

    hook("read", None)
    hook("map", None)
    hook("write", lambda data, count, offset: (offset, c.string_at(data, count)))
    hook("truncate", lambda size: (size, b""))
    hook("sync", lambda _: (0, b""))
    return table
