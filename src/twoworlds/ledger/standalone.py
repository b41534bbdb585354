"""Checks a receipt, or a ledger, with nothing but the standard library: this one file, copied anywhere, needs no twoworlds.

    python verify_receipt.py RECEIPT.json [--key PUBLIC_KEY] [--against HEAD.json]
    python verify_receipt.py LEDGER.db    [--key PUBLIC_KEY] [--against HEAD.json]

Exit codes: 0 it holds · 1 it does not · 2 it cannot be read. Docs: docs/reference/receipts.md. The format, in short:

- an entry's hash is SHA-256 of the hash before it and the entry's text, so every entry binds all history before it;
- a head is the root of the Merkle tree over these hashes (RFC 6962), signed by the ledger's Ed25519 key (RFC 8032);
- a receipt holds its entries, the short way from each to the root, and the signed head.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

GENESIS = hashlib.sha256(b"twoworlds ledger 2").digest()
RECEIPT = "twoworlds receipt 1"
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
HEAD_FIELDS = ("at", "chain", "key", "ledger", "root", "size")


class Refuted(Exception):
    """What was checked is not what it says it is."""


def canonical(content: Mapping[str, Any]) -> str:
    """One text per content: sorted keys, no spaces, ASCII only."""
    return _CANONICAL.encode(content)


def link(previous: bytes, body: str) -> bytes:
    """The hash of an entry, given the hash of the one before it (the first follows GENESIS)."""
    return hashlib.sha256(previous + body.encode()).digest()


def leaf(hashed: bytes) -> bytes:
    """An entry's place in the tree."""
    return hashlib.sha256(b"\0" + hashed).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Two neighbouring parts of the tree, joined."""
    return hashlib.sha256(b"\1" + left + right).digest()


class Frontier:
    """The right edge of a growing tree: a peak for every full part, which is all that is needed to go on."""

    def __init__(self, peaks: Iterable[bytes | None] = (), size: int = 0) -> None:
        self.peaks, self.size = list(peaks), size

    def add(self, hashed: bytes) -> bytes:
        """Append a leaf; the nodes that it completes, lowest first, in one text of bytes."""
        grown, completed, level = leaf(hashed), [], 0
        for level, peak in enumerate(self.peaks):
            if peak is None:
                break
            grown = node(peak, grown)
            completed.append(grown)
            self.peaks[level] = None
        else:
            level = len(self.peaks)
            self.peaks.append(None)
        self.peaks[level] = grown
        self.size += 1
        return b"".join(completed)

    def root(self) -> bytes:
        """The root of the tree so far."""
        found: bytes | None = None
        for peak in self.peaks:
            if peak is not None:
                found = peak if found is None else node(peak, found)
        return found or hashlib.sha256(b"").digest()


def root_from_path(hashed: bytes, seq: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root to which a path leads from entry `seq` (counting from 1) of a tree of this size (RFC 9162, 2.1.3.2)."""
    place, last, found = seq - 1, size - 1, leaf(hashed)
    if not 0 <= place <= last:
        raise Refuted(f"entry {seq} is not among the {size} entries of the head")
    for step in path:
        if last == 0:
            raise Refuted(f"the path of entry {seq} is too long")
        if place & 1 or place == last:
            found = node(step, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node(found, step)
        place, last = place >> 1, last >> 1
    if last:
        raise Refuted(f"the path of entry {seq} is too short")
    return found


def extends(old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the path shows that the tree of size `new` continues the one of size `old` (RFC 9162, 2.1.4.2)."""
    if old == new:
        return old_root == new_root and not path
    if not 0 < old < new:
        return old == 0 and not path
    steps = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if not steps:
        return False
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            before, after = node(step, before), node(step, after)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            after = node(after, step)
        place, last = place >> 1, last >> 1
    return last == 0 and before == old_root and after == new_root


# Ed25519, verification only: RFC 8032, sections 5.1.3 and 5.1.7. Nothing here is secret, so it need not run in constant time.

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_Point = tuple[int, int, int, int]  # extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z


def _point(encoded: bytes) -> _Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if len(encoded) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return x, y, 1, x * y % _P


def _sum(one: _Point, other: _Point) -> _Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % _P, (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar: int, point: _Point) -> _Point:
    total: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _sum(total, point)
        point, scalar = _sum(point, point), scalar >> 1
    return total


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this is the key's Ed25519 signature of the message."""
    point, first = _point(key), _point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or first is None or len(signature) != 64 or scalar >= _ORDER:
        return False
    assert _BASE is not None
    mixed = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _ORDER
    left, right = _times(scalar, _BASE), _sum(first, _times(mixed, point))
    return (left[0] * right[2] - right[0] * left[2]) % _P == 0 and (left[1] * right[2] - right[1] * left[2]) % _P == 0


# Heads and keys


def head_text(head: Mapping[str, Any]) -> bytes:
    """What is signed of a head."""
    return b"twoworlds head 2\n" + canonical({field: head[field] for field in HEAD_FIELDS}).encode()


def rotation_text(ledger: str, seq: int, previous: str, key: str) -> bytes:
    """What the old key signs when it hands over to a new one."""
    return b"twoworlds rotation 2\n" + canonical({"ledger": ledger, "seq": seq, "previous": previous, "key": key}).encode()


def check_head(head: Mapping[str, Any]) -> None:
    """A head must carry the signature of the key that it names."""
    if set(head) != {*HEAD_FIELDS, "signature"} or not isinstance(head["size"], int):
        raise Refuted("the head lacks a part, or has one too many")
    if not signed(bytes.fromhex(head["key"]), head_text(head), bytes.fromhex(head["signature"])):
        raise Refuted(f"the signature of the head over {head['size']} entries is not by key {head['key'][:16]}")


class Keys:
    """The keys of a ledger in the order of its entries: each handed over by the one before, or put in its place by force."""

    def __init__(self) -> None:
        self.ledger, self.current, self.trusted = "", "", set[str]()

    def follow(self, content: Mapping[str, Any], previous: bytes) -> None:
        """Take in an OPEN, ROTATE or REKEY entry; others change nothing."""
        if content["kind"] == "OPEN":
            if self.current:
                raise Refuted(f"entry {content['seq']} opens the ledger a second time")
            self.ledger, self.current, self.trusted = content["ledger"], content["key"], {content["key"]}
        elif content["kind"] == "ROTATE":
            text = rotation_text(self.ledger, content["seq"], previous.hex(), content["key"])
            if not signed(bytes.fromhex(self.current), text, bytes.fromhex(content["signature"])):
                raise Refuted(f"entry {content['seq']} changes the key without the signature of the old one")
            self.current = content["key"]
            self.trusted.add(self.current)
        elif content["kind"] == "REKEY":
            self.current, self.trusted = content["key"], {content["key"]}

    def check(self, head: Mapping[str, Any], pinned: str | None) -> None:
        """The head must be by the current key, and that key be the pinned one or handed down from it."""
        if head["key"] != self.current or head["ledger"] != self.ledger:
            raise Refuted("the head is not by the key that the ledger names")
        if pinned is not None and pinned.lower() not in self.trusted:
            raise Refuted(f"key {self.current[:16]} was not handed down from the pinned key {pinned[:16]}")


# Receipts


def check_receipt(receipt: Mapping[str, Any], *, key: str | None = None, against: Mapping[str, Any] | None = None) -> list[str]:
    """What a receipt shows, line by line; raises Refuted where it does not hold."""
    if receipt.get("format") != RECEIPT:
        raise Refuted("this is no receipt of format 1")
    head = receipt["head"]
    check_head(head)
    entries = [_included(entry, head) for entry in receipt["entries"]]
    seqs = [content["seq"] for content in entries]
    if seqs != sorted(set(seqs)):
        raise Refuted("the entries are not in order")
    keys = Keys()
    for content, entry in zip(entries, receipt["entries"], strict=True):
        keys.follow(content, bytes.fromhex(entry["previous"]))
    keys.check(head, key)
    if against is not None:
        check_head(against)
        path = [bytes.fromhex(step) for step in receipt.get("extends", [])]
        roots = bytes.fromhex(against["root"]), bytes.fromhex(head["root"])
        if against["ledger"] != head["ledger"] or not extends(against["size"], roots[0], head["size"], roots[1], path):
            raise Refuted(f"nothing shows that this head continues the one over {against['size']} entries")
    return _told(entries, receipt, keys.current)


def _included(entry: Mapping[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(entry["body"])
    hashed = link(bytes.fromhex(entry["previous"]), entry["body"])
    path = [bytes.fromhex(step) for step in entry["path"]]
    if root_from_path(hashed, content["seq"], head["size"], path) != bytes.fromhex(head["root"]):
        raise Refuted(f"entry {content['seq']} is not in the tree of the head")
    return content


def _told(entries: Sequence[Mapping[str, Any]], receipt: Mapping[str, Any], key: str) -> list[str]:
    """The story of one release: who promised what, what was charged, what was answered."""
    by_kind = {content["kind"]: content for content in entries}
    if not {"CREATE", "RESERVE", "RELEASE"} <= set(by_kind):
        raise Refuted("the receipt lacks the budget, the charge or the answer")
    created, reserved, released = (by_kind[kind] for kind in ("CREATE", "RESERVE", "RELEASE"))
    if not created["population"] == reserved["population"] == released["population"]:
        raise Refuted("the entries speak of different populations")
    if released["reservation"] != reserved["seq"]:
        raise Refuted("the answer belongs to another charge")
    told = [
        f"population   {created['population']}",
        f"budget       {canonical(created['filter'])}",
        f"charged      {canonical(reserved['charge'])}",
        f"event        {canonical(reserved['event'])}",
        f"claim        {canonical(reserved.get('claim', {}))}",
        f"entries      {reserved['seq']} and {released['seq']} of {receipt['head']['size']}, {released['at']}",
        f"key          {key}",
    ]
    answer = receipt.get("answer")
    if answer is not None:
        if hashlib.sha256(answer.encode()).hexdigest() != released["answered"]:
            raise Refuted("the answer is not the one that was recorded")
        told.append(f"answer       {canonical(json.loads(answer)['answer'])}")
    return told


# Ledgers


Row = tuple[int, str, bytes, bytes, str | None]
ROWS = "SELECT seq, body, hash, nodes, answer FROM entry ORDER BY seq"


def walk(rows: Iterable[Row], frontier: Frontier, keys: Keys) -> Iterator[tuple[int, str, bytes, dict[str, Any] | None]]:
    """Follow the entries of a ledger from its first; raises Refuted at the first that does not follow.

    Gives number, text and hash of each, and what the text says where it had to be read for this.
    """
    previous = GENESIS
    for seq, body, hashed, nodes, answer in rows:
        if link(previous, body) != hashed or seq != frontier.size + 1:
            raise Refuted(f"entry {frontier.size + 1} does not follow from the one before")
        if frontier.add(hashed) != nodes:
            raise Refuted(f"entry {seq} does not have its place in the tree")
        content: dict[str, Any] | None = None
        if answer is not None or '"answered":' in body or '"key":' in body:  # of others the hash is enough
            content = json.loads(body)
            keys.follow(content, previous)
            digest = content.get("answered") if content["kind"] == "RELEASE" else None
            if digest != (None if answer is None else hashlib.sha256(answer.encode()).hexdigest()):
                raise Refuted(f"the answer of entry {seq} is not the one that was recorded")
        yield seq, body, hashed, content
        previous = hashed


def check_ledger(path: Path, *, key: str | None = None, against: Mapping[str, Any] | None = None) -> list[str]:
    """What a ledger's file shows: chain, tree, answers and signed head; raises Refuted where they do not hold."""
    frontier, keys, previous = Frontier(), Keys(), GENESIS
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        for _, _, hashed, _ in walk(connection.execute(ROWS), frontier, keys):
            previous = hashed
            if against is not None and frontier.size == against["size"] and frontier.root().hex() != against["root"]:
                raise Refuted(f"this is not the ledger whose head over {against['size']} entries was kept")
        head = json.loads(connection.execute("SELECT text FROM head").fetchone()[0])
    finally:
        connection.close()
    check_tail(head, frontier, previous)
    keys.check(head, key)
    if against is not None:
        check_head(against)
        if against["ledger"] != head["ledger"] or against["size"] > head["size"]:
            raise Refuted(f"an older copy was put back: a head over {against['size']} entries was kept, here are {head['size']}")
    return [f"{frontier.size} entries follow from one another; head {previous.hex()}", f"key {keys.current}"]


def check_tail(head: Mapping[str, Any], frontier: Frontier, last: bytes) -> None:
    """The signed head must be the head of the entries that were followed."""
    check_head(head)
    if (head["size"], head["chain"], head["root"]) != (frontier.size, last.hex(), frontier.root().hex()):
        raise Refuted(f"the signed head over {head['size']} entries is not the head of these {frontier.size}")


def is_database(path: Path) -> bool:
    """Whether a file is a ledger, not a receipt."""
    with path.open("rb") as file:
        return file.read(15) == b"SQLite format 3"


def main(words: Sequence[str]) -> int:
    """The command line of this file."""
    options = dict(zip(words[1::2], words[2::2], strict=False))
    if len(words) % 2 == 0 or not words or not set(options) <= {"--key", "--against"}:
        print(__doc__)
        return 2
    path, against = Path(words[0]), options.get("--against")
    try:
        kept = None if against is None else json.loads(Path(against).read_text())
        if is_database(path):
            told = check_ledger(path, key=options.get("--key"), against=kept)
        else:
            told = check_receipt(json.loads(path.read_text()), key=options.get("--key"), against=kept)
    except Refuted as error:
        print(f"does not hold: {error}")
        return 1
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, sqlite3.Error) as error:
        print(f"cannot be read: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print("\n".join([*told, "it holds" if "--key" in options else "it holds, if that key is the one you trust (--key)"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
