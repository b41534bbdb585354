"""Local responses on lists of any length: a loop whose every round draws finite noise and looks at one entry of the secret.

Theorem. Let a program read its secret in one loop only, and there in each round no other entry than the round's own. Given what
the rounds before it did, a round does something with the same chances in both worlds wherever its entry is the same; everything
else is computed from what the rounds did (post-processing). So the chance of all that is done together is a product over the
rounds, and its ratio between the worlds the product of the ratios of those rounds whose entries differ: of one round if one
entry moves, of k if entries on a grid of step g move by k g together. Where the secret is a number of which a round only asks
whether it is the round's own index, one round changes from yes to no and one from no to yes.

What a round does is tabulated like the outcomes of a card (`outcomes`): for one entry from each region of the line that the
round's comparisons tell apart, and every way in which its noise can fall. What a round has of earlier ones is a name here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from twoworlds.losses.prices import Pure
from twoworlds.proofs.outcomes import Table, paths, told_apart
from twoworlds.proofs.ratios import Ratio, atom, constant
from twoworlds.proofs.statements import Statement
from twoworlds.source.program import (
    Append,
    Assign,
    Break,
    Call,
    Compare,
    Continue,
    Draw,
    Expr,
    For,
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
from twoworlds.worlds.errors import TwoWorldsError, Unsupported
from twoworlds.worlds.neighbours import L1, Local, Monotone, Number, One

__all__ = ["METHOD", "one_round"]

METHOD = "table of one round of the loop"
_ENTRY, _DONE = "entry@", "done@"
_MOST_ROUNDS, _MOST_REGIONS = 6, 9


def one_round(found: Statement) -> str | None:
    """The obligations that prove the statement by the table of one round, as an SMT-LIB script; None where it has none."""
    if type(found.price) is not Pure:
        return None
    try:
        read = _read(found)
        rough = _Rounds(found, {}, read)
        rough.script()
        return _Rounds(found, rough.names.steps(), read).script()
    except (TwoWorldsError, ArithmeticError, TypeError, ValueError, LookupError):
        return None  # another kind of program


@dataclass(frozen=True)
class _Round:
    """One round as a program of its own: what it returns is all that it does."""

    program: Program
    asks_index: bool
    many: int
    """How many rounds may differ; where rounds ask for their index, these are one each way."""
    names: frozenset[str]
    """What it has of the steps before it."""
    grid: Fraction | None


# reading the program


def _read(found: Statement) -> _Round:
    """The loop that reads the secret, as one round; raises where it is not of this kind."""
    private, body = found.relation.parameter, found.program.body
    reading = [at for at, step in enumerate(body) if _reads(step, private)]
    if len(reading) != 1 or not isinstance(body[reading[0]], For):
        raise Unsupported(found.line, "the secret is not read in one loop", "Use an alignment")
    at, loop = reading[0], body[reading[0]]
    assert isinstance(loop, For)
    loop = _with_its_draws(loop, found.program)
    asks_index = type(found.relation) in (Local, Number) and found.program.depth == 0
    rounds = _entrywise(loop, private) if not asks_index else _indexed(loop, private)
    if _reads(rounds, private) or (loop.sequence != Name(private) and _reads(loop.sequence, private)):
        raise Unsupported(loop.line, "a round reads more of the secret than its own entry", "Use an alignment")
    after = _names(body[at + 1 :])
    if loop.sequence == Name(private) and loop.target in after:
        raise Unsupported(loop.line, "the last entry is read after the loop", "Use an alignment")
    many = 1 if asks_index else _moved(found)
    program, names = _once(found.program, rounds, after)
    return _Round(program, asks_index, many, names, getattr(found.relation, "grid", None))


def _reads(node: Any, private: str) -> bool:
    """Whether it reads the secret; its length is public."""
    if isinstance(node, tuple):
        return any(_reads(part, private) for part in node)
    if node == Name(private):
        return True
    if isinstance(node, Call) and node.function == "len" and node.arguments == (Name(private),):
        return False
    if isinstance(node, Assign | Append | Store | Draw | For) and node.target == private:
        return True
    return is_dataclass(node) and any(_reads(getattr(node, field.name), private) for field in fields(node))


def _names(node: Any) -> frozenset[str]:
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))


def _with_its_draws(loop: For, program: Program) -> For:
    """Noise that was drawn for a whole list and is read at the round's own index alone is drawn in the round."""
    targets = [part.target for part in walk(program.body) if isinstance(part, Append | Assign | Draw | For | Store)]
    elsewhere = tuple(step for step in program.body if step is not loop)
    own: list[Stmt] = []
    body: Any = loop.body
    if not _counts_up(loop) or loop.target in _assigned(loop.body):
        return loop
    for step in elsewhere:
        if isinstance(step, Draw) and step.count is not None and targets.count(step.target) == 1:
            one = f"{step.target}{_ENTRY}"
            inside = _replaced(body, Item(Name(step.target), Name(loop.target)), Name(one))
            fixed = not any(isinstance(part, Name) and part.name in targets for part in walk(step.noise))
            if inside != body and fixed and step.target not in _names((elsewhere, inside)):
                own.append(replace(step, target=one, count=None))
                body = inside
    return replace(loop, body=(*own, *body))


