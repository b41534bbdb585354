"""Both runs of a program on concrete worlds: a shift that fails here is no proof, and what holds here may be an invariant.

Nothing is drawn at random: worlds and tapes come from a fixed sequence, so that a verdict never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from twoworlds.proofs.alignments import Shift
from twoworlds.proofs.choices import SAME, TOLL, is_any, restored
from twoworlds.proofs.entries import SELECT
from twoworlds.proofs.guesses import guesses, told
from twoworlds.proofs.kinds import kinds
from twoworlds.proofs.terms import NOTHING
from twoworlds.source.interpreter import freeze, interpret
from twoworlds.source.program import (
    Append,
    Assign,
    Break,
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
from twoworlds.source.values import distribution, evaluate, whole
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Failed", "Sample", "Trial", "Undecided", "is_number", "run", "trials"]

T = TypeVar("T")
_MOST_STEPS = 4_000
_NOWHERE = -1_000_003  # None in what was seen: a number that no run comes to


class Numbers:
    """A fixed pseudo-random sequence that can choose (Knuth's multiplier, 64 bits)."""

    def __init__(self, start: int) -> None:
        self.state = start * 2 + 1

    def integer(self, low: int, high: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (self.state >> 33) % (high - low + 1)

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]


class Failed(Exception):
    """The two runs part, or cost more than the price; `used` are the choices that this run met."""

    def __init__(self, used: frozenset[Any]) -> None:
        self.used = used


class Undecided(Exception):
    """The run needs a choice that has not been made."""

    def __init__(self, key: Any, used: frozenset[Any]) -> None:
        self.key = key
        self.used = used


@dataclass(frozen=True)
class Trial:
    """Two neighbouring worlds, the public parameters, and what decides the noise of run 1."""

    one: Mapping[str, Any]
    two: Mapping[str, Any]
    unit: Fraction
    price: Fraction
    ghosts: Mapping[str, Any]
    start: int
    output: Any = None


@dataclass
class Sample:
    """What was seen where: values at loop heads, entries of lists, charges at exits."""

    heads: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    cells: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    exits: list[dict[str, Any]] = field(default_factory=list)
    scales: dict[int, list[Fraction]] = field(default_factory=dict)

    def without(self, unspoken: Callable[[str], bool]) -> Sample:
        """The sample without what has these names."""

        def less(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
            names = [name for name in dict.fromkeys(name for row in rows for name in row) if not unspoken(name)]
            return [{name: row[name] for name in names if name in row} for row in rows]

        heads = {loop: less(rows) for loop, rows in self.heads.items()}
        return Sample(heads, {name: less(rows) for name, rows in self.cells.items()}, less(self.exits), self.scales)

    def distilled(self) -> Sample:
        """Each row once, with whole numbers as such: rows are asked often."""
        heads = {loop: _distilled(rows) for loop, rows in self.heads.items()}
        cells = {name: _distilled(rows) for name, rows in self.cells.items()}
        return Sample(heads, cells, _distilled(self.exits), self.scales)


def _distilled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    plain = ({**{name: _plain(value) for name, value in row.items()}, NOTHING: _NOWHERE} for row in rows)
    return [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in plain)]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if value is None:
        return _NOWHERE
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def trials(program: Program, relation: Any, price: Any, whole_names: frozenset[str], count: int = 120) -> list[Trial]:
    """Worlds and tapes of many kinds; those on which the program fails are left out."""
    found: list[Trial] = []
    guessed = guesses(program, kinds(program, relation.parameter, whole_names), lists=True)
    for start in range(3 * count):
        try:
            trial = _trial(program, relation, price, whole_names, start, guessed=guessed)
        except (TwoWorldsError, ArithmeticError, ValueError, TypeError, IndexError):
            continue  # these parameters do not fit together, such as a probability above 1
        if trial is not None:
            found.append(trial)
        if len(found) == count:
            break
    return found


def _trial(program: Program, relation: Any, price: Any, names: frozenset[str], start: int, *, guessed: Any) -> Trial | None:
    numbers = Numbers(start)
    public: dict[str, Any] = {}
    for name in program.parameters:
        if name != relation.parameter:
            public[name] = (
                Fraction(numbers.integer(1, 3)) if start % 4 else Fraction(numbers.integer(1, 5), numbers.choice((1, 1, 2)))
            )
            if name in names:
                public[name] = Fraction(whole(public[name].__ceil__(), name))
    lists = {node.sequence.name for node in walk(program.body) if isinstance(node, Item) and isinstance(node.sequence, Name)}
    for name in sorted(lists & set(public)):
        public[name] = tuple(Fraction(numbers.integer(-2, 2)) for _ in range(8))
    known = dict(public)
    if hasattr(relation, "norm") or hasattr(relation, "relation"):
        known[relation.parameter] = [Fraction(0)] * (1 + start % 8)
    one = relation.world(numbers, known)
    two = relation.neighbour(numbers, one, known)
    if start % 3 == 0:
        one, two = two, one
    bound = relation.bound({**public, relation.parameter: one})
    worlds = [{name: freeze(value) for name, value in {**public, relation.parameter: world}.items()} for world in (one, two)]
    ghosts: dict[str, Any] = {"$u": bound}
    if isinstance(worlds[0][relation.parameter], tuple):
        moves = [b - a for a, b in zip(worlds[0][relation.parameter], worlds[1][relation.parameter], strict=True)]
        if type(relation).__name__ == "Monotone":
            ghosts["$up"] = all(move >= 0 for move in moves)
        ghosts["$where"] = Fraction(next((at for at, move in enumerate(moves) if move), -1))
        ghosts["$moved"] = tuple(sum((abs(move) for move in moves[:at]), Fraction(0)) for at in range(len(moves) + 1))
    cost = price.epsilon.above({**public, relation.parameter: one})
    trial = Trial(worlds[0], worlds[1], bound, cost, ghosts, start)
    output = interpret(restored(program), trial.one, _tape(trial))
    return Trial(worlds[0], worlds[1], bound, cost, {**ghosts, **told(program, output, guessed)}, start, output)


def is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _tape(trial: Trial) -> Callable[[int, Distribution], Any]:
    """Small draws with a site's own drift, so that long runs of one outcome occur, and ties."""
    numbers = Numbers(trial.start)
    drifts: dict[int, int] = {}

    def draw(site: int, law: Distribution) -> Any:
        if site not in drifts:
            drifts[site] = numbers.choice((0, 0, 0, 8, -8, 3, -3))
        noise = drifts[site] + numbers.integer(-4, 4)
        name = type(law).__name__
        if name in ("Bernoulli", "BernoulliExp"):
            return noise >= 0
        if name in ("Uniform", "Categorical", "ExponentialWeights"):
            size = getattr(law, "n", None) or len(getattr(law, "weights", None) or getattr(law, "scores", (0,)) or (0,))
            return Fraction(abs(noise) % size)
        return Fraction(abs(noise) if name in ("Exponential", "Geometric", "NegativeBinomial") else noise)

    return draw


class _Exit(Exception):
    pass


class _Leave(Exception):
    pass


class _Values(Mapping[str, Any]):
    """Variables of both runs and ghosts under their names in hints: x.1, x.2, $K0, $len.x."""

    def __init__(self, both: Both) -> None:
        self.both = both

    def __getitem__(self, name: str) -> Any:
        if name.startswith(SELECT):
            return self.both.envs[int(name[-1]) - 1][name[len(SELECT) : -2]]
        if name.startswith("$len."):
            return Fraction(len(self.both.envs[0][name[5:]]))
        if name.startswith("$"):
            return self.both.ghosts[name]
        return self.both.envs[int(name[-1]) - 1][name[:-2]]

    def __iter__(self) -> Iterator[str]:
        for run, env in enumerate(self.both.envs, 1):
            for name, value in env.items():
                if isinstance(value, tuple):
                    yield f"{SELECT}{name}.{run}"
                yield f"$len.{name}" if isinstance(value, tuple) else f"{name}.{run}"
        yield from self.both.ghosts

    def __len__(self) -> int:
        return len(list(iter(self)))


class Both:
    """The two runs in lockstep, with the noise of run 2 moved by the chosen shifts."""

    def __init__(
        self, program: Program, trial: Trial, chosen: Mapping[Any, Any], shifted: frozenset[int], sample: Sample | None
    ) -> None:
        self.program, self.trial, self.chosen, self.shifted, self.sample = program, trial, chosen, shifted, sample
        self.envs: list[dict[str, Any]] = [dict(trial.one), dict(trial.two)]
        self.ghosts: dict[str, Any] = {**trial.ghosts, **{f"$K{site}": Fraction(0) for site in shifted}}
        self.secret = {f"{name}.{run}": world[name] for run, world in ((1, trial.one), (2, trial.two)) for name in world}
        self.tape, self.any = _tape(trial), Numbers(trial.start + 1)
        self.used: set[Any] = set()
        self.scales: dict[int, Fraction] = {}
        self.cost = Fraction(0)
        self.steps = 0
        self.values = _Values(self)
        loops = (node for node in walk(program.body) if isinstance(node, While))
        self.loops = {id(node): at for at, node in enumerate(loops)}

    def run(self) -> None:
        try:
            self.block(self.program.body)
            self.leave(Literal(None))
        except _Exit:
            return
        except (TwoWorldsError, ArithmeticError, TypeError, ValueError, LookupError):
            raise Failed(frozenset(self.used)) from None

    def fail(self) -> None:
        raise Failed(frozenset(self.used))

    def choose(self, key: Any) -> Any:
        if key not in self.chosen:
            raise Undecided(key, frozenset(self.used))
        self.used.add(key)
        return self.chosen[key]

    def both(self, expr: Expr) -> tuple[Any, Any]:
        return evaluate(expr, self.envs[0]), evaluate(expr, self.envs[1])

    def public(self, expr: Expr) -> Any:
        one, two = self.both(expr)
        if one != two:
            self.fail()
        return one

    def block(self, steps: tuple[Stmt, ...]) -> bool:
        """Runs the steps; true when a `continue` ends the round."""
        for step in steps:
            self.steps += 1
            if isinstance(step, Assign):
                for env, value in zip(self.envs, self.both(step.value), strict=True):
                    env[step.target] = value
            elif isinstance(step, Draw):
                self.pay(step) if step.noise.law in (TOLL, SAME) else self.draw(step)
            elif isinstance(step, If):
                if self.block(step.then if self.public(step.test) else step.otherwise):
                    return True
            elif isinstance(step, While):
                self.loop(step)
            elif isinstance(step, Append | Store):
                self.write(step)
            elif isinstance(step, Return):
                self.leave(step.value)
            elif isinstance(step, Break):
                raise _Leave
            else:
                return True
        return False

    def loop(self, step: While) -> None:
        while True:
            if self.sample is not None:
                self.sample.heads.setdefault(self.loops[id(step)], []).append(dict(self.values))
            if self.steps > _MOST_STEPS:
                raise _Exit  # too long to tell anything
            if not self.public(step.test):
                return
            try:
                self.block(step.body)
            except _Leave:
                return

    def write(self, step: Append | Store) -> None:
        values = self.both(step.value)
        length = len(self.envs[0][step.target])
        places = [length] * 2 if isinstance(step, Append) else [whole(index, "index") for index in self.both(step.index)]
        at = places[0]
        if self.sample is not None and at == places[1]:
            entry = {"$at": Fraction(at), "$one": values[0], "$two": values[1], **self.ghosts, **self.secret}
            self.sample.cells.setdefault(step.target, []).append(entry)
        for env, value, at in zip(self.envs, values, places, strict=True):
            entries = list(env[step.target])
            env[step.target] = (*entries, value) if isinstance(step, Append) else (*entries[:at], value, *entries[at:][1:])

    def draw(self, step: Draw) -> None:
        laws = [distribution(step.noise, env) for env in self.envs]
        if laws[0] != laws[1]:
            self.fail()
        noise = Fraction(self.any.integer(0, getattr(laws[0], "n", 1) - 1)) if is_any(step) else self.tape(step.site, laws[0])
        self.envs[0][step.target] = self.envs[1][step.target] = noise
        if step.site not in self.shifted:
            return
        self.ghosts["$noise"] = noise
        conditions = self.choose(("when", step.site))
        case = next((at for at, when in enumerate(conditions) if evaluate(when, self.values)), len(conditions))
        shift: Shift = self.choose(("shift", step.site, case))
        move = self.size(shift)
        scale = laws[0].scale  # type: ignore[attr-defined]  # shifted laws have a scale
        if step.noise.law != "Laplace" and move < 0:
            self.fail()
        self.spend(step.site, case, move, scale)
        self.envs[1][step.target] = noise + move

    def pay(self, step: Draw) -> None:
        """What a law of a list comes to: see `choices`."""
        *scale, value = step.noise.arguments
        one, two = self.both(value)
        if step.noise.law == TOLL:
            self.spend(step.site, 0, two - one, Fraction(self.public(scale[0])))
        elif one != two:
            self.fail()

    def spend(self, site: int, case: int, move: Fraction, scale: Fraction) -> None:
        self.cost += abs(move) / scale
        if self.cost > self.trial.price:
            self.fail()
        self.charge(site, case, move)
        self.scales[site] = scale

    def size(self, shift: Shift) -> Fraction:
        total = shift.units * self.trial.unit
        for atom, times in shift.by:
            one, two = self.both(atom)
            total += times * (two - one)
        return total

    def charge(self, site: int, case: int, move: Fraction) -> None:
        """What this draw adds to the site's account, and the largest shift of the case so far."""
        charges = self.chosen.get(("charges", site))
        self.ghosts[f"$K{site}"] += abs(move) if charges is None else charges[case]
        if self.sample is not None and self.trial.unit:
            entry = {"site": site, "case": case, "units": abs(move) / self.trial.unit}
            self.sample.cells.setdefault("$shifts", []).append(entry)

    def leave(self, value: Expr) -> None:
        parts = value.entries if isinstance(value, Many) else (value,)
        outputs = [self.both(part) for part in parts]
        if any(one != two for one, two in outputs):
            self.fail()
        if self.sample is not None:
            self.sample.exits.append(dict(self.values))
            if self.scales.keys() == self.shifted:
                for site, scale in self.scales.items():
                    self.sample.scales.setdefault(site, []).append(scale)
        raise _Exit


def run(program: Program, trial: Trial, chosen: Mapping[Any, Any], shifted: frozenset[int], sample: Sample | None = None) -> None:
    """One trial under the choices made so far; raises Failed or Undecided."""
    Both(program, trial, chosen, shifted, sample).run()
