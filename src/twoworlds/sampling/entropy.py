"""Uniform bits: the operating system's entropy, stretched by AES-256 in counter mode, one stream per thread and process.

Under the usual assumption that AES-256 is a pseudo-random permutation, 64 MiB of one key are told apart from uniform bits with
advantage at most 2^-85 (the birthday term (2^22)^2 / 2^129) plus the advantage against AES itself; that is the one computational
assumption of every draw. Each thread has a key of its own, replaced every 64 MiB and whenever the process forks, so no two
threads or processes ever read the same bits. A virtual machine that is cloned while it runs copies keys with it: restart the
process after restoring a snapshot.
"""

from __future__ import annotations

import os
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from twoworlds.worlds.errors import BadArgument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SYSTEM", "Entropy", "SeededEntropy", "Stream", "SystemEntropy", "after_fork"]

WORDS = 64  # words fetched at once for scalar draws
KEY_LIFE = 1 << 26  # bytes drawn from one key
# Importing `cryptography` costs as much CPU as 4 to 8 MB straight from the system (measured: 14 ms, 540 MB/s), so a process
# rents from the system until it has spent about that much, then buys the cipher.
RENT = 1 << 22


def after_fork(act: Callable[[], None]) -> None:
    """Do this first in the child of every fork; systems without forks need nothing."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=act)


class Stream(ABC):
    """Uniform bits for one thread at a time. Subclasses say where the bytes come from."""

    __slots__ = ("_words",)

    def __init__(self) -> None:
        self._words: list[int] = []

    @abstractmethod
    def fill(self, count: int) -> bytes | memoryview:
        """`count` uniform bytes."""

    def word(self) -> int:
        """64 uniform bits."""
        try:
            return self._words.pop()
        except IndexError:
            self._words.extend(struct.unpack(f"<{WORDS}Q", self.fill(8 * WORDS)))
            return self._words.pop()

    def bits(self, count: int) -> int:
        """`count` uniform bits as one integer."""
        whole, rest = divmod(count, 64)
        number = self.word() >> (64 - rest) if rest else 0
        for _ in range(whole):
            number = number << 64 | self.word()
        return number

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to bound - 1: draw as many bits as bound - 1 has, again when the number is too large."""
        length = (bound - 1).bit_length()
        while True:
            number = self.bits(length)
            if number < bound:
                return number

    def array(self, count: int, dtype: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        """`count` uniform machine words; the array may be read-only."""
        import numpy as np  # noqa: PLC0415  scalar draws do without numpy

        kind = np.dtype(dtype)
        return np.frombuffer(self.fill(count * kind.itemsize), kind)


class Keystream:
    """AES-256 in counter mode over zeros."""

    __slots__ = ("_update", "left")

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415  small draws do without it

        self._update = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update_into
        self.left = KEY_LIFE

    def fill(self, count: int) -> memoryview:
        buffer = bytearray(count + 15)  # update_into asks for room for one block more
        self._update(bytes(count), buffer)
        self.left -= count
        return memoryview(buffer)[:count]


class SystemStream(Stream):
    """The stream of one thread of one process: os.urandom while little is needed, then AES keyed by os.urandom."""

    __slots__ = ("_keystream", "_process", "_rented")

    def __init__(self) -> None:
        super().__init__()
        self._keystream: Keystream | None = None
        self._process = os.getpid()
        self._rented = 0

    def fill(self, count: int) -> bytes | memoryview:
        if self._process != os.getpid():
            # A fork that passed by the interpreter's hooks: what this copy holds belongs to the parent.
            self._process, self._keystream = os.getpid(), None
            self._words.clear()
        if self._keystream is None and self._rented + count < RENT:
            self._rented += count
            return os.urandom(count)
        if self._keystream is None or self._keystream.left <= 0:
            self._keystream = Keystream(os.urandom(32))
        return self._keystream.fill(count)


class Entropy(Protocol):
    """Where uniform bits come from; `secure` is False for anything but the operating system."""

    @property
    def secure(self) -> bool: ...

    def stream(self) -> Stream:
        """The stream of the calling thread. Ask again for every draw: after a fork it is another one."""
        ...


class SystemEntropy:
    """The operating system's entropy; the only source whose results may be released."""

    secure = True

    def __init__(self) -> None:
        self._local = threading.local()
        after_fork(self._forget)

    def _forget(self) -> None:
        self._local = threading.local()

    def stream(self) -> Stream:
        try:
            stream: Stream = self._local.stream
        except AttributeError:
            stream = self._local.stream = SystemStream()
        return stream


class SeededStream(Stream):
    """A reproducible stream."""

    __slots__ = ("_keystream",)

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self._keystream = Keystream(key)

    def fill(self, count: int) -> memoryview:
        return self._keystream.fill(count)


class SeededEntropy:
    """Reproducible bits for tests and the teaching lab: anyone who knows the seed can take the noise away again."""

    secure = False

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise BadArgument("seed", seed, "is not a whole number", "Give an int, such as 1")
        import hashlib  # noqa: PLC0415  its OpenSSL loads slowly, and no secure draw needs it

        self._stream = SeededStream(hashlib.sha256(f"twoworlds seed {seed}".encode()).digest())

    def stream(self) -> Stream:
        return self._stream


SYSTEM = SystemEntropy()
