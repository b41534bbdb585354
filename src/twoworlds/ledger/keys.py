"""The ledger's signing key: Ed25519, in a file that only its owner can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from twoworlds.worlds.errors import BadArgument, TwoWorldsError

__all__ = ["Key", "drawn", "read_key", "write_key"]


class Key:
    """A private key; `public` names it in hex."""

    def __init__(self, private: Any) -> None:
        self._private = private
        self.public: str = private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """The signature in hex."""
        signature: bytes = self._private.sign(message)
        return signature.hex()

    def text(self) -> bytes:
        """As PKCS 8 in PEM, which other tools read."""
        from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  loaded only when a key is used

        text: bytes = self._private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
        return text

    def __repr__(self) -> str:
        return f"Key(public={self.public!r})"


def drawn() -> Key:
    """A new key from the operating system's entropy."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  loaded only when used

    return Key(Ed25519PrivateKey.generate())


def read_key(path: Path) -> Key:
    """The key in this file, which nobody but its owner may be able to read."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  loaded only when a key is used
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  as above
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415  as above

    try:
        with path.open("rb") as file:
            mode, text = os.fstat(file.fileno()).st_mode, file.read()
    except FileNotFoundError:
        fix = "Put the key back, or say that it is lost: twoworlds ledger rekey"
        raise TwoWorldsError(f"the ledger's key {path} is missing, and without it nothing can be charged", fix) from None
    except OSError as error:
        raise TwoWorldsError(f"the ledger's key {path} cannot be read: {error.strerror}", "Ask its owner") from None
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise BadArgument("key", str(path), f"may be read by others (mode {stat.S_IMODE(mode):o})", f"Run: chmod 600 {path}")
    try:
        private = load_pem_private_key(text, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise BadArgument("key", str(path), "holds no Ed25519 key in PEM", "Put the ledger's own key back")
    return Key(private)


def write_key(key: Key, path: Path) -> None:
    """Durably, readable by its owner only; whatever was there is replaced in one step."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.text())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
