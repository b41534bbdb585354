"""The hash chain: every entry's hash covers its content and the hash of the entry before it, so history cannot be edited."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["GENESIS", "canonical", "link"]

GENESIS = hashlib.sha256(b"twoworlds ledger 1").hexdigest()


def canonical(content: Mapping[str, Any]) -> str:
    """One text per content: sorted keys, no spaces, ASCII only."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def link(previous: str, content: str) -> str:
    """The hash of an entry, given the hash of the one before it and its canonical text."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
