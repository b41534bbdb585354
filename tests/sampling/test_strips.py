"""The tables themselves, not samples of them: every inequality that exactness rests on, and the whole law by enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tests.sampling.oracles import Scripted, cumulative, fit
from tests.sampling.test_laws import LARGE, SMALL
from tests.statistics import Judge
from twoworlds.sampling.balls import working
from twoworlds.sampling.entropy import SeededEntropy, Stream
from twoworlds.sampling.laws import Law, Unimodal, law_of
from twoworlds.sampling.ranges import in_steps
from twoworlds.sampling.steady import SteadyTable
from twoworlds.sampling.strips import Cut, Strips, cut
from twoworlds.sampling.tables import Table
from twoworlds.worlds.distributions import DiscreteGaussian, Distribution, Gaussian, Gumbel, Laplace, NegativeBinomial, Skellam

CUTS = {
    "as used": Cut(),
    "for single draws": Cut(guide=0, fine=None),
    "coarse": Cut(guide=4, length=12, fine=0, cover=2),
    "steady": Cut(cover=60),
}
SLOW = (NegativeBinomial, Skellam)  # whose weights take long: their widest cut is never used
CASES = [
    pytest.param(distribution, fineness, id=f"{distribution} {name}")
    for distribution in SMALL + LARGE
    for name, fineness in CUTS.items()
    if not (isinstance(distribution, SLOW) and distribution in LARGE and name == "steady")
]


def law(distribution: Distribution) -> Law:
    return law_of(distribution, in_steps(distribution, Fraction(1)))


def members(start: int, bits: int) -> set[int]:
    """All integers of a narrow column; the ends, the middle and some others of a wide one."""
    width = 1 << bits
    return {start + i for i in (range(width) if width <= 8 else (0, 1, width // 3, width // 2, width - 2, width - 1))}


@pytest.mark.parametrize(("distribution", "fineness"), CASES)
def test_every_inequality_holds(distribution: Distribution, fineness: Cut) -> None:
    """sure <= h(x) <= sure + rest and certain <= h(x) - sure for the members x of each column, at three times the precision.

    A plain recomputation: the weights anew, the heights from their definition.
    """
    strips = cut(law(distribution), fineness)
    begins = (0, *strips.ends)
    assert sum(strips.sure) * strips.unit + strips.ends[-1] <= 1 << fineness.length
    with working(600):
        for index, (start, bits) in enumerate(zip(strips.starts, strips.bits, strict=True)):
            rest = strips.ends[index] - begins[index]
            for x in members(start, bits):
                height = strips.constant * strips.law.weight(x) * 2**bits
                depth = (height - strips.sure[index]) * 2 ** (fineness.length - fineness.guide)
                assert depth >= strips.certain[index] or strips.certain[index] == 0
                assert height >= strips.sure[index] or strips.sure[index] == 0
                assert depth <= rest


@pytest.mark.parametrize(("distribution", "fineness"), CASES)
def test_every_integer_is_owned_once(distribution: Distribution, fineness: Cut) -> None:
    """Columns lie side by side; tails begin where they end, or where the support does; the blocks of a tail are high enough."""
    strips = cut(law(distribution), fineness)
    columns = sorted(zip(strips.starts, strips.bits, strict=True))
    ends = [start + (1 << bits) for start, bits in columns]
    assert [start for start, _ in columns[1:]] == ends[:-1]
    if not isinstance(strips.law, Unimodal):
        assert strips.tails == ()
        return
    upward = [tail for tail in strips.tails if tail.step > 0]
    downward = [tail for tail in strips.tails if tail.step < 0]
    assert [tail.start for tail in upward] == [ends[-1]]
    if downward:
        assert [tail.start for tail in downward] == [columns[0][0] - 1]
    else:
        assert strips.law.least is not None and columns[0][0] <= strips.law.least
    begins = (0, *strips.ends)
    with working(600):
        for number, tail in enumerate(strips.tails):
            index = len(strips.starts) + number
            for block in (0, 1, 2, 3, 10, 40):
                near = tail.start + tail.step * (block << tail.bits)
                for x in (near, near + tail.step * ((1 << tail.bits) - 1)):
                    assert not strips.depth(index, x, block) > strips.ends[index] - begins[index]


def test_the_inequalities_would_show_a_wrong_table() -> None:
    """Raising one sure part by one, or lowering one rest by one, breaks what the tests above assert."""
    strips = cut(law(Laplace("7/2")))
    with working(600):
        heights = [strips.constant * strips.law.weight(x) for x in strips.starts]
        assert all(height >= part for height, part in zip(heights, strips.sure, strict=True))
        assert not any(height >= part + 1 for height, part in zip(heights, strips.sure, strict=True))
        begins = (0, *strips.ends)
        for index, height in enumerate(heights):
            rest = strips.ends[index] - begins[index]
            assert not (height - strips.sure[index]) * strips.unit <= rest - 1


def test_nearly_everything_is_owned_and_most_of_it_surely() -> None:
    """What starts over, or is decided at length, is a small part: the reason for the speed."""
    for distribution, surely in ((Laplace(10), 0.998), (Gaussian(10), 0.999), (Laplace(2**20), 0.97), (Gaussian(2**20), 0.98)):
        strips = cut(law(distribution))
        assert sum(strips.sure) / 2**16 > surely
        assert sum(strips.sure) * strips.unit + strips.ends[-1] > (1 - 2**-30) * 2**64


OPEN, OVER = -(10**6), -(10**6) - 1  # stand for "to be settled in balls" and "start over"


class Unsettled:
    """Strips that settle nothing, and remember what they were asked to settle."""

    def __init__(self, strips: Strips) -> None:
        self.cut, self.starts, self.ends = strips.cut, strips.starts, strips.ends
        self.asked = Counter[int]()

    def settle(self, _: Stream, index: int, __: int, x: int) -> int | None:
        self.asked[x if index < len(self.starts) else OPEN] += 1
        return OPEN


class EnumeratedTable(Table):
    """A table that does not start over, but says that it would."""

    def draw(self, count: int, _: Stream) -> np.ndarray:
        return np.full(count, OVER)


def enumerated(strips: Strips) -> tuple[Counter[int], Counter[int]]:
    """How often each integer comes out, and stays open, over all uniform numbers and all members, by the real table's code."""
    length, guide = strips.cut.length, strips.cut.guide
    bits = max(strips.bits)
    assert set(strips.bits) == {bits} and bits <= 8
    table = EnumeratedTable(strips)
    unsettled = table.strips = Unsettled(strips)  # type: ignore[assignment]  # stands in
    number, member = np.divmod(np.arange(1 << (length + bits)), 1 << bits)
    hit = (number >> (length - guide)) >= table.sure
    script = [lambda _: (number >> (length - guide) << (16 - guide)).astype(np.uint16)]
    script += [lambda _: (member << (8 - bits)).astype(np.uint8)] if bits else []
    script += [lambda _: number[hit].astype(np.uint64) << np.uint64(64 - (length - guide))]
    script += [lambda _: member[hit].astype(np.uint64) << np.uint64(64 - bits)]
    drawn = np.empty(len(number), np.int64)
    table._fill(drawn, Scripted(arrays=iter(script)))
    return Counter(drawn.tolist()), unsettled.asked


