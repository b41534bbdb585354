"""The witness: the newest signed head, kept in a file outside the database, so that an older copy that is put back is noticed.

It is written after every commit and may lag by the last one, when the machine stopped in between; it may never be ahead. Two
slots are written in turn, each with its digest, so that a torn write leaves the other.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from twoworlds.ledger.standalone import canonical
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Witness"]

SLOT = 1024
Head = dict[str, Any]


class Witness:
    """The file beside the ledger; written only by whoever has the turn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = b""
        self._slots: tuple[Head | None, Head | None] = None, None  # of the text that was seen last

    def read(self) -> Head | None:
        """The newest head of the two slots; None where none was ever written."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            text = b""
        except OSError as error:
            raise TwoWorldsError(f"the witness {self.path} cannot be read: {error.strerror}", "Nothing was released") from None
        if text != self._text:
            slots = _parsed(text[:SLOT]), _parsed(text[SLOT : 2 * SLOT])
            if text.strip(b"\0") and slots == (None, None):
                fix = "If the disk failed, delete it and acknowledge the loss: twoworlds ledger acknowledge"
                raise TwoWorldsError(f"the witness {self.path} is damaged", fix)
            self._text, self._slots = text, slots
        return max((head for head in self._slots if head is not None), key=lambda head: int(head["size"]), default=None)

    def write(self, head: Head, *, anew: bool = False) -> None:
        """Keep this head: over the older slot of those that were read in this turn, or alone."""
        line = canonical(head)
        slot = f"{hashlib.sha256(line.encode()).hexdigest()} {line}".encode().ljust(SLOT - 1) + b"\n"
        assert len(slot) == SLOT
        first, second = (None, None) if anew else self._slots
        over = SLOT if first and (not second or second["size"] < first["size"]) else 0
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.pwrite(descriptor, slot + bytes(SLOT) if anew else slot, over)
        finally:
            os.close(descriptor)
        self._slots = (head, None) if anew else (first, head) if over else (head, second)
        self._text = slot + bytes(SLOT) if anew else (self._text[:over].ljust(over, b"\0") + slot + self._text[over + SLOT :])


def _parsed(slot: bytes) -> Head | None:
    digest, _, line = slot.rstrip().partition(b" ")
    if not line or hashlib.sha256(line).hexdigest().encode() != digest:
        return None
    head: Head = json.loads(line)
    return head
