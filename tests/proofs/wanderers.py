"""Random small cards, and texts of cards with small faults put in: most are not private at their price, and none may be proved.

`card(seed)` writes a card whose secret mostly passes through noise; `mutant(text, seed)` changes one to three things in a text: a
number, an operator, a name, a line. Equal seeds give equal text.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

__all__ = ["card", "mutant"]

_HEAD = """\
def shifted(x, y):
    if x > y:
        return x - y
    return 0


def noisy(x, scale, *, sample):
    held = sample({law}(scale))
    return x + held


@mechanism(neighbours={relation}, price=Pure("{price}"))
def wanderer({private}, bar, *, limit: int, epsilon, sample):
"""
_NUMBERS = ("Number", "Number", "Number")
_LISTS = ("Each", "Each", "One", "L1", "Monotone(Each", "Monotone(One")
_SCALES = (
    "1 / epsilon",
    "1 / epsilon",
    "2 / epsilon",
    "2 / epsilon",
    "4 / epsilon",
    "Fraction(1, 2) / epsilon",
    "limit / epsilon",
)
_LAWS = ("Laplace", "Laplace", "Laplace", "Exponential", "Gumbel")
_SECRETS = (
    *("{s}",) * 8,
    "-{s}",
    "2 * {s}",
    "{s} - bar",
    "bar - {s}",
    "max({s}, 0)",
    "min({s}, bar)",
    "abs({s})",
    "clip({s}, 0, 1)",
    "clip({s}, 0, 2)",
    "{s} // 2",
    "{s} % 3",
    "(1 if {s} > 0 else 0)",
    "(2 if {s} > 0 else 1) * Fraction(1, 2)",
    "shifted({s}, 1)",
    "{s} * Fraction(1, 2)",
    "limit * {s}",
)
_WHOLE = (
    "sum({s})",
    "max({s})",
    "min({s})",
    "len({s})",
    "{s}[0]",
    "{s}[len({s}) - 1]",
    "{s}[-1]",
    "argmax({s})",
    "sum(cumsum({s}))",
)
_TESTS = (
    "{x} > {y}",
    "{x} >= {y}",
    "{x} < {y}",
    "{x} <= {y}",
    "{x} == {y}",
    "{x} != {y}",
    "not {x} > {y}",
    "{x} > {y} and i < limit",
)


def card(seed: int, price: str = "epsilon") -> str:
    """A card over one number or a list of them."""
    return _Writer(random.Random(f"wanderer {seed}")).text(price)


class _Writer:
    def __init__(self, pick: random.Random) -> None:
        self.pick = pick
        self.is_list = pick.random() < 0.6
        self.private = "queries" if self.is_list else "value"
        self.lines: list[str] = []
        self.open: list[str] = []  # variables that are noisy, or public
        self.closed: list[str] = []  # variables that hold something of the secret
        self.names = 0

    def text(self, price: str) -> str:
        kind, by = self.one(_LISTS if self.is_list else _NUMBERS), self.one(("1", "1", "1", "2", '"limit"'))
        relation = f'{kind}("{self.private}", by={by})' + ")" * kind.count("(")
        for _ in range(self.pick.randint(0, 2)):
            self.draw(1) if not self.open else self.statement(1)
        if self.is_list and self.pick.random() < 0.8:
            self.loop()
        else:
            self.line(1, f"i = {self.one(('0', 'limit'))}")
            for _ in range(self.pick.randint(1, 4)):
                self.statement(1)
        if not self.open:
            self.draw(1)
        self.line(1, f"return {self.released()}")
        head = _HEAD.format(law=self.one(_LAWS), relation=relation, price=price, private=self.private)
        return head + "\n".join(self.lines) + "\n"

    def one(self, choices: tuple[str, ...] | list[str]) -> str:
        return self.pick.choice(choices)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self) -> str:
        self.names += 1
        return f"x{self.names}"

    def secret(self, entry: str | None = None) -> str:
        if self.closed and self.pick.random() < 0.3:
            return self.one(self.closed)
        whole = self.one(_WHOLE).format(s=self.private) if self.is_list else self.private
        return self.one(_SECRETS).format(s=entry or whole)

    def known(self) -> str:
        public = ["bar", "0", "1", "limit", "None"] if self.pick.random() < 0.05 else ["bar", "0"]
        return self.one([*self.open, *self.open, *self.open, *public])

    def noise(self) -> str:
        coin = self.pick.random()
        if coin < 0.06:
            return self.one(
                ("sample(Uniform(2))", "sample(Uniform(limit + 1))", "(1 if sample(Bernoulli(Fraction(1, 3))) else 0)")
            )
        return f"sample({self.one(_LAWS)}({self.one(_SCALES)}))"

    def test(self) -> str:
        x = self.secret() if self.pick.random() < 0.15 else self.known()
        return self.one(_TESTS[:7]).format(x=x, y=self.known())

    # statements

    def statement(self, depth: int, entry: str | None = None) -> None:
        self.one([self.draw, self.draw, self.draw, self.hold, self.choose, self.branch, self.mix])(depth, entry)

    def draw(self, depth: int, entry: str | None = None) -> None:
        name = self.one(self.open) if self.open and depth > 1 and self.pick.random() < 0.2 else self.fresh()
        coin, secret = self.pick.random(), self.secret(entry)
        value = f"{secret} + {self.noise()}"
        if coin < 0.12:
            value = f"noisy({secret}, {self.one(_SCALES)}, sample=sample)"
        elif coin < 0.2:
            value = self.noise() if coin < 0.16 else f"{self.known()} + {self.noise()}"
        elif coin < 0.24:
            value = f"{secret} - {self.noise()}"
        self.assign(depth, name, value, self.open)

    def hold(self, depth: int, entry: str | None = None) -> None:
        self.assign(depth, self.fresh(), self.secret(entry), self.closed)

    def choose(self, depth: int, entry: str | None = None) -> None:
        then, otherwise = (self.secret(entry), self.secret(entry)) if self.pick.random() < 0.2 else (self.known(), self.known())
        known = self.closed if self.private in f"{then} {otherwise}" or entry in (then, otherwise) else self.open
        self.assign(depth, self.fresh(), f"{then} if {self.test()} else {otherwise}", known)

    def mix(self, depth: int, _: str | None = None) -> None:
        value = self.one(
            ("{x} + {y}", "{x} - {y}", "max({x}, {y})", "min({x}, {y})", "abs({x})", "{x} * 2", "{x} // 2", "clip({x}, 0, 3)")
        )
        self.assign(depth, self.fresh(), value.format(x=self.known(), y=self.known()), self.open)

    def assign(self, depth: int, name: str, value: str, known: list[str]) -> None:
        self.line(depth, f"{name} = {value}")
        if depth == 1 and name not in known:
            known.append(name)

    def branch(self, depth: int, entry: str | None = None) -> None:
        name = self.one(self.open) if self.open else self.fresh()
        self.line(depth, f"{name} = {self.known()}") if name not in self.open else None
        self.line(depth, f"if {self.test()}:")
        if self.pick.random() < 0.2:
            self.line(depth + 1, f"return {self.released()}")
        else:
            self.line(depth + 1, f"{name} = {self.one([self.known(), self.known(), f'{self.secret(entry)} + {self.noise()}'])}")
        if self.pick.random() < 0.4:
            self.line(depth, "else:")
            self.line(depth + 1, f"{name} = {self.known()}")
        if depth == 1 and name not in self.open:
            self.open.append(name)

    def loop(self) -> None:
        """One pass over the list, in one of the ways that people write it, keeping something of what it saw."""
        for text in ("out = []", "best = None", "place = 0", "count = 0"):
            self.line(1, text)
        head, entry = self.one([0, 1, 2, 3]), "queries[i]"
        if head == 0:
            self.line(1, "for i in range(len(queries)):")
        elif head == 1:
            self.line(1, "for i, q in enumerate(queries):")
            entry = "q"
        elif head == 2:
            self.line(1, "i = -1")
            self.line(1, "for q in queries:")
            self.line(2, "i = i + 1")
            entry = "q"
        else:
            self.line(1, "i = -1")
            self.line(1, "while i < len(queries) - 1:")
            self.line(2, "i = i + 1")
        outer = list(self.open)
        self.line(2, f"noised = {self.secret(entry) if self.pick.random() < 0.3 else entry} + {self.noise()}")
        self.open += ["noised", "count"]
        for _ in range(self.pick.randint(1, 3)):
            self.round(entry)
        self.open = [*outer, "count", "place"]
        if self.pick.random() < 0.3:
            self.open.append("best")
        self.open.append("out")

    def round(self, entry: str) -> None:
        coin = self.pick.randint(0, 9)
        if coin < 3:
            self.line(2, f"if {self.one(_TESTS).format(x='noised', y=self.known())}:")
            step = ("return i", "break", "count = count + 1", "out.append(noised)", "out.append(True)", "place = i", "continue")
            self.line(3, self.one(step))
            if self.pick.random() < 0.5:
                self.line(2, "else:")
                self.line(3, self.one(("out.append(False)", "count = count + 1", "out.append(None)")))
        elif coin < 5:
            self.line(2, f"if best is None or noised {self.one(('>', '>=', '<'))} best:")
            self.line(3, "best = noised")
            self.line(3, "place = i")
        elif coin == 5:
            self.line(2, f"if count {self.one(('>=', '=='))} limit:")
            self.line(3, "break")
        elif coin == 6:
            self.line(2, f"out.append({self.one(['noised', 'i', 'count', self.known()])})")
        elif coin == 7:
            self.line(2, f"count = count + {self.one(['noised', '1', 'i', entry])}")
        else:
            self.statement(2, entry)

    def released(self) -> str:
        names = [self.one(self.open) if self.open else "0" for _ in range(self.pick.choice((1, 1, 1, 2)))]
        if self.closed and self.pick.random() < 0.03:
            names.append(self.one(self.closed))
        if self.pick.random() < 0.1:
            return f"{names[0]} {self.one(('>', '==', '-'))} {names[-1]}"
        return ", ".join(names)


# faults put into a text


def mutant(text: str, seed: int) -> str | None:
    """The text with one to three small changes; None where none of them changes anything."""
    pick = random.Random(f"mutant {seed} {text}")
    module = ast.parse(text)
    before = ast.unparse(module)
    for _ in range(pick.choice((1, 1, 2, 3))):
        function = pick.choice([node for node in module.body if isinstance(node, ast.FunctionDef)])
        pick.choice(_FAULTS)(function, pick)
    made = ast.unparse(ast.fix_missing_locations(module))
    return None if made == before else made


def _inside(function: ast.FunctionDef, *kinds: type) -> list[ast.AST]:
    return [node for step in function.body for node in ast.walk(step) if isinstance(node, kinds)]


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in (function, *_inside(function, ast.If, ast.For, ast.While)):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if block:
                yield block


def _number(function: ast.FunctionDef, pick: random.Random) -> None:
    found = [node for node in _inside(function, ast.Constant) if isinstance(node.value, int) and not isinstance(node.value, bool)]
    if found:
        pick.choice(found).value = pick.choice((0, 1, 2, 3))


def _operator(function: ast.FunctionDef, pick: random.Random) -> None:
    found = _inside(function, ast.BinOp, ast.Compare)
    if found:
        node = pick.choice(found)
        if isinstance(node, ast.BinOp):
            node.op = pick.choice((ast.Add(), ast.Sub(), ast.Mult(), ast.Div()))
        elif isinstance(node, ast.Compare):
            node.ops[0] = pick.choice((ast.Lt(), ast.LtE(), ast.Gt(), ast.GtE(), ast.Eq(), ast.NotEq()))


def _name(function: ast.FunctionDef, pick: random.Random) -> None:
    names = [node for node in _inside(function, ast.Name) if node.id != "sample"]
    values = [node for node in names if isinstance(node.ctx, ast.Load)]
    called = {node.func.id for node in _inside(function, ast.Call) if isinstance(node.func, ast.Name)}
    plain = [node for node in values if node.id not in called]
    if plain:
        pick.choice(plain).id = pick.choice(plain).id


def _line_left_out(function: ast.FunctionDef, pick: random.Random) -> None:
    block = pick.choice(list(_blocks(function)))
    if len(block) > 1:
        del block[pick.randrange(len(block))]


def _line_moved(function: ast.FunctionDef, pick: random.Random) -> None:
    block = pick.choice(list(_blocks(function)))
    if len(block) > 1:
        block.insert(pick.randrange(len(block)), block.pop(pick.randrange(len(block))))


def _line_elsewhere(function: ast.FunctionDef, pick: random.Random) -> None:
    blocks = list(_blocks(function))
    block, other = pick.choice(blocks), pick.choice(blocks)
    if len(block) > 1:
        step = block.pop(pick.randrange(len(block)))
        if not any(part is other for part in _lists(step)):
            other.insert(pick.randrange(len(other) + 1), step)


def _lists(step: ast.stmt) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(step):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _noise_left_out(function: ast.FunctionDef, pick: random.Random) -> None:
    found = [node for node in _inside(function, ast.BinOp) if "sample(" in ast.unparse(node.right)]
    if found:
        pick.choice(found).right = ast.Constant(0)


def _law(function: ast.FunctionDef, pick: random.Random) -> None:
    laws = ("Laplace", "Exponential", "Gumbel")
    found = [node for node in _inside(function, ast.Name) if node.id in laws]
    if found:
        pick.choice(found).id = pick.choice(laws)


_FAULTS: tuple[Callable[[ast.FunctionDef, random.Random], None], ...] = (
    _number,
    _number,
    _operator,
    _operator,
    _name,
    _name,
    _name,
    _line_left_out,
    _line_moved,
    _line_elsewhere,
    _noise_left_out,
    _law,
)
