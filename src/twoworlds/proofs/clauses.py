"""Both runs as Horn clauses over unknown invariants: what each step must keep, in z3 terms.

The places of unknowns are loop heads, list cells and the exits. The search solves the clauses; what it finds is a hint that
`obligations` proves again from the program, by its own reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from twoworlds.proofs.alignments import Alignment, Case, Shift
from twoworlds.proofs.choices import TOLL, compared
from twoworlds.proofs.costs import positive, priced, symbols
from twoworlds.proofs.entries import SELECT, reads
from twoworlds.proofs.foretelling import EXIT, Clause, Foretelling, Place, Point
from twoworlds.proofs.guesses import Guess
from twoworlds.proofs.kinds import Kinds, leaves
from twoworlds.proofs.terms import NOTHING, term, with_lengths
from twoworlds.source.program import (
    Append,
    Assign,
    Draw,
    Expr,
    If,
    Item,
    Literal,
    Many,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    While,
    walk,
)
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.expressions import Expression

__all__ = ["Charges", "Clauses"]

Charges = Mapping[int, tuple[Fraction, ...] | None]
"""Per shifted site: units of $u charged by each case, or None where the size of the shift itself is charged."""


@dataclass
class Clauses(Foretelling):
    """Walks the program once per alignment."""

    program: Program
    relation: Any
    kinds: Kinds
    alignment: Alignment
    charges: Charges
    guessed: Mapping[str, bool]
    formula: Expression
    foretold: tuple[Guess, ...] = ()
    followed: frozenset[str] = frozenset()
    signs: dict[int, list[str]] = field(default_factory=dict)
    scales: dict[int, Any] = field(default_factory=dict)
    public: dict[str, Any] = field(default_factory=dict)
    found: list[Clause] = field(default_factory=list)
    axioms: list[Any] = field(default_factory=list)
    ghosts: dict[str, Any] = field(default_factory=dict)
    given: list[Any] = field(default_factory=list)
    price: Any = None
    count: int = 0

    def __post_init__(self) -> None:
        import z3  # noqa: PLC0415  an optional extra, and slow to load

        self.z3 = z3
        loops = (node for node in walk(self.program.body) if isinstance(node, While))
        self.loops = {id(node): at for at, node in enumerate(loops)}
        self.moved = z3.Function("$moved", z3.RealSort(), z3.RealSort())
        self.ghosts["$u"] = z3.Real("$u")
        self.ghosts |= {name: z3.ToReal(z3.Int(name)) if is_whole else z3.Real(name) for name, is_whole in self.guessed.items()}
        self.ghosts |= {guess.length: z3.Real(guess.length) for guess in self.foretold if guess.of_list}
        self.axioms += [self.among(self.ghosts[guess.name]) for guess in self.foretold if guess.whole and not guess.of_list]
        self.probes = reads(self.program, self.followed)
        self.ghosts |= {"$up": z3.Bool("$up"), **{name: z3.ToReal(z3.Int(name)) for name in ("$where", NOTHING)}}
        self.axioms += [self.ghosts["$u"] >= 0, self.moved(0) == 0]
        zero = (z3.RealVal(0),) * 2
        point = Point({f"$K{site}": zero for site in self.alignment})
        for name in self.program.parameters:
            point = self.parameter(name, point)
        self.public |= {name if name[0] == "$" else f"{name}.1": pair[0] for name, pair in point.env.items()}
        self.price = priced(self.formula, self.parameter_value)
        lengths = [length >= 0 for name, length in self.public.items() if name.startswith("$len.")]
        unit = self.ghosts["$u"]
        self.given = [self.price >= 0, unit >= 0, unit <= priced(self.relation.by, self.parameter_value), *lengths]
        for _, end in self.block(self.program.body, point):
            self.leave(Literal(None), end)

    def parameter_value(self, name: str) -> Any:
        return self.public[name if name.startswith("$") else f"{name}.1"]

    # values

    def constant(self, name: str, number: str | int = "") -> Any:
        z3 = self.z3
        if name in self.kinds.truths:
            return z3.Bool(f"{name}{number}")
        whole = name in self.kinds.whole or name.startswith("$len.")
        return z3.ToReal(z3.Int(f"{name}{number}")) if whole else z3.Real(f"{name}{number}")

    def fresh(self, name: str) -> tuple[Any, Any]:
        self.count += 1
        one = self.constant(name, f"!{self.count}.1")
        return (one, one) if name.startswith("$") else (one, self.constant(name, f"!{self.count}.2"))

    def parameter(self, name: str, point: Point) -> Point:
        if name in self.kinds.lists:
            length = self.constant(f"$len.{name}")
            self.axioms.append(length >= int(name == self.relation.parameter))  # an empty list is its only neighbour
            return point.put(f"$len.{name}", (length, length))
        one = self.constant(name, ".1")
        if name != self.relation.parameter:
            return point.put(name, (one, one))
        pair = one, self.constant(name, ".2")
        self.near(*pair, self.z3.RealVal(0))
        return point.put(name, pair)

    def near(self, one: Any, other: Any, index: Any) -> None:
        """What the relation says of one entry in the two worlds."""
        z3, relation, move, unit = self.z3, self.relation, other - one, self.ghosts["$u"]
        size = z3.If(move >= 0, move, -move)
        self.axioms.append(size <= unit)
        if type(relation).__name__ == "Monotone":
            self.axioms.append(z3.If(self.ghosts["$up"], move >= 0, move <= 0))
            relation = relation.relation
        if type(relation).__name__ == "One":
            self.axioms.append(z3.Or(index < 0, index == self.ghosts["$where"], move == 0))
        if type(relation).__name__ in ("One", "L1") or getattr(relation, "kind", "") == "manhattan":
            upto, beyond = self.moved(index), self.moved(index + 1)
            self.axioms.append(z3.Implies(index >= 0, z3.And(beyond == upto + size, upto >= 0, beyond <= unit)))

    def in_order(self, one: Any, other: Any) -> list[Any]:
        """Entries before an index have moved no more than those before a later one."""
        moved, both = self.moved, self.z3.And
        pairs = [(one, other), (other, one)] if type(self.relation).__name__ in ("One", "L1") else []
        return [self.z3.Implies(both(low >= 0, low + 1 <= high), moved(low + 1) <= moved(high)) for low, high in pairs]

    def entry(self, name: str, index: Any, run: int) -> Any:
        if name.startswith("$"):
            return self.moved(index) if name == "$moved" else self.ghost_entry(name, index)
        real = self.z3.RealSort()
        private = name == self.relation.parameter
        return self.z3.Function(f"{name}.{run if private else 1}", real, real)(index)

    def values(self, expr: Expr, point: Point) -> tuple[Any, Any, Point]:
        """The expression in both runs; entries of lists that the program built are unknown but for what their cells claim."""
        built: list[tuple[Any, Any]] = []
        point = self.read_inside(expr, point) if self.followed else point
        for node in walk(expr):
            if isinstance(node, Item) and isinstance(node.sequence, Name) and f"$at.{node.sequence.name}" not in point.env:
                one, two, point = self.values(node.index, point)
                point = self.demand(point, one == two, "the index is public")
                name = node.sequence.name
                if name in self.program.parameters:
                    if name == self.relation.parameter:
                        self.near(self.entry(name, one, 1), self.entry(name, one, 2), one)
                    continue
                point = self.demand(point, one >= 0, "the index counts from the front")
                built.append(self.fresh(name))
                cell = {"$at": one, "$one": built[-1][0], "$two": built[-1][1], **self.ghosts}
                point = point.given(("cell", name), cell)
        return self.reading(expr, point, 0, built), self.reading(expr, point, 1, built), point

    def reading(self, expr: Expr, point: Point, run: int, built: list[tuple[Any, Any]]) -> Any:
        waiting = iter(built)

        def entry(name: str, index: Any) -> Any:
            if f"$at.{name}" in point.env:
                return point.env[f"$at.{name}"][run].at(index)
            return self.entry(name, index, run + 1) if name in self.program.parameters else next(waiting)[run]

        def read(name: str) -> Any:
            if name == NOTHING:
                return self.ghosts[name]
            if name not in point.env:
                raise Unsupported(1, f"`{name}` may have no value", "Give it one before the branch or loop")
            return point.env[name][run]

        return term(with_lengths(expr), read, entry, self.is_public)

    def is_public(self, value: Any) -> bool:
        """Made of parameters and their lengths alone."""
        names = {f"{name}.1" for name in self.program.parameters if name != self.relation.parameter}
        return symbols(value).keys() <= names | {f"$len.{name}" for name in self.program.parameters}

    def flat(self, point: Point) -> dict[str, Any]:
        """All values at a point, under their names in hints."""
        found = dict(self.ghosts)
        for name, (one, two) in point.env.items():
            if name.startswith("$at."):
                found |= {f"{SELECT}{name[4:]}.1": one, f"{SELECT}{name[4:]}.2": two}
                continue
            found |= {name: one} if name.startswith("$") else {f"{name}.1": one, f"{name}.2": two}
        return found

    def hint(self, expr: Expr, point: Point, **further: Any) -> Any:
        values = {**self.flat(point), **{f"${name}": value for name, value in further.items()}}

        return self.filled(expr, values)

    def filled(self, expr: Expr, values: Mapping[str, Any]) -> Any:
        """A hint with values for its names."""

        def entry(name: str, index: Any) -> Any:
            if name.startswith(SELECT):
                return values[name].at(index)
            return self.entry(name, index, 1) if name[0] == "$" else self.entry(name[:-2], index, int(name[-1]))

        return term(expr, values.__getitem__, entry)

    # statements

    def demand(self, point: Point, goal: Any, why: str) -> Point:
        if not self.z3.is_true(self.z3.simplify(goal)):
            self.found.append(Clause(point.facts, point.known, None, {}, goal, why))
        return point.assume(goal)

    def arrive(self, place: Place, point: Point, values: Mapping[str, Any] | None = None) -> None:
        self.found.append(Clause(point.facts, point.known, place, values if values is not None else self.flat(point)))

    def block(self, steps: tuple[Stmt, ...], point: Point) -> Iterator[tuple[str, Point]]:
        if not steps:
            yield "next", point
            return
        for kind, after in self.step(steps[0], point):
            if kind == "next":
                yield from self.block(steps[1:], self.settle(steps[1:], after))
            else:
                yield kind, after

    def step(self, step: Stmt, point: Point) -> Iterator[tuple[str, Point]]:
        if isinstance(step, Assign):
            yield "next", self.assign(step, point)
        elif isinstance(step, Append):
            length = point.env[f"$len.{step.target}"]
            point = self.promised(step, point)
            point = self.write(step.target, length[0], step.value, point)
            yield "next", point.put(f"$len.{step.target}", (length[0] + 1, length[1] + 1))
        elif isinstance(step, Store):
            one, two, point = self.values(step.index, point)
            if f"$at.{step.target}" in point.env:
                yield "next", self.stored(step, (one, two), point)
                return
            point = self.demand(point, self.z3.And(one == two, one >= 0), "the index is public, and counts from the front")
            yield "next", self.write(step.target, one, step.value, point)
        elif isinstance(step, Draw):
            yield "next", self.draw(step, point)
        elif isinstance(step, If):
            one, two, point = self.values(step.test, point)
            point = self.demand(point, one == two, f"line {step.line}: both runs take the same branch")
            yield from self.block(step.then, point.assume(one))
            yield from self.block(step.otherwise, point.assume(self.z3.Not(one)))
        elif isinstance(step, While):
            yield from self.loop(step, point)
        elif isinstance(step, Return):
            self.leave(step.value, point)
        else:
            yield type(step).__name__.lower(), point

    def assign(self, step: Assign, point: Point) -> Point:
        if step.value == Many("list", ()):
            zero = self.z3.RealVal(0)
            point = point.put(f"$len.{step.target}", (zero, zero))
            return self.begin(step.target, point, zero) if step.target in self.followed else point
        if isinstance(step.value, Name) and f"$at.{step.value.name}" in point.env:
            point = point.put(f"$at.{step.target}", point.env[f"$at.{step.value.name}"])
            return point.put(f"$len.{step.target}", point.env[f"$len.{step.value.name}"])
        if isinstance(step.value, Name) and f"$len.{step.value.name}" in point.env:
            at, pair = self.fresh("$at")[0], self.fresh(step.target)
            cell = {"$at": at, "$one": pair[0], "$two": pair[1], **self.ghosts}
            self.arrive(("cell", step.target), point.given(("cell", step.value.name), cell), cell)
            return point.put(f"$len.{step.target}", point.env[f"$len.{step.value.name}"])
        apart = self.apart(step, point)
        one, two, point = self.values(step.value, point)
        return point.put(step.target, (one, two)).assume(*apart)

    def apart(self, step: Assign, point: Point) -> list[Any]:
        """A number that is given to a name which may hold None is not the one that stands for None."""
        if step.target in self.kinds.present:
            return []
        names = [name for name in leaves(step.value) if name in self.kinds.present - self.kinds.truths and name in point.env]
        return [value != self.ghosts[NOTHING] for name in names for value in point.env[name]]

    def write(self, name: str, at: Any, value: Expr, point: Point) -> Point:
        if isinstance(value, Literal) and isinstance(value.value, str):
            return point
        one, two, point = self.values(value, point)
        if f"$at.{name}" in point.env:
            return self.put_entry(name, (at, at), (one, two), point)
        self.arrive(("cell", name), point, {"$at": at, "$one": one, "$two": two, **self.ghosts})
        return point

    def loop(self, step: While, point: Point) -> Iterator[tuple[str, Point]]:
        place = ("loop", self.loops[id(step)])
        self.arrive(place, self.probed(point))
        inside = [node for node in walk(step.body) if isinstance(node, Assign | Draw | Append)]
        changed = {node.target for node in inside} | {f"$len.{node.target}" for node in inside}
        changed |= {f"$K{node.site}" for node in inside if isinstance(node, Draw)}
        lists = self.written(step, point)
        self.entries_hold(lists, point)
        head = replace(point, env={name: self.fresh(name) if name in changed else pair for name, pair in point.env.items()})
        for name in lists:
            head = self.begin(name, head, head.env[f"$len.{name}"][0])
        head = self.probed(head)
        head = head.given(place, self.flat(head)).assume(*(head.env[f"$K{site}"][0] >= 0 for site in self.alignment))
        one, two, head = self.values(step.test, head)
        head = self.demand(head, one == two, f"line {step.line}: both runs stay in the loop or leave it")
        for kind, after in self.block(step.body, head.assume(one)):
            if kind == "break":
                yield "next", after
            else:
                self.arrive(place, self.probed(after))
                self.entries_hold(lists, after)
        yield "next", head.assume(self.z3.Not(one))

    def draw(self, step: Draw, point: Point) -> Point:
        size = None
        for argument in step.noise.arguments[: 1 if step.noise.law == TOLL else None]:
            size, two, point = self.values(argument, point)
            point = self.demand(point, size == two, f"line {step.line}: both runs draw the same noise")
        if step.site not in self.alignment:
            one, _ = self.fresh(step.target)
            inside = (one >= 0, one < size) if step.noise.law == "Uniform" else ()
            return point.put(step.target, (one, one)).assume(*inside)
        point = self.drawn(step, point)
        cases, name = self.alignment[step.site], f"$K{step.site}"
        if step.noise.law == TOLL:
            one, two, point = self.values(step.noise.arguments[1], point)
            point = point.assume(*self.in_order(*(point.env[index][0] for index in compared(step))))
            charge = self.charge(step.site, cases, point, None, two - one)
            return point.put(name, (point.env[name][0] + charge,) * 2)
        noise, again = self.fresh(step.target)
        shift, other = self.shift(cases, point, noise), self.shift(cases, point, again)
        if len(cases) > 1:
            once = self.z3.Implies(noise + shift == again + other, noise == again)
            point = self.demand(point, once, f"line {step.line}: no two draws become one")
        if step.noise.law != "Laplace":
            point = self.demand(point, shift >= 0, f"line {step.line}: one-sided noise moves up only")
        charge = self.charge(step.site, cases, point, noise, shift)
        point = point.put(name, (point.env[name][0] + charge,) * 2)
        return point.put(step.target, (noise, noise + shift))

    def drawn(self, step: Draw, point: Point) -> Point:
        """A scale that is drawn with is above 0, and so are parameters that follow."""
        scale, _, _ = self.values(step.noise.arguments[0], point)
        self.scales[step.site] = scale
        if step.site not in self.signs:
            self.signs[step.site] = positive(scale, self.given) if self.is_public(scale) else []
        return point.assume(*(self.public[name] > 0 for name in self.signs[step.site]))

    def shift(self, cases: tuple[Case, ...], point: Point, noise: Any) -> Any:
        return self.choose(cases, [self.size(case.shift, point) for case in cases], point, noise)

    def choose(self, cases: tuple[Case, ...], terms: list[Any], point: Point, noise: Any) -> Any:
        chosen = terms[-1]
        for case, value in zip(reversed(cases[:-1]), reversed(terms[:-1]), strict=True):
            assert case.when is not None
            chosen = self.z3.If(self.hint(case.when, point, noise=noise), value, chosen)
        return chosen

    def size(self, shift: Shift, point: Point) -> Any:
        total = shift.units * self.ghosts["$u"]
        for atom, times in shift.by:
            one, two, _ = self.values(atom, point)
            total = total + times * (two - one)
        return total

    def charge(self, site: int, cases: tuple[Case, ...], point: Point, noise: Any, shift: Any) -> Any:
        z3, units = self.z3, self.charges[site]
        size = z3.If(shift >= 0, shift, -shift)
        if units is None:
            return size
        charge = self.choose(cases, [z3.RealVal(str(unit)) for unit in units], point, noise)
        bound = self.choose(cases, [z3.RealVal(str(unit)) * self.ghosts["$u"] for unit in units], point, noise)
        self.demand(point, size <= bound, "the charge covers the shift")
        return charge

    def leave(self, value: Expr, point: Point) -> None:
        pairs, point = [], self.whole_lengths(point)
        for at, part in enumerate(value.entries if isinstance(value, Many) else (value,)):
            if isinstance(part, Literal) and not isinstance(part.value, Fraction):
                continue
            if isinstance(part, Name) and f"$len.{part.name}" in point.env:
                self.leave_list(part.name, point)
                continue
            one, two, point = self.values(part, point)
            pairs.append((one, two))
            if f"$o{at}" in self.guessed and not self.z3.is_bool(one):
                point = point.assume(one == self.ghosts[f"$o{at}"])
        for one, two in pairs:
            self.demand(point, one == two, "both runs return the same")
        self.arrive(EXIT, point)