def _entrywise(loop: For, private: str) -> tuple[Stmt, ...]:
    """A round of `for x in secret`, or of `for i in range(...)` that reads secret[i]: each entry in one round at most."""
    if loop.sequence == Name(private):
        return (Assign(loop.line, loop.target, Name(_ENTRY)), *loop.body)
    if not _counts_up(loop) or loop.target in _assigned(loop.body):
        raise Unsupported(loop.line, "an entry may be read in two rounds", "Count by ones from 0")
    body: tuple[Stmt, ...] = _replaced(loop.body, Item(Name(private), Name(loop.target)), Name(_ENTRY))
    return body


def _counts_up(loop: For) -> bool:
    """Over different whole numbers of which none is below 0."""
    if not isinstance(loop.sequence, Call) or loop.sequence.function != "range" or len(loop.sequence.arguments) > 2:
        return False
    first = loop.sequence.arguments[0] if len(loop.sequence.arguments) == 2 else Literal(Fraction(0))
    return isinstance(first, Literal) and isinstance(first.value, Fraction) and first.value >= 0


def _indexed(loop: For, private: str) -> tuple[Stmt, ...]:
    """A round that asks whether the secret is the round's index."""
    if not _counts_up(loop) or loop.target in _assigned(loop.body):
        raise Unsupported(loop.line, "an index may come twice", "Count by ones from 0")
    body: Any = loop.body
    for left, right in ((Name(loop.target), Name(private)), (Name(private), Name(loop.target))):
        body = _replaced(body, Compare("==", left, right), Name(_ENTRY))
        body = _replaced(body, Compare("!=", left, right), Compare("==", Name(_ENTRY), Literal(value=False)))
    steps: tuple[Stmt, ...] = body
    return steps


def _replaced(node: Any, old: Expr, new: Expr) -> Any:
    if node == old:
        return new
    if isinstance(node, tuple):
        return tuple(_replaced(part, old, new) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{field.name: _replaced(getattr(node, field.name), old, new) for field in fields(node)})
    return node


def _assigned(node: Any) -> frozenset[str]:
    return frozenset(part.target for part in walk(node) if isinstance(part, Append | Assign | Draw | For | Store))


def _moved(found: Statement) -> int:
    """In how many entries two worlds differ at most."""
    relation = found.relation.relation if isinstance(found.relation, Monotone) else found.relation
    if type(relation) is One:
        return 1
    if type(relation) is L1 and relation.grid is not None and not relation.by.names:
        many = relation.bound() // relation.grid
        if many <= _MOST_ROUNDS:
            return int(many)
    raise Unsupported(found.line, "all entries may differ", "Use an alignment")


def _once(program: Program, body: tuple[Stmt, ...], after: frozenset[str]) -> tuple[Program, frozenset[str]]:
    """A round that returns what it did, and the names that it reads of what was before."""
    inside = [node for node in walk(body) if isinstance(node, Stmt)]
    lists = frozenset(node.target for node in inside if isinstance(node, Append | Store))
    ends = {type(node) for node in inside} & {Break, Continue}
    if len(ends) > 1 or any(isinstance(node, For | While | Return) for node in inside) or lists & _names(body):
        raise Unsupported(1, "a round has loops or ends of its own, or reads a list that it changes", "Use an alignment")
    before: set[str] = set()
    _exposed(_stored(body), set(), before)
    line, kept = 1, sorted(_assigned(body) & (after | before))
    steps = (
        Assign(line, _DONE, Literal(value=False)),
        *(Assign(line, name, Many("list", ())) for name in sorted(lists)),
        For(line, "once@", Many("list", (Literal(Fraction(0)),)), (*_stored(body), Assign(line, _DONE, Literal(value=True)))),
        Return(line, Many("tuple", tuple(map(Name, [_DONE, *kept] if Break in ends else kept)))),
    )
    names = frozenset(before | set(kept)) - lists - set(program.parameters) - {_ENTRY}
    return replace(program, body=steps), names


def _stored(node: Any) -> Any:
    """Entries that are put at a place as entries that are appended with it: what is done is told apart no less."""
    if isinstance(node, tuple):
        return tuple(map(_stored, node))
    if isinstance(node, If):
        return replace(node, then=_stored(node.then), otherwise=_stored(node.otherwise))
    return Append(node.line, node.target, Many("tuple", (node.index, node.value))) if isinstance(node, Store) else node


