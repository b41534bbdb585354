"""One file of the standard library checks receipts and ledgers, and finds every way of changing them."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.books import ask, light_folder
from tests.ledger.histories import forger, lived, rewritten, rows, sole, with_sql
from twoworlds.ledger import standalone
from twoworlds.ledger.book import Ledger, Tampered
from twoworlds.ledger.keys import drawn
from twoworlds.ledger.standalone import Frontier, Refuted, canonical, extends, leaf, node, root_from_path, signed
from twoworlds.ledger.tree import consistency, inclusion
from twoworlds.losses.filters import PureFilter

SOURCE = Path(standalone.__file__)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with light_folder() as found:
        book = lived(found / "l.db")
        sole(book, found / "copy.db")
        (found / "head.json").write_text(json.dumps(book.head()))
        (found / "receipt.json").write_text(json.dumps(book.receipt(book.history()[-1].hash)))
        book.close()
        yield found


def alone(folder: Path, *words: object) -> tuple[int, str]:
    """The verifier, copied to where no twoworlds is, in an interpreter that finds nothing but the standard library."""
    copy = folder / "elsewhere" / "verify_receipt.py"
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(SOURCE, copy)
    command = [sys.executable, "-I", "-S", copy, *map(str, words)]
    ran = subprocess.run(command, cwd=copy.parent, capture_output=True, text=True, check=False, env={})
    return ran.returncode, ran.stdout + ran.stderr


def test_it_imports_the_standard_library_alone() -> None:
    """Nothing of ours, nothing installed."""
    names = {
        name.partition(".")[0]
        for found in ast.walk(ast.parse(SOURCE.read_text()))
        for name in (
            [alias.name for alias in found.names]
            if isinstance(found, ast.Import)
            else [str(found.module)]
            if isinstance(found, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names


def test_it_runs_from_a_copy_elsewhere(folder: Path) -> None:
    """A receipt and a ledger hold, with and without a pinned key and a kept head; the exit codes say what it found."""
    book = Ledger(folder / "l.db")
    key = book.head()["key"]
    code, told = alone(folder, folder / "receipt.json", "--key", key)
    assert code == 0 and told.endswith("it holds\n") and "charged" in told and "answer       7" in told
    assert alone(folder, folder / "copy.db", "--key", key, "--against", folder / "head.json")[0] == 0
    code, told = alone(folder, folder / "receipt.json", "--key", forger().public)
    assert code == 1 and "was not handed down" in told
    assert alone(folder, folder / "nothing.json")[0] == 2
    assert alone(folder)[0] == 2 and alone(folder, folder / "copy.db", "--kye", key)[0] == 2
    (folder / "broken.json").write_text("{")
    assert alone(folder, folder / "broken.json")[0] == 2


def test_the_key_of_before_a_rotation_is_enough(folder: Path) -> None:
    """Whoever pinned the first key accepts the second, which the first has signed."""
    opened = json.loads(rows(folder / "copy.db")[0][1])
    assert opened["kind"] == "OPEN" and opened["key"] != json.loads((folder / "head.json").read_text())["key"]
    standalone.check_ledger(folder / "copy.db", key=opened["key"])
    standalone.check_receipt(json.loads((folder / "receipt.json").read_text()), key=opened["key"])


# Receipts


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every text and number in a JSON value, with the way to it."""
    if isinstance(value, dict | list):
        for at in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[at], (*path, at))
    else:
        yield path, value


def changed(receipt: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(receipt))
    inner = copy
    for at in path[:-1]:
        inner = inner[at]
    inner[path[-1]] = value
    return copy


def holds(receipt: Any, **options: Any) -> bool:
    try:
        standalone.check_receipt(receipt, **options)
    except (Refuted, ValueError, KeyError, TypeError):
        return False
    return True


def test_every_change_of_a_receipt_is_found(folder: Path) -> None:
    """Each text in it with a character changed, at the start, the middle and the end, and each number one more: none holds."""
    receipt = json.loads((folder / "receipt.json").read_text())
    assert holds(receipt)
    tried = 0
    for path, value in leaves(receipt):
        for at in {0, len(value) // 2, len(value) - 1} if isinstance(value, str) else [0]:
            other = value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :] if isinstance(value, str) else value + 1
            assert not holds(changed(receipt, path, other)), path
            tried += 1
    assert tried > 60


