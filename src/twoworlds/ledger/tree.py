"""The Merkle tree over the entries (RFC 6962), read from the nodes that are stored with them: proofs take few rows, never a scan.

Entry `e` holds, in this order, the nodes above it that it completed: the one of height 1, of height 2 and so on. So the node of
height h over the leaves [k 2^h, (k + 1) 2^h) is the h-th of entry (k + 1) 2^h.
"""

from __future__ import annotations

import sqlite3

from twoworlds.ledger.standalone import GENESIS, Frontier, leaf, node

__all__ = ["consistency", "frontier_at", "inclusion"]

Hashes = list[bytes]


def _full(connection: sqlite3.Connection, height: int, place: int) -> bytes:
    """The node over the leaves [place 2^height, (place + 1) 2^height), all of which are there."""
    last = (place + 1) << height
    if height == 0:
        hashed: bytes = connection.execute("SELECT hash FROM entry WHERE seq = ?", (last,)).fetchone()[0]
        return leaf(hashed)
    at = 32 * (height - 1) + 1
    stored: bytes = connection.execute("SELECT substr(nodes, ?, 32) FROM entry WHERE seq = ?", (at, last)).fetchone()[0]
    return stored


def _over(connection: sqlite3.Connection, low: int, high: int) -> bytes:
    """The root of the leaves [low, high), split as RFC 6962 splits them."""
    count = high - low
    if count & (count - 1) == 0:
        height = count.bit_length() - 1
        return _full(connection, height, low >> height)
    middle = low + (1 << (count - 1).bit_length() - 1)
    return node(_over(connection, low, middle), _over(connection, middle, high))


def inclusion(connection: sqlite3.Connection, seq: int, size: int) -> Hashes:
    """The way from entry `seq` to the root of the first `size` entries, lowest first."""
    low, high, path = 0, size, Hashes()
    while high - low > 1:
        middle = low + (1 << (high - low - 1).bit_length() - 1)
        if seq - 1 < middle:
            path.append(_over(connection, middle, high))
            high = middle
        else:
            path.append(_over(connection, low, middle))
            low = middle
    return path[::-1]


def consistency(connection: sqlite3.Connection, old: int, new: int) -> Hashes:
    """What shows that the tree of `new` entries continues the one of its first `old` (RFC 6962, 2.1.2)."""
    if not 0 < old < new:
        return []
    low, high, whole, path = 0, new, True, Hashes()
    while old != high:
        middle = low + (1 << (high - low - 1).bit_length() - 1)
        if old <= middle:
            path.append(_over(connection, middle, high))
            high = middle
        else:
            path.append(_over(connection, low, middle))
            low, whole = middle, False
    if not whole:
        path.append(_over(connection, low, high))
    return path[::-1]


def frontier_at(connection: sqlite3.Connection, size: int) -> tuple[Frontier, bytes]:
    """The right edge of the tree of the first `size` entries, and the hash of the last."""
    peaks = [
        _full(connection, height, (size >> height) - 1) if size >> height & 1 else None for height in range(size.bit_length())
    ]
    if not size:
        return Frontier(), GENESIS
    last: bytes = connection.execute("SELECT hash FROM entry WHERE seq = ?", (size,)).fetchone()[0]
    return Frontier(peaks, size), last
