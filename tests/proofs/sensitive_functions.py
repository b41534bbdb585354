"""Functions with what is true of them, wrong twins among them; without `by` the bound is to be inferred.

Those of Fuzz (Reed and Pierce 2010), DFuzz (Gaboardi et al. 2013) and DDuo (Abuah et al. 2021) are here as ordinary Python.
"""

# ruff: noqa: ARG001  a parameter may be there for the claim alone

from twoworlds import Each, One, sensitive
from twoworlds.worlds.arrays import clip
from twoworlds.worlds.neighbours import L1, L2, AddRemove, Edit, Local, Monotone, Number, Replace

PROVED: dict[str, str] = {
    "size": "1",
    "over": "1",
    "clipped_sum": "max(abs(low), abs(high))",
    "clipped_mean": "(high - low) / len(rows)",
    "histogram": "1",
    "histogram_replaced": "2",
    "cdf": "len(buckets)",
    "kmeans_step": "1 + abs(bound)",
    "sum_and_count": "1 + max(abs(low), abs(high))",
    "largest": "1",
    "tripled": "3",
    "tripled_in_length": "3",
    "running_sums": "len(xs) * s",
    "weighted": "abs(w)",
    "ramp": "1",
    "median_of_three": "1",
    "parity": "1",
    "capped_best": "1",
    "second_pass": "2",
    "gradient": "abs(rate)",
    "said_yes": "1",
    "upward": "len(xs)",
    "counted_by_hand": "1",
    "filtered_list": "0",
}
"""The bound of each function that is proved, as it is written in the certificate."""

REFUTED = ("histogram_claimed", "first_above", "jump", "last_row", "sum_claimed", "kept_list", "quiet_exit")
NOT_PROVED = ("early",)
"""True, but beyond the invariants that are tried."""
REFUSED = {
    "bare_sum": "the sum `total` has no bound",
    "mean_of_unknown_number": "what is divided by depends on a secret",
    "by_place": "other than one by one",
    "kept_somewhere": "may depend on a secret",
    "secret_rounds": "the number of rounds depends on a secret",
}
"""What the refusal says, with its line."""


@sensitive(neighbours=AddRemove("rows"))
def size(rows):
    return len(rows)


@sensitive(neighbours=AddRemove("rows"), by=1)
def over(rows, age):
    return sum(1 for row in rows if row > age)


@sensitive(neighbours=AddRemove("rows"), by="max(abs(low), abs(high))")
def clipped_sum(rows, low, high):
    total = 0
    for row in rows:
        total += clip(row, low, high)
    return total


@sensitive(neighbours=Replace("rows"))
def clipped_mean(rows, low, high):
    return sum(clip(row, low, high) for row in rows) / len(rows)