def _exposed(steps: tuple[Stmt, ...], known: set[str], before: set[str]) -> None:
    """Collects the names that are read where they may hold what they held before; `known` are those assigned by now."""
    for step in steps:
        if isinstance(step, If):
            before |= _names(step.test) - known
            ways = set(known), set(known)
            _exposed(step.then, ways[0], before)
            _exposed(step.otherwise, ways[1], before)
            known |= ways[0] & ways[1]
            continue
        before |= _names(step) - known
        if isinstance(step, Assign | Draw):
            known.add(step.target)


# tabulating it


class _Entry:
    """One entry of the secret, from one region of the line: it can be compared, and nothing else."""

    __hash__ = None  # type: ignore[assignment]  # what may be many numbers is no key

    def __init__(self, at: Fraction | str, cuts: dict[str, Any]) -> None:
        self.at, self.cuts = at, cuts

    def side(self, other: Any) -> int:
        """-1, 0 or 1 as the entry is below, at or above the other."""
        cut = constant(other)
        self.cuts.setdefault(str(cut), cut.plain)
        if isinstance(self.at, str):
            return {"below": -1, "at": 0, "above": 1}[self.at]
        if cut.plain is None:
            return 0  # not told apart yet
        return (self.at > cut.plain) - (self.at < cut.plain)

    def __lt__(self, other: Any) -> bool:
        return self.side(other) < 0

    def __le__(self, other: Any) -> bool:
        return self.side(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.side(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self.side(other) >= 0

    def __eq__(self, other: object) -> bool:
        return self.side(other) == 0

    def __ne__(self, other: object) -> bool:
        return self.side(other) != 0

    def __bool__(self) -> bool:
        return self.side(0) != 0


class _Rounds(Table):
    """The table of one round."""

    def __init__(self, found: Statement, units: Mapping[str, Fraction], read: _Round) -> None:
        super().__init__(found, units)
        self.read = read
        self.further = frozenset(f"$before.{name}" for name in read.names)

    def script(self) -> str:
        if self.read.asks_index:
            laws = [self.done(entry) for entry in (True, False)]
            return self.written(_both_ways(*laws), self.most())
        laws = self.regions()
        pairs = [(one, other) for one in laws for other in laws if one is not other]
        chances = [(chance, other.get(shown, constant(0))) for one, other in pairs for shown, chance in one.items()]
        return self.written([(one**self.read.many, other**self.read.many) for one, other in chances], self.most())

    def regions(self) -> list[dict[Any, Ratio]]:
        """What a round does, for each region of entries that it tells apart."""
        cuts: dict[str, Any] = {}
        while True:
            size, noted = len(cuts), len(self.known)
            laws = [self.done(_Entry(at, cuts)) for at in _representatives(cuts, self.read.grid)]
            if len(cuts) == size:
                return laws
            del self.known[noted:]

    def done(self, entry: Any) -> dict[Any, Ratio]:
        world = {**self.public, **{name: atom(f"$before.{name}") for name in self.read.names}, _ENTRY: entry}
        world.pop(self.found.relation.parameter, None)
        found: dict[Any, Ratio] = {}
        for shown, chance, known in paths(self.read.program, world, self.law):
            self.known.append(known)
            if any(isinstance(part, _Entry) for part in _parts(shown)):
                raise Unsupported(1, "a round shows its entry", "Add noise")
            key = told_apart(shown)
            found[key] = found[key] + chance if key in found else chance
        return found


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    else:
        yield value


def _both_ways(yes: Mapping[Any, Ratio], no: Mapping[Any, Ratio]) -> list[tuple[Ratio, Ratio]]:
    """One round that changes from yes to no beside one that changes from no to yes."""
    nothing = constant(0)
    shown = dict.fromkeys((*yes, *no))
    chance: Callable[[Mapping[Any, Ratio], Any], Ratio] = lambda law, key: law.get(key, nothing)  # noqa: E731  a name for a look-up
    return [(chance(yes, a) * chance(no, b), chance(no, a) * chance(yes, b)) for a in shown for b in shown]


def _representatives(cuts: Mapping[str, Any], grid: Fraction | None) -> list[Fraction | str]:
    """An entry from each region between the cuts, and each cut; on a grid, those alone that hold a multiple."""
    plain = sorted(cut for cut in cuts.values() if cut is not None)
    if len(plain) < len(cuts):
        if len(cuts) > 1:
            raise Unsupported(1, "which of two bounds is larger is not known", "Compare with numbers only")
        return ["below", "at", "above"]
    if not plain:
        return [Fraction(0)]
    if len(plain) > _MOST_REGIONS:
        raise Unsupported(1, "a round tells too many entries apart", "Compare with fewer numbers")
    between = [(low + high) / 2 for low, high in pairwise(plain) if _holds_one(low, high, grid)]
    own = [cut for cut in plain if grid is None or (cut / grid).denominator == 1]
    return [plain[0] - (grid or 1), *own, *between, plain[-1] + (grid or 1)]


def _holds_one(low: Fraction, high: Fraction, grid: Fraction | None) -> bool:
    """Whether a multiple of the grid lies strictly between."""
    return grid is None or (low // grid + 1) * grid < high