def test_parts_cannot_be_left_out_doubled_or_exchanged(folder: Path) -> None:
    """Entries that are missing, twice, in another order, or of another release; a head of another time; a path too long."""
    receipt = json.loads((folder / "receipt.json").read_text())
    for at in range(len(receipt["entries"])):
        assert not holds({**receipt, "entries": receipt["entries"][:at] + receipt["entries"][at + 1 :]}), at
        doubled = receipt["entries"][: at + 1] + receipt["entries"][at:]
        assert not holds({**receipt, "entries": doubled})
    assert not holds({**receipt, "entries": receipt["entries"][::-1]})
    assert not holds({**receipt, "answer": canonical({"answer": 8, "salt": "0"})})
    for at, entry in enumerate(receipt["entries"]):
        for path in (entry["path"] + ["00" * 32], entry["path"][:-1], entry["path"][::-1]):
            assert not holds(changed(receipt, ("entries", at, "path"), path))
    del receipt["answer"]
    assert holds(receipt)  # the charge is proved, the answer is nobody's business


def test_a_receipt_of_one_charge_does_not_serve_another(folder: Path) -> None:
    """The answer of one reservation beside the charge of another is refuted, each part being genuine."""
    book = Ledger(folder / "l.db")
    first, second = (book.receipt(entry.hash) for entry in book.history("people") if entry.kind == "RELEASE" and entry.seq < 12)
    charge = {json.loads(entry["body"])["kind"]: entry for entry in first["entries"]}["RESERVE"]
    mixed = [charge if '"RESERVE"' in entry["body"] else entry for entry in second["entries"]]
    with pytest.raises(Refuted, match="another charge"):
        standalone.check_receipt({**second, "entries": mixed})


def test_a_receipt_continues_a_kept_head(folder: Path) -> None:
    """A head that was kept is continued by the receipt's, for every size; the head of another history is not."""
    with light_folder() as other:
        book = lived(other / "l.db")
        kept = []
        for number in range(9):
            kept.append(book.head())
            ask(book, number)
        hashed = book.history()[-1].hash
        for head in kept:
            assert holds(book.receipt(hashed, against=head), against=head)
            assert not holds(book.receipt(hashed), against=head)  # without the way nothing is shown
        stranger = json.loads((folder / "head.json").read_text())
        assert not holds(book.receipt(hashed, against=kept[0]), against=stranger)
        forged = {**kept[0], "root": kept[1]["root"]}
        assert not holds(book.receipt(hashed, against=kept[0]), against=forged)


# Ledgers

Tamper = Callable[[Path], None]


def _bodies(path: Path) -> list[str]:
    return [row[1] for row in rows(path)]


def _cheaper(body: str) -> str:
    return body.replace('"epsilon":"1/10"', '"epsilon":"1/99"')


