"""New mechanisms from old, on exact tables: post-process, compose, repeat, remember, sample, mix, shuffle, and group.

Each function builds the whole new table from the definition; none uses the theorem that bounds its price.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from flint import fmpq_poly

from twoworlds.exact.finite import FiniteMechanism, Law, law_of_outputs
from twoworlds.exact.oneway import Row
from twoworlds.exact.table import Table
from twoworlds.exact.weights import Weight, rational
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import probability

__all__ = [
    "compose",
    "group",
    "memoised",
    "mixture",
    "poisson_sampled",
    "post_process",
    "repeat",
    "sampled",
    "shuffled",
    "shuffled_law",
]

_MOST = 2_000_000


def post_process(
    mechanism: FiniteMechanism, kernel: Callable[[Any], Any] | Mapping[Any, Mapping[Any, object]]
) -> FiniteMechanism:
    """The mechanism followed by a function of its output, or by a random one: a table {output: {new output: probability}}."""
    if callable(kernel):
        steps: dict[Hashable, Law] = {output: {kernel(output): Fraction(1)} for output in mechanism.outputs}
    else:
        missing = [output for output in mechanism.outputs if output not in kernel]
        if missing:
            raise BadArgument("kernel", missing[0], "is an output it says nothing about", "Give a law for every output")
        steps = {output: law_of_outputs(kernel[output], "kernel") for output in mechanism.outputs}
    return _each(mechanism, lambda law: _mixed((mass, steps[output]) for output, mass in law.items()))


def compose(*mechanisms: FiniteMechanism) -> FiniteMechanism:
    """All outputs together, on the same input with independent noise; the mechanisms share inputs and neighbours."""
    if not mechanisms:
        raise BadArgument("mechanisms", mechanisms, "is empty", "Give at least one mechanism")
    first = mechanisms[0]
    for other in mechanisms[1:]:
        if other.laws.keys() != first.laws.keys() or set(other.pairs) != set(first.pairs):
            raise BadArgument("mechanisms", len(mechanisms), "have different inputs or neighbours", "Compose over one relation")
    table = {world: _product([mechanism.laws[world] for mechanism in mechanisms]) for world in first.laws}
    return FiniteMechanism(table, first.pairs)


def repeat(mechanism: FiniteMechanism, times: int) -> FiniteMechanism:
    """The same mechanism run this many times with fresh noise."""
    return compose(*[mechanism] * _count(times, "times"))


def memoised(mechanism: FiniteMechanism, times: int) -> FiniteMechanism:
    """One output, remembered and shown this many times: post-processing, so it costs no more than showing it once."""
    shown = _count(times, "times")
    return post_process(mechanism, lambda output: (output,) * shown)


def mixture(parts: Sequence[tuple[object, FiniteMechanism]]) -> FiniteMechanism:
    """One of several mechanisms, chosen by chance; which one is not told."""
    chances = [probability(chance, "parts") for chance, _ in parts]
    if not parts or sum(chances) != 1:
        raise BadArgument("parts", [str(chance) for chance in chances], "do not add up to 1", "Give probabilities that do")
    first = parts[0][1]
    if any(mechanism.laws.keys() != first.laws.keys() or set(mechanism.pairs) != set(first.pairs) for _, mechanism in parts):
        raise BadArgument("parts", len(parts), "have different inputs or neighbours", "Mix over one relation")
    table = {
        world: _mixed((chance, mechanism.laws[world]) for chance, (_, mechanism) in zip(chances, parts, strict=True))
        for world in first.laws
    }
    return FiniteMechanism(table, first.pairs)


def poisson_sampled(mechanism: FiniteMechanism, rate: object) -> FiniteMechanism:
    """The mechanism on a random part of its input, a tuple of records, each kept with this probability on its own.

    The mechanism needs a law for every part, the empty one included.
    """
    keep = probability(rate, "rate")

    def parts(records: tuple[Any, ...]) -> Iterable[tuple[Fraction, tuple[Any, ...]]]:
        for size in range(len(records) + 1):
            chance = keep**size * (1 - keep) ** (len(records) - size)
            for places in combinations(records, size):
                if chance:
                    yield chance, places

    return _sampled(mechanism, parts)


def sampled(mechanism: FiniteMechanism, size: int) -> FiniteMechanism:
    """The mechanism on this many records of its input, drawn without replacement; inputs that are too small are left out."""
    wanted = _count(size, "size")

    def parts(records: tuple[Any, ...]) -> Iterable[tuple[Fraction, tuple[Any, ...]]]:
        found = list(combinations(records, wanted))
        return [(Fraction(1, len(found)), places) for places in found]

    return _sampled(mechanism, parts, least=wanted)


def _sampled(
    mechanism: FiniteMechanism, parts: Callable[[tuple[Any, ...]], Iterable[tuple[Fraction, tuple[Any, ...]]]], least: int = 0
) -> FiniteMechanism:
    table: dict[Hashable, Law] = {}
    for world in mechanism.laws:
        if not isinstance(world, tuple):
            raise BadArgument("mechanism", world, "is an input that is not a tuple of records", "Use tuples of records as inputs")
        if len(world) >= least:
            table[world] = _mixed((chance, _law(mechanism, part)) for chance, part in parts(world))
    return FiniteMechanism(table, tuple((a, b) for a, b in mechanism.pairs if a in table and b in table))


def _law(mechanism: FiniteMechanism, part: tuple[Any, ...]) -> Law:
    try:
        return mechanism.laws[part]
    except KeyError:
        raise BadArgument("mechanism", part, "is a part of an input without a law of its own", "Tabulate it there too") from None


def group(mechanism: FiniteMechanism, size: int) -> FiniteMechanism:
    """The same table for groups: inputs are neighbours when a chain of at most this many neighbours joins them."""
    steps = _count(size, "size")
    near: dict[Hashable, set[Hashable]] = {world: set() for world in mechanism.laws}
    for one, other in mechanism.pairs:
        near[one].add(other)
    found = []
    for world in mechanism.laws:
        reached, edge = {world}, {world}
        for _ in range(steps):
            edge = {other for one in edge for other in near[one]} - reached
            reached |= edge
        found += [(world, other) for other in mechanism.laws if other in reached and other != world]
    return FiniteMechanism(mechanism.laws, tuple(found))


# shuffle


def shuffled(randomizer: FiniteMechanism, records: Sequence[Any], other: Sequence[Any]) -> Table:
    """What a shuffler shows of the randomized records, in two worlds: how often each symbol occurs, and nothing else.

    Outputs are counts of the randomizer's outputs in their order, a single count (of the last symbol) where there are two.
    """
    if len(records) != len(other):
        raise BadArgument("records", (len(records), len(other)), "have different lengths", "A shuffler shows how many there are")
    first, second = (shuffled_law(randomizer, data) for data in (records, other))
    zero = rational(0)
    rows = [Row(counts, first.get(counts, zero), second.get(counts, zero)) for counts in dict.fromkeys([*first, *second])]
    return Table(tuple(rows), zero, zero, "shuffled randomizer")


def shuffled_law(randomizer: FiniteMechanism, records: Sequence[Any]) -> dict[Any, Weight]:
    """The law of the counts. Two symbols: a product of polynomials, one factor for each record, equal ones by powers."""
    unknown = [record for record in records if record not in randomizer.laws]
    if unknown:
        raise BadArgument("records", unknown[0], "is no input of the randomizer", "Use its inputs as records")
    symbols = randomizer.outputs
    many = Counter(records)
    if len(symbols) == 2:
        law = fmpq_poly([1])
        for record, count in many.items():
            one = [rational(randomizer.laws[record].get(symbol, Fraction(0))) for symbol in symbols]
            law *= fmpq_poly(one) ** count
        return {count: law[count] for count in range(len(records) + 1) if law[count] != 0}
    laws: dict[tuple[int, ...], Weight] = {(0,) * len(symbols): rational(1)}
    for record, count in many.items():
        steps = [
            (i, rational(randomizer.laws[record][symbol]))
            for i, symbol in enumerate(symbols)
            if randomizer.laws[record].get(symbol)
        ]
        for _ in range(count):
            laws = _counted(laws, steps)
    return dict(laws)


def _counted(laws: dict[tuple[int, ...], Weight], steps: list[tuple[int, Weight]]) -> dict[tuple[int, ...], Weight]:
    """One more record's symbol counted."""
    grown: dict[tuple[int, ...], Weight] = {}
    for counts, weight in laws.items():
        for place, chance in steps:
            key = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
            grown[key] = grown[key] + weight * chance if key in grown else weight * chance
    if len(grown) > _MOST:
        raise BadArgument("records", len(grown), "counts of symbols do not fit", "Use fewer records or symbols")
    return grown


# parts


def _each(mechanism: FiniteMechanism, function: Callable[[Law], Law]) -> FiniteMechanism:
    return FiniteMechanism({world: function(law) for world, law in mechanism.laws.items()}, mechanism.pairs)


def _mixed(parts: Iterable[tuple[Fraction, Law]]) -> dict[Hashable, Fraction]:
    law: dict[Hashable, Fraction] = {}
    for chance, part in parts:
        for output, mass in part.items():
            law[output] = law.get(output, Fraction(0)) + chance * mass
    return law


def _product(laws: Sequence[Law]) -> dict[Hashable, Fraction]:
    size = 1
    for law in laws:
        size *= len(law)
    if size > _MOST:
        raise BadArgument("mechanisms", len(laws), f"have {size:,} outputs together", "Compose fewer, or count equal outputs")
    found: dict[Hashable, Fraction] = {}
    for entries in product(*(law.items() for law in laws)):
        mass = Fraction(1)
        for _, chance in entries:
            mass *= chance
        found[tuple(output for output, _ in entries)] = mass
    return found


def _count(value: object, argument: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(argument, value, "is not a whole number of 1 or more", f"Give a positive whole {argument}")
    return value
