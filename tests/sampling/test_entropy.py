"""Uniform bits: never the same twice, in no thread and no process; reproducible only on request."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from tests.statistics import Judge, chi_square
from twoworlds.sampling import entropy
from twoworlds.sampling.draws import Supply, draw, draw_one
from twoworlds.sampling.entropy import RENT, SYSTEM, SeededEntropy, SystemEntropy
from twoworlds.worlds.distributions import Laplace, Uniform
from twoworlds.worlds.errors import BadArgument

MANY = 64
WIDE = Uniform(1 << 62)  # equal draws by chance: 64^2 / 2^63, one in 2^51


def in_forks(act: Callable[[], int], count: int = MANY) -> list[int]:
    """What `act` returns in so many children forked from this process."""
    results = []
    for _ in range(count):
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of a fork beside threads: that is the test
            child = os.fork()
        if child == 0:
            try:
                os.write(write, f"{act()}".encode())
            finally:
                os._exit(0)
        os.close(write)
        results.append(int(os.read(read, 100)))
        os.close(read)
        os.waitpid(child, 0)
    return results


def in_threads(act: Callable[[], int], count: int = MANY) -> list[int]:
    """What `act` returns in so many threads at once."""
    results: list[int] = []
    ready = threading.Barrier(count)

    def run() -> None:
        ready.wait()
        results.append(act())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def bulk() -> int:
    """More than is rented, so that AES is in use; the last number drawn."""
    return int(draw(WIDE, RENT // 8 + 10)[-1])


SUPPLY = Supply(WIDE)
ACTS = {
    "one number": lambda: draw_one(WIDE),
    "bytes of the stream": lambda: int.from_bytes(SYSTEM.stream().fill(16), "big"),
    "an array": lambda: int(draw(WIDE, 3)[0]),
    "a number fetched ahead": SUPPLY.next,
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_no_two_forks_draw_the_same(act: Callable[[], int]) -> None:
    """64 children of one process, and the parent before and after, share no draw: what the parent holds stays the parent's."""
    [SUPPLY.next() for _ in range(10)]
    bulk()
    drawn = [act(), *in_forks(act), act()]
    assert len(set(drawn)) == MANY + 2


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_no_two_threads_draw_the_same(act: Callable[[], int]) -> None:
    """64 threads share no draw, with streams of their own and with a supply in common."""
    assert len(set(in_threads(act))) == MANY


def test_threads_share_a_supply_without_repeats() -> None:
    """Threads that empty one supply together get every number once."""
    supply = Supply(WIDE)
    drawn: list[int] = []
    in_threads(lambda: len(drawn.extend([supply.next() for _ in range(500)]) or [0]), 8)
    assert len(drawn) == len(set(drawn)) == 4000


def test_a_fork_that_passes_by_the_hooks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that wakes up in another process throws away its key and its words."""
    source = SystemEntropy()
    stream = source.stream()
    stream.fill(RENT)
    stream.word()
    before, words = stream._keystream, list(stream._words)
    assert before is not None and words
    monkeypatch.setattr(os, "getpid", lambda: -1)
    stream.fill(8)
    assert stream._keystream is not before
    assert stream._words == []


def test_keys_are_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key serves KEY_LIFE bytes and is then replaced."""
    monkeypatch.setattr(entropy, "KEY_LIFE", 1000)
    stream = SystemEntropy().stream()
    stream.fill(RENT)
    first = stream._keystream
    stream.fill(600)
    second = stream._keystream
    assert first is not second
    stream.fill(600)
    assert stream._keystream is second
    stream.fill(1)
    assert stream._keystream is not second


def test_little_is_rented_much_is_bought() -> None:
    """The cipher is loaded only once a process has drawn as much as loading it costs."""
    code = (
        "import sys\nfrom twoworlds.sampling.entropy import SYSTEM, RENT\nstream = SYSTEM.stream()\nstream.fill(RENT - 1)\n"
        "assert 'cryptography' not in sys.modules\nstream.fill(1)\nassert 'cryptography' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_single_draws_load_nothing_heavy() -> None:
    """The first draw in a new process needs neither numpy nor flint nor cryptography."""
    code = (
        "import sys\nfrom twoworlds.sampling.draws import Supply, draw_one\nfrom twoworlds.worlds.distributions import *\n"
        "for law in (Laplace(10), Gaussian(10), DiscreteGaussian(3), Exponential(2), Gumbel(4), Geometric('0.1'),\n"
        "            Bernoulli('0.3'), BernoulliExp(1), Categorical([1, 2]), ExponentialWeights([1, 2]), Uniform(7)):\n"
        "    draw_one(law)\n    Supply(law).next()\n"
        "print({'numpy', 'flint', 'cryptography', 'scipy'} & set(sys.modules))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "set()"


def test_equal_seeds_give_equal_draws() -> None:
    """A seeded source repeats itself, another seed does not, and both are marked insecure."""
    first, again, other = (draw(Laplace(10), 1000, entropy=SeededEntropy(seed)).tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert not SeededEntropy(1).secure
    assert SYSTEM.secure


@pytest.mark.parametrize("seed", [1.5, "1", None, True])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    """Anything else is refused."""
    with pytest.raises(BadArgument, match="seed"):
        SeededEntropy(seed)  # type: ignore[arg-type]  # the point of the test


def test_bytes_are_uniform(judge: Judge) -> None:
    """The bytes of the cipher, and integers below a bound, are spread evenly."""
    stream = SeededEntropy(5).stream()
    values = np.frombuffer(stream.fill(1 << 20), np.uint8)
    counts = np.bincount(values, minlength=256)
    judge.fits(chi_square(counts.tolist(), [len(values) / 256] * 256, 1e-9))
    judge.rejects(chi_square(np.bincount(values & 254, minlength=256).tolist(), [len(values) / 256] * 256), planted="a stuck bit")
    drawn = np.array([stream.below(13) for _ in range(50_000)])
    judge.fits(chi_square(np.bincount(drawn, minlength=13).tolist(), [50_000 / 13] * 13, 1e-9))
    folded = np.array([stream.bits(4) % 13 for _ in range(50_000)])
    judge.rejects(chi_square(np.bincount(folded, minlength=13).tolist(), [50_000 / 13] * 13), planted="remainder of 4 bits")


def test_bits_have_the_length_asked_for() -> None:
    """`bits(n)` uses n bits, also above a word; one outcome needs none."""
    stream = SeededEntropy(6).stream()
    for count in (0, 1, 63, 64, 65, 200):
        drawn = [stream.bits(count) for _ in range(200)]
        assert max(drawn).bit_length() == count
    assert [stream.below(1) for _ in range(5)] == [0] * 5
