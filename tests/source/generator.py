"""Random cards as text: typed programs over the whole language, and wild ones that mix everything.

`card(seed)` is accepted by the parser; `card(seed, wild=True)` puts any expression anywhere, so most are refused, and those that
are accepted show whether the kinds refuse enough. `arguments(seed)` are inputs for either. Equal seeds give equal text.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

__all__ = ["arguments", "card"]

_HEAD = """\
@mechanism(neighbours=Each("data", by=1), price=Pure("scale"))
def program(data, weights, *, limit, scale, sample):
"""
WHOLE, NUMBER, EXACT, TRUTH, MAYBE = "whole", "number", "exact", "truth", "maybe"
LIST, READABLE, ARRAY, LAW, POSITIVE = "list", "readable", "array", "law", "positive"
_WILD = 0.08  # how often a wild program puts something of another type
_LEAVES = {
    WHOLE: ("0", "1", "2", "3", "len(data)"),
    NUMBER: ("0", "1", "2", "data[0]", "weights[1]"),
    EXACT: ("scale", "1 / scale", "weights[0]", "Fraction(2, 3)"),
    TRUTH: ("True", "limit > 1"),
    MAYBE: ("None",),
    LIST: ("[]", "[1, 2]"),
    READABLE: ("data", "data", "range(3)"),
    LAW: (),
    POSITIVE: (),
}
_LARGER = {
    WHOLE: (
        "<whole> + <whole>",
        "<whole> - <whole>",
        "<whole> // 2",
        "<whole> // -2",
        "<whole> % 3",
        "<whole> % limit",
        "<whole> * <whole>",
        "<whole> % -2",
        "abs(<whole> - <whole>)",
        "min(<whole>, <whole>)",
        "max(<whole>, <whole>, 1)",
        "2 * <whole>",
        "-<whole>",
        "2 ** len(data)",
        "argmax(<readable>)",
        "len(<readable>)",
        "sample(Uniform(3))",
        "sample(Geometric(Fraction(1, 2)))",
        "sample(Categorical([1, limit, 2]))",
        "sample(ExponentialWeights(<list>, scale))",
        "sample(Skellam(scale))",
    ),
    NUMBER: (
        "<whole>",
        "<exact>",
        "<readable>[<whole>]",
        "<readable>[<whole>]",
        "<number> + <number>",
        "<number> - <number>",
        "<number> * 2",
        "-1 * <number>",
        "-<number>",
        "<number> * limit",
        "<number> * <number>",
        "<number> // 2",
        "<number> % 2",
        "sum(<readable>)",
        "sum(<list>)",
        "max(<list>)",
        "min(<readable>)",
        "max(<number>, <number>)",
        "min(<number>, <number>)",
        "abs(<number>)",
        "clip(<number>, -2, <number>)",
        "(<number!> if <truth> else <number!>)",
        "sum(<number> * x for x in <readable>)",
        "sample(<law>)",
        "sample(<law>)",
        "sample(<law>)",
    ),
    EXACT: (
        "<number> / scale",
        "<exact> + <number>",
        "<exact> - <number>",
        "<exact> * 2",
        "<exact> / 3",
        "<exact> / <whole>",
        "scale ** 2",
        "scale ** -1",
        "scale ** limit",
        "2 ** limit",
        "<number> % scale",
        "<number> // scale + scale",
        "Fraction(<number>, 2)",
        "Fraction(<number>)",
        "Fraction(1, 2) * <number>",
    ),
    TRUTH: (
        "<number> < <number>",
        "<number> <= <number>",
        "<number> > <number>",
        "<number> >= <number>",
        "<number> == <number>",
        "<number> != <number>",
        "<number> < <number> <= <number!>",
        "not <truth>",
        "<truth> and (<truth!>)",
        "<truth> or (<truth!>) or (<truth!>)",
        "(<truth!> if <truth> else <truth!>)",
        "<maybe!> is None",
        "<maybe!> is not None",
        "sample(Bernoulli(Fraction(1, 3)))",
        "sample(BernoulliExp(scale))",
    ),
    MAYBE: ("<number>", "(None if <truth> else <number!>)"),
    LIST: (
        "[<number>, <number>]",
        "[<number>, <number>, <number>]",
        "[<number>] * <whole>",
        "2 * [<number>]",
        "[0 for _ in range(limit)]",
        "[x + <number> for x in <readable>]",
        "[x for x in <readable> if x > <whole>]",
        "[i * x for i, x in enumerate(<readable>)]",
        "[x - y for x, y in zip(<readable>, <readable>)]",
        "[sample(<law>) + x for x in <readable> if sample(Bernoulli(Fraction(1, 2))) if x > sample(Laplace(scale))]",
        "cumsum(<list>)",
        "clip(<list>, 0, <whole>)",
    ),
    READABLE: ("<list>",),
    LAW: (
        "Laplace(<positive>)",
        "Laplace(<positive>)",
        "Gaussian(<positive>)",
        "Exponential(<positive>)",
        "Gumbel(<positive>)",
        "DiscreteGaussian(<positive>)",
    ),
    POSITIVE: ("scale", "1 / scale", "2 * scale", "(limit + 1) / scale", "1", "abs(<number!>) + 1"),
}


def card(seed: int, *, wild: bool = False) -> str:
    """The text of a card; `data` is private, a list of numbers, all else is public."""
    return _Writer(random.Random(f"card {seed} {wild}"), wild=wild).text()


def arguments(seed: int, *, scalar: bool = False) -> dict[str, Any]:
    """Inputs for a generated card: private numbers are whole, so they lie on every grid of step 1 or less.

    `scalar` is for programs, wild ones, that use the weights as a single number.
    """
    pick = random.Random(f"arguments {seed}")
    size = pick.randint(0, 4)
    return {
        "data": [pick.randint(-4, 6) for _ in range(size)],
        "weights": Fraction(2, 3) if scalar else _weights(pick, size),
        "limit": pick.randint(0, 3),
        "scale": Fraction(pick.randint(1, 8), pick.randint(1, 4)),
    }


def _weights(pick: random.Random, size: int) -> list[Fraction]:
    return [Fraction(pick.randint(-3, 5), pick.randint(1, 3)) for _ in range(pick.choice((size, size, 3)))]


class _Writer:
    """Writes one program; `types` are the variables that surely have a value, by name."""

    def __init__(self, pick: random.Random, *, wild: bool) -> None:
        self.pick, self.wild = pick, wild
        self.lines: list[str] = []
        self.names = 0
        self.types = {"limit": WHOLE, "scale": EXACT}
        self.lists = {"weights"}  # readable lists of numbers
        self.vector = pick.random() < 0.3
        self.loops = 0
        self.left = pick.randint(4, 14)

    def text(self) -> str:
        if self.vector:
            self.line(1, f"noise = sample(Laplace({self.of(POSITIVE)}), len(data))")
            self.types["noise"] = ARRAY
            self.lists.add("noise")
        self.block(1, top=True)
        if not self.ended:
            self.line(1, f"return {self.released()}")
        return _HEAD + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def chance(self, share: float) -> bool:
        return self.pick.random() < share

    def fresh(self) -> str:
        self.names += 1
        return f"{self.pick.choice(('x', 'total', 'best', 'value'))}{self.names}"

    def having(self, *types: str) -> list[str]:
        return [name for name, kind in self.types.items() if kind in types]

    # statements

    def block(self, depth: int, *, top: bool = False) -> None:
        """A few statements; what they assign first is forgotten after the block."""
        types, lists = dict(self.types), set(self.lists)
        self.ended = False
        for _ in range(self.pick.randint(1, 3) if not top else 12):
            if self.left <= 0 and not top:
                break
            self.left -= 1
            self.statement(depth)
            if self.ended or (top and self.left <= 0):
                break
        if not self.lines or not self.lines[-1].startswith("    " * depth) or self.lines[-1].endswith(":"):
            self.line(depth, "pass")
        if not top:
            self.types, self.lists = types, lists

    def statement(self, depth: int) -> None:
        ways = [
            self.assign,
            self.assign,
            self.assign,
            self.in_place,
            self.swap,
            self.new_list,
            self.grow,
            self.store,
            self.vectors,
        ]
        if depth < 4 and self.left > 0:
            ways += [self.branch, self.branch, self.for_range, self.for_list, self.for_pairs, self.while_loop]
        if self.loops and depth > 2:
            ways += [self.leave]
        if self.chance(0.06) and depth > 1:
            ways = [self.give]
        self.pick.choice(ways)(depth)

    def assign(self, depth: int) -> None:
        kind = self.pick.choice((WHOLE, NUMBER, NUMBER, EXACT, TRUTH, MAYBE))
        known = self.having(kind)
        name = self.pick.choice(known) if known and self.chance(0.5) and not set(known) & {"limit", "scale"} else self.fresh()
        self.line(depth, f"{name} = {self.of(kind)}")
        self.types[name] = kind

    def in_place(self, depth: int) -> None:
        known = [name for name in self.having(NUMBER) if name not in ("limit", "scale")]
        if known:
            self.line(depth, f"{self.pick.choice(known)} {self.pick.choice('+-')}= {self.of(NUMBER)}")

    def swap(self, depth: int) -> None:
        known = [name for name in self.having(NUMBER) if name not in ("limit", "scale")]
        if len(known) > 1:
            one, other = self.pick.sample(known, 2)
            self.line(depth, f"{one}, {other} = {self.of(NUMBER)}, {self.pick.choice((one, self.of(NUMBER)))}")

    def new_list(self, depth: int) -> None:
        name = self.fresh()
        self.line(depth, f"{name} = {self.of(LIST)}")
        self.types[name] = LIST
        self.lists.add(name)

    def grow(self, depth: int) -> None:
        known = self.changeable()
        if known:
            self.line(depth, f"{self.pick.choice(known)}.append({self.of(NUMBER)})")

    def store(self, depth: int) -> None:
        known = self.changeable()
        if known:
            name = self.pick.choice(known)
            operator = self.pick.choice(("=", "=", "+="))
            self.line(depth, f"{name}[{self.of(WHOLE, 3, draws=operator == '=')}] {operator} {self.of(NUMBER)}")

    def changeable(self) -> list[str]:
        return [name for name in self.having(LIST) if name not in self.looped()]

    def looped(self) -> set[str]:
        """Lists that some loop around this point runs over."""
        return {name for line in self.lines for name in self.lists if line.lstrip().startswith("for ") and name in line}

    def vectors(self, depth: int) -> None:
        if not self.vector:
            return self.assign(depth)
        known = [*self.having(ARRAY), "data"]
        left = self.pick.choice(known)
        right = self.pick.choice((*known, "sample(Laplace(scale), len(data))", "sample(Laplace(scale))", "1"))
        name = self.fresh()
        self.line(depth, f"{name} = {left} {self.pick.choice('+-')} {right}")
        self.types[name] = ARRAY
        self.lists.add(name)
        return None

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.of(TRUTH)}:")
        self.block(depth + 1)
        ended = self.ended
        ways = self.pick.randint(0, 2)
        if ways == 2:
            self.line(depth, f"elif {self.of(TRUTH)}:")
            self.block(depth + 1)
            ended = ended and self.ended
        if ways:
            self.line(depth, "else:")
            self.block(depth + 1)
        self.ended = bool(ways) and ended and self.ended

    def inside(self, depth: int) -> None:
        self.loops += 1
        self.block(depth + 1)
        self.loops -= 1
        self.ended = False

    def with_names(self, depth: int, *names: tuple[str, str]) -> None:
        """The body of a loop that assigns these variables."""
        outer = dict(self.types)
        self.types |= dict(names)
        self.inside(depth)
        self.types = outer

    def for_range(self, depth: int) -> None:
        i = self.fresh()
        bounds = self.pick.choice(
            ("len(data)", "limit", self.of(WHOLE, 2), f"1, {self.of(WHOLE, 2)}", "limit, 0, -1", f"0, {self.of(WHOLE, 2)}, 2")
        )
        self.line(depth, f"for {i} in range({bounds}):")
        self.with_names(depth, (i, WHOLE if "-1" not in bounds else NUMBER))

    def for_list(self, depth: int) -> None:
        x = self.fresh()
        self.line(depth, f"for {x} in {self.of(READABLE)}:")
        self.with_names(depth, (x, NUMBER))

    def for_pairs(self, depth: int) -> None:
        one, other = self.fresh(), self.fresh()
        if self.chance(0.5):
            self.line(depth, f"for {one}, {other} in enumerate({self.of(READABLE)}):")
            self.with_names(depth, (one, WHOLE), (other, NUMBER))
        else:
            self.line(depth, f"for {one}, {other} in zip({self.of(READABLE)}, {self.of(READABLE)}):")
            self.with_names(depth, (one, NUMBER), (other, NUMBER))

    def while_loop(self, depth: int) -> None:
        i = self.fresh()
        self.line(depth, f"{i} = 0")
        outer = dict(self.types)
        if self.chance(0.5):
            self.line(depth, f"while {i} < {self.pick.choice(('limit', '3', 'len(data)'))}:")
        else:
            self.line(depth, f"while {self.of(TRUTH, 2)}:")
        self.line(depth + 1, f"{i} = {i} + 1")
        self.line(depth + 1, f"if {i} > 4:")
        self.line(depth + 2, "break")
        self.inside(depth)
        self.types = {**outer, i: NUMBER}

    def leave(self, depth: int) -> None:
        self.line(depth, self.pick.choice(("break", "continue")))
        self.ended = True

    def give(self, depth: int) -> None:
        self.line(depth, f"return {self.released()}")
        self.ended = True

    def released(self) -> str:
        parts = [
            self.of(self.pick.choice((WHOLE, NUMBER, EXACT, TRUTH, MAYBE, LIST, LIST))) for _ in range(self.pick.randint(1, 3))
        ]
        return self.pick.choice((parts[0], ", ".join(parts), "None" if self.chance(0.3) else parts[-1]))

    # expressions

    def of(self, kind: str, depth: int = 3, *, draws: bool = True) -> str:
        """An expression of this type; `depth` bounds its size, without `draws` no noise is drawn and no list built in it."""
        if self.wild and self.chance(_WILD):
            kind = self.pick.choice((WHOLE, NUMBER, EXACT, TRUTH, MAYBE, LIST, READABLE))
            if self.chance(0.3):
                return self.pick.choice([*self.types, *self.lists, "data", "None", "'text'"])
        leaves = [*_LEAVES[kind], *self.having(kind), *(sorted(self.lists) if kind in (LIST, READABLE) else ())]
        larger = [way for way in _LARGER[kind] if draws or not ("sample" in way or " for " in way or LIST in way)]
        if not leaves or (depth > 0 and larger and self.chance(0.6)):
            text = self.filled(self.pick.choice(larger), depth - 1, draws=draws)
            return f"({text})" if kind in (WHOLE, NUMBER, EXACT, TRUTH, MAYBE) else text
        return self.pick.choice(leaves)

    def filled(self, template: str, depth: int, *, draws: bool = True) -> str:
        """The template with an expression in place of each `<type>`; in place of `<type!>`, one that draws nothing."""
        return re.sub(r"<(\w+)(!?)>", lambda hole: self.of(hole[1], depth, draws=draws and not hole[2]), template)