TAMPERINGS: dict[str, Tamper] = {
    "an edited text": lambda path: with_sql(path, """UPDATE entry SET body = replace(body, '"1/10"', '"1/99"') WHERE seq = 4"""),
    "an edited time": lambda path: with_sql(
        path, 'UPDATE entry SET body = replace(body, \'"at":"2\', \'"at":"1\') WHERE seq = 9'
    ),
    "an edited hash": lambda path: with_sql(path, "UPDATE entry SET hash = zeroblob(32) WHERE seq = 5"),
    "an edited place in the tree": lambda path: with_sql(path, "UPDATE entry SET nodes = zeroblob(32) WHERE seq = 6"),
    "an edited answer": lambda path: with_sql(path, """UPDATE entry SET answer = replace(answer, '"answer":1', '"answer":2')"""),
    "a removed answer": lambda path: with_sql(path, "UPDATE entry SET answer = NULL WHERE seq = 5"),
    "an answer where none was": lambda path: with_sql(path, "UPDATE entry SET answer = '{}' WHERE seq = 4"),
    "a deleted entry": lambda path: with_sql(path, "DELETE FROM entry WHERE seq = 4"),
    "the last entry gone": lambda path: with_sql(path, "DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)"),
    "all entries gone": lambda path: with_sql(path, "DELETE FROM entry"),
    "the first entry gone": lambda path: with_sql(path, "DELETE FROM entry WHERE seq = 1"),
    "two entries exchanged": lambda path: with_sql(
        path, *(f"UPDATE entry SET seq = {to} WHERE seq = {at}" for at, to in ((4, 99), (6, 4), (99, 6)))
    ),
    "an entry put in and chained": lambda path: rewritten(path, [*_bodies(path), _bodies(path)[3]]),
    "an edit, chained anew": lambda path: rewritten(path, [_cheaper(body) for body in _bodies(path)]),
    "an entry left out, chained anew": lambda path: rewritten(path, _bodies(path)[:3] + _bodies(path)[4:]),
    "an exchange, chained anew": lambda path: rewritten(path, [*_bodies(path)[:3], _bodies(path)[5], *_bodies(path)[4:]]),
    "the end cut off, chained anew": lambda path: rewritten(path, _bodies(path)[:-3]),
    "another key's signature": lambda path: rewritten(path, [_cheaper(body) for body in _bodies(path)], key=forger()),
    "no head": lambda path: with_sql(path, "DELETE FROM head"),
    "a head without a signature": lambda path: with_sql(path, "UPDATE head SET text = json_remove(text, '$.signature')"),
    "a signature of zeros": lambda path: with_sql(path, f"UPDATE head SET text = json_set(text, '$.signature', '{'00' * 64}')"),
}


@pytest.mark.parametrize("how", TAMPERINGS)
def test_every_tampering_of_a_ledger_is_found(folder: Path, tmp_path: Path, how: str) -> None:
    """By the verifier of one file and by the program: edits, deletions, exchanges, cuts and forged signatures."""
    path = tmp_path / "l.db"
    shutil.copy(folder / "copy.db", path)
    for beside in ("key", "head"):
        shutil.copy(folder / f"l.db.{beside}", f"{path}.{beside}")
    standalone.check_ledger(path)
    Ledger(path).verify()
    Ledger(path).close()
    sole(Ledger(path), tmp_path / "again.db")
    TAMPERINGS[how](tmp_path / "again.db")
    with pytest.raises((Refuted, TypeError, KeyError)):
        standalone.check_ledger(tmp_path / "again.db")
    TAMPERINGS[how](path)
    with pytest.raises(Tampered):
        Ledger(path).verify()


def test_a_history_that_was_signed_anew_needs_the_pinned_key(folder: Path, tmp_path: Path) -> None:
    """Whoever rewrites everything, the key too, makes a ledger that holds by itself: only a pinned key or a kept head tells."""
    path, key = tmp_path / "l.db", forger()
    shutil.copy(folder / "copy.db", path)
    first = json.loads(rows(path)[0][1])
    bodies = [body.replace(first["key"], key.public) for body in _bodies(path)]
    bodies = [_cheaper(body) for body in bodies if '"ROTATE"' not in body]
    renumbered = [canonical({**json.loads(body), "seq": seq}) for seq, body in enumerate(bodies[:5], 1)]
    rewritten(path, renumbered, key=key)
    standalone.check_ledger(path)
    with pytest.raises(Refuted, match="not handed down from the pinned key"):
        standalone.check_ledger(path, key=first["key"])
    with pytest.raises(Refuted, match="older copy"):
        standalone.check_ledger(path, against=json.loads((folder / "head.json").read_text()))


def test_a_rollback_is_found_by_a_kept_head() -> None:
    """Every older copy, genuine in all its parts, is refuted by any head that was kept later, and by no earlier one."""
    with light_folder() as folder:
        book = lived(folder / "l.db")
        heads, copies = [], []
        for number in range(4):
            heads.append(book.head())
            copies.append(sole(book, folder / f"{number}.db"))
            ask(book, number)
        for at, copy in enumerate(copies):
            for kept, head in enumerate(heads):
                if kept <= at:
                    standalone.check_ledger(copy, against=head)
                else:
                    with pytest.raises(Refuted, match="older copy was put back"):
                        standalone.check_ledger(copy, against=head)