def enumerated_steadily(strips: Strips) -> tuple[Counter[int], Counter[int]]:
    """The same by the code of constant work."""
    length, bits = strips.cut.length, max(strips.bits)
    table = SteadyTable(strips)
    unsettled = table.strips = Unsettled(strips)  # type: ignore[assignment]  # stands in
    number, member = (part.astype(np.uint64) for part in np.divmod(np.arange(1 << (length + bits)), 1 << bits))
    script = [lambda _: number << np.uint64(64 - length), lambda _: member << np.uint64(64 - bits)]
    return Counter(table._propose(len(number), Scripted(arrays=iter(script))).tolist()), unsettled.asked


@pytest.mark.parametrize(
    ("distribution", "fineness"),
    [
        *[(law, Cut(guide=8, length=14, cover=8)) for law in SMALL],
        (Laplace(3), Cut(guide=3, length=16, cover=8)),
        (Laplace(40), Cut(guide=7, length=14, fine=3, cover=4)),
        (Gaussian(40), Cut(guide=7, length=14, fine=3, cover=4)),
        (DiscreteGaussian(40), Cut(guide=7, length=14, fine=3, cover=4)),
        (Gumbel(40), Cut(guide=7, length=14, fine=3, cover=4)),
        (NegativeBinomial(3, "0.02"), Cut(guide=7, length=14, fine=3, cover=4)),
        (Skellam(900), Cut(guide=7, length=14, fine=2, cover=4)),
    ],
    ids=str,
)
def test_the_whole_law_by_enumeration(distribution: Distribution, fineness: Cut) -> None:
    """Over every uniform number of `length` bits: kept at x <= law at x <= kept or open at x, for the textbook's law.

    So no x is kept too often, none is refused too often, and what is left open is a few numbers in each column.
    """
    strips = cut(law(distribution), fineness)
    kept, open_ = enumerated(strips)
    points = np.add.outer(np.array(strips.starts), np.arange(1 << max(strips.bits))).ravel()
    with np.errstate(over="ignore", under="ignore"):
        shares = cumulative(distribution)(points) - cumulative(distribution)(points - 1)
    peak = points[np.argmax(shares)]
    with working():
        scale = (
            float((strips.constant * strips.law.weight(int(peak))).mid())
            / shares.max()
            * 2.0 ** (fineness.length - fineness.guide + max(strips.bits))
        )
    expected = shares * scale
    for x, mean in zip(points.tolist(), expected.tolist(), strict=True):
        assert kept[x] * (1 - 1e-9) - 1e-6 <= mean <= (kept[x] + open_[x]) * (1 + 1e-9) + 1e-6
    undecided = sum(open_[x] for x in points.tolist())
    assert undecided <= (2 * len(strips.starts) if max(strips.bits) == 0 else 0.06 * 2 ** (fineness.length + max(strips.bits)))
    assert sum(kept.values()) == 1 << (fineness.length + max(strips.bits))