@sensitive(neighbours=AddRemove("rows"), by=1)
def histogram(rows, k: int):
    counts = [0] * k
    for row in rows:
        if row >= 0 and row < k:
            counts[row // 1] += 1
    return counts


@sensitive(neighbours=Replace("rows"), by=2)
def histogram_replaced(rows, k: int):
    counts = [0] * k
    for row in rows:
        counts[clip(row // 1, 0, k - 1)] += 1
    return counts


@sensitive(neighbours=Replace("rows"), by=1)
def histogram_claimed(rows, k: int):
    counts = [0] * k
    for row in rows:
        counts[clip(row // 1, 0, k - 1)] += 1
    return counts


@sensitive(neighbours=AddRemove("rows"))
def cdf(rows, buckets):
    return [sum(1 for row in rows if row <= bucket) for bucket in buckets]


@sensitive(neighbours=AddRemove("points"), by="1 + abs(bound)")
def kmeans_step(points, a, b, bound):
    near_a, sum_a, near_b, sum_b = 0, 0, 0, 0
    for point in points:
        x = clip(point, -bound, bound)
        if abs(x - a) <= abs(x - b):
            near_a += 1
            sum_a += x
        else:
            near_b += 1
            sum_b += x
    return near_a, sum_a, near_b, sum_b


@sensitive(neighbours=AddRemove("rows"), by="1 + max(abs(low), abs(high))")
def sum_and_count(rows, low, high):
    kept = [clip(row, low, high) for row in rows]
    return sum(kept), len(kept)


@sensitive(neighbours=One("xs", by=1))
def largest(xs):
    return max(xs)


@sensitive(neighbours=L1("xs", by=1))
def tripled(xs):
    return [3 * x for x in xs]


@sensitive(neighbours=L2("xs", by=1), metric="L2")
def tripled_in_length(xs):
    return [3 * x for x in xs]


@sensitive(neighbours=Each("xs", by="s"), metric="Linf")
def running_sums(xs, s):
    sums = []
    total = 0
    for x in xs:
        total = total + x
        sums.append(total)
    return sums


@sensitive(neighbours=One("xs", by=1))
def weighted(xs, w):
    total = 0
    for x in xs:
        total = total + w * x
    return total


@sensitive(neighbours=Number("x", by=1))
def ramp(x):
    if x > 3:
        return 3
    if x < 0:
        return 0
    return x


@sensitive(neighbours=Number("x", by=1), by=1)
def jump(x):
    if x > 0:
        return 5
    return 0


@sensitive(neighbours=Each("xs", by=1))
def median_of_three(xs):
    a = xs[0]
    b = xs[1]
    c = xs[2]
    return max(min(a, b), min(max(a, b), c))


@sensitive(neighbours=Edit("rows"))
def parity(rows):
    n = 0
    for _ in rows:
        n = n + 1
    return n % 2


@sensitive(neighbours=AddRemove("rows"))
def capped_best(rows):
    best = 0
    for row in rows:
        best = max(best, min(row, 1))
    return best


@sensitive(neighbours=AddRemove("rows"))
def second_pass(rows):
    high = sum(1 for row in rows if row > 5)
    low = sum(1 for row in rows if row < 9)
    return high, low


@sensitive(neighbours=AddRemove("rows"), by="abs(rate)")
def gradient(rows, rate):
    step = 0
    for row in rows:
        step = step + rate * clip(row, -1, 1)
    return step


@sensitive(neighbours=Local("answer"), metric="discrete", by=1)
def said_yes(answer, t):
    return answer > t


@sensitive(neighbours=Monotone(Each("xs", by=1)))
def upward(xs):
    return sum(xs)


def _is_kept(row, low):
    return row >= low


@sensitive(neighbours=AddRemove("rows"))
def counted_by_hand(rows, low):
    n = 0
    for i in range(len(rows)):
        if not _is_kept(rows[i], low):
            continue
        n += 1
    return n


@sensitive(neighbours=Number("x", by=1))
def early(x):
    for i in range(3):
        if x <= i:
            return 2 * x
    return 2 * x


@sensitive(neighbours=Each("xs", by=1), by=1)
def first_above(xs, t):
    for i in range(len(xs)):
        if xs[i] > t:
            return i
    return len(xs)


@sensitive(neighbours=AddRemove("rows"), by=1)
def last_row(rows):
    kept = 0
    for row in rows:
        kept = row
    return kept


@sensitive(neighbours=Each("xs", by=1), by=1)
def sum_claimed(xs):
    return sum(xs)


@sensitive(neighbours=AddRemove("rows"), by=1)
def kept_list(rows):
    return [row for row in rows if row > 0]


@sensitive(neighbours=AddRemove("rows"), by=1)
def quiet_exit(rows):
    total = 0
    for row in rows:
        if row < 0:
            return 0
        total += min(row, 1)
    return total


@sensitive(neighbours=AddRemove("rows"))
def bare_sum(rows):
    total = 0
    for row in rows:
        total = total + row
    return total


@sensitive(neighbours=AddRemove("rows"))
def mean_of_unknown_number(rows, low, high):
    return sum(clip(row, low, high) for row in rows) / len(rows)


@sensitive(neighbours=AddRemove("rows"))
def by_place(rows):
    return clip(rows[0], 0, 1)


@sensitive(neighbours=Each("xs", by=1))
def filtered_list(xs):
    kept = []
    for x in xs:
        if x > 0:
            kept.append(1)
    return clip(len(kept), 0, 0)


@sensitive(neighbours=Number("x", by=1))
def secret_rounds(x):
    total = 0
    while total < x:
        total += 1
    return clip(total, 0, 0)


@sensitive(neighbours=Each("xs", by=1))
def kept_somewhere(xs):
    kept = []
    for x in xs:
        if x > 0:
            kept.append(1)
    return clip(kept[0], 0, 0)