def test_what_is_no_receipt_is_told_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any JSON, deep or of other kinds, and parts of other kinds: exit code 2 or 1 with one line, never an error of Python's."""
    real = json.loads((folder / "receipt.json").read_text())
    texts = ["[]", "3", "null", '"x"', "{}", "NaN", "1e400", "[" * 100_000, '{"a":' * 50_000]
    for part in ("head", "entries", "answer"):
        texts += [json.dumps({**real, part: other}) for other in (None, 5, [], {}, [5], [[]], "[]", [{"body": 5}])]
    for name in real["head"]:
        texts += [json.dumps({**real, "head": {**real["head"], name: other}}) for other in (None, True, -1, 1.5, [], "zz")]
    for text in texts:
        (folder / "odd.json").write_text(text)
        code = standalone.main([str(folder / "odd.json")])
        told = capsys.readouterr()
        if code == 0:  # a receipt may leave out its answer
            assert json.loads(text)["answer"] is None
        else:
            assert (code, len((told.out + told.err).strip().split("\n"))) in ((1, 1), (2, 1))


def test_a_pinned_key_may_be_written_in_capitals(folder: Path) -> None:
    """It is a number in hex."""
    real = json.loads((folder / "receipt.json").read_text())
    assert standalone.check_receipt(real, key=real["head"]["key"].upper())


# The parts


def test_the_tree_is_that_of_rfc_6962() -> None:
    """Roots, ways in and ways on, for all sizes up to 40, beside the definition; a wrong root is never shown."""

    def root(hashes: list[bytes]) -> bytes:
        if len(hashes) == 1:
            return leaf(hashes[0])
        cut = 1 << (len(hashes) - 1).bit_length() - 1
        return node(root(hashes[:cut]), root(hashes[cut:]))

    with light_folder() as folder:
        book = Ledger(folder / "l.db")
        for number in range(39):
            book.create(str(number), PureFilter(1))
        hashes = [bytes.fromhex(entry.hash) for entry in book.history()]
        frontier = Frontier()
        with book._store.reading() as connection:
            for size in range(1, 41):
                frontier.add(hashes[size - 1])
                assert frontier.root() == root(hashes[:size])
                for seq in range(1, size + 1):
                    path = inclusion(connection, seq, size)
                    assert root_from_path(hashes[seq - 1], seq, size, path) == frontier.root()
                    way = consistency(connection, seq, size)
                    assert extends(seq, root(hashes[:seq]), size, frontier.root(), way)
                    assert not extends(seq, leaf(b"other"), size, frontier.root(), way)
                    assert not extends(seq, root(hashes[:seq]), size, leaf(b"other"), way)


RFC_8032 = (  # section 7.1: secret key, public key, message, signature
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)


def test_ed25519_is_that_of_rfc_8032() -> None:
    """The standard's own examples hold; with a bit changed anywhere they do not."""
    for key, message, signature in (tuple(map(bytes.fromhex, one)) for one in RFC_8032):
        assert signed(key, message, signature)
        assert not signed(key, message + b"!", signature)
        for at in (0, 31, 32, 63):
            broken = bytearray(signature)
            broken[at] ^= 1
            assert not signed(key, message, bytes(broken))


def test_ed25519_agrees_with_cryptography() -> None:
    """Signatures of the library hold here; malleable and malformed ones do not."""
    order = 2**252 + 27742317777372353535851937790883648493
    for number in range(8):
        key, message = drawn(), bytes([number]) * number
        signature = bytes.fromhex(key.sign(message))
        assert signed(bytes.fromhex(key.public), message, signature)
        larger = (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
        assert not signed(bytes.fromhex(key.public), message, signature[:32] + larger)
        assert not signed(bytes.fromhex(drawn().public), message, signature)
    for key_text in (b"\xff" * 32, (2**255 - 19).to_bytes(32, "little"), b"short"):
        assert not signed(key_text, b"", b"\0" * 64)