@pytest.mark.parametrize("distribution", [*SMALL[:12], Laplace(40), Gaussian(40)], ids=str)
def test_constant_work_keeps_the_same(distribution: Distribution) -> None:
    """Of all uniform numbers the steady code keeps, for each integer, what the quick code keeps, and leaves the same open."""
    fineness = Cut(guide=7, length=14, fine=6, cover=8)
    strips = cut(law(distribution), fineness)
    quick, steady = enumerated(strips), enumerated_steadily(strips)
    for counts in (quick[0], steady[0]):
        for stand_in in (OPEN, OVER):
            counts.pop(stand_in, None)
    assert quick == steady


@pytest.mark.parametrize("distribution", [Laplace(5), Gaussian(9), NegativeBinomial("0.3", "0.1"), Gumbel(6)], ids=str)
def test_forced_refinement_keeps_the_law(judge: Judge, distribution: Distribution) -> None:
    """With six bits of the uniform number and half the law in the tails, balls decide nearly everything: the law is the same."""
    strips = cut(law(distribution), Cut(guide=0, length=6, fine=0, cover=1))
    stream = SeededEntropy(31).stream()
    drawn = np.array([strips.draw(stream) for _ in range(20_000)])
    judge.fits(fit(drawn, distribution))
    judge.rejects(fit(np.rint(drawn * 1.3), distribution), planted="scale x 1.3")


def test_a_law_that_never_falls_is_an_error() -> None:
    """Weights that do not decline have no tail: an error, not an endless search."""
    with pytest.raises(ArithmeticError, match="no tail"):
        cut(Unimodal(lambda _: strips_one(), 1.0), Cut())


def strips_one() -> object:
    from flint import arb

    return arb(1)
