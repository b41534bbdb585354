"""Programs that mean the same, or are only more private: what somebody else would have written. No verdict may hang on it.

Each way takes the tree of a card's function and changes it in place; it says whether it changed anything. `same` ways keep the
output law (up to names); `safer` ways may only make a program more private, so they are for programs that are private.
"""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Iterator

__all__ = ["SAFER", "SAME", "variants"]

Way = Callable[[ast.FunctionDef, ast.Module], bool]
_FLIPPED = {ast.GtE: ast.LtE, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.Lt: ast.Gt}
_NEGATED = {ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.Lt: ast.GtE}


def variants(text: str, seed: int, count: int, *, safer: bool) -> Iterator[tuple[str, str]]:
    """Variants of a card's text, each by one to three ways in a row, with the names of the ways."""
    numbers = random.Random(seed)
    ways = {**SAME, **(SAFER if safer else {})}
    seen = {ast.unparse(ast.parse(text))}
    for _ in range(6 * count):
        module = ast.parse(text)
        used = [name for name in numbers.sample(sorted(ways), numbers.randint(1, 3)) if ways[name](_card(module), module)]
        made = ast.unparse(ast.fix_missing_locations(module))
        if used and made not in seen:
            seen.add(made)
            yield " + ".join(used), made
            count -= 1
            if not count:
                return


def _card(module: ast.Module) -> ast.FunctionDef:
    return next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.decorator_list)


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _assigned(function: ast.FunctionDef) -> list[str]:
    names = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return list(dict.fromkeys(names))


def _read(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


# names


def renamed(function: ast.FunctionDef, _: ast.Module) -> bool:
    """Every variable and parameter has another name, in formulas too."""
    arguments = [argument for argument in (*function.args.args, *function.args.kwonlyargs) if argument.arg != "sample"]
    new = {name: f"v{at}_{name[:1]}" for at, name in enumerate([*(argument.arg for argument in arguments), *_assigned(function)])}
    for argument in arguments:
        argument.arg = new[argument.arg]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in new:
            node.id = new[node.id]
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = re.sub(r"[A-Za-z_]\w*", lambda word: new.get(word[0], word[0]), node.value)
    return bool(new)


# comparisons and branches


def flipped(function: ast.FunctionDef, _: ast.Module) -> bool:
    """a >= b as b <= a."""
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _FLIPPED and len(node.ops) == 1
    ]
    for node in found:
        node.left, node.comparators, node.ops = node.comparators[0], [node.left], [_FLIPPED[type(node.ops[0])]()]
    return bool(found)


def negated(function: ast.FunctionDef, _: ast.Module) -> bool:
    """a >= b as not a < b."""

    class Negate(ast.NodeTransformer):
        changed = False

        def visit_Compare(self, node: ast.Compare) -> ast.expr:
            if len(node.ops) == 1 and type(node.ops[0]) in _NEGATED:
                self.changed = True
                node.ops = [_NEGATED[type(node.ops[0])]()]
                return ast.UnaryOp(ast.Not(), node)
            return node

    negate = Negate()
    function.body = [negate.visit(step) for step in function.body]
    return negate.changed


def inverted(function: ast.FunctionDef, _: ast.Module) -> bool:
    """if c: A else: B as if not c: B else: A."""
    found = [node for node in ast.walk(function) if isinstance(node, ast.If) and node.orelse]
    for node in found:
        node.test, node.body, node.orelse = ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body
    return bool(found)


def nested(function: ast.FunctionDef, _: ast.Module) -> bool:
    """if c: return A; rest as if c: return A else: rest."""
    changed = False
    for block in list(_blocks(function)):
        for at, step in enumerate(block[:-1]):
            if isinstance(step, ast.If) and not step.orelse and isinstance(step.body[-1], ast.Return | ast.Continue | ast.Break):
                step.orelse, block[at + 1 :] = block[at + 1 :], []
                changed = True
                break
    return changed


# loops


def _range_loops(function: ast.FunctionDef) -> Iterator[tuple[list[ast.stmt], int, ast.For, str, str]]:
    """Loops `for i in range(len(xs))`: the block, the place, the loop, i and xs."""
    for block in list(_blocks(function)):
        for at, step in enumerate(block):
            if not isinstance(step, ast.For) or not isinstance(step.target, ast.Name) or step.orelse:
                continue
            match = re.fullmatch(r"range\(len\((\w+)\)\)", ast.unparse(step.iter))
            if match and match[1] not in _assigned(function):
                yield block, at, step, step.target.id, match[1]


def as_while(function: ast.FunctionDef, _: ast.Module) -> bool:
    """A while loop with an index."""
    for block, at, loop, index, entries in _range_loops(function):
        if any(isinstance(node, ast.Continue) for node in ast.walk(loop)) or index in _read(ast.Module(block[at + 1 :], [])):
            continue
        head = ast.parse(f"{index} = 0\nwhile {index} < len({entries}):\n    {index} = {index} + 1").body
        assert isinstance(head[1], ast.While)
        head[1].body = [*loop.body, *head[1].body]
        block[at : at + 1] = head
        return True
    return False


def as_enumerate(function: ast.FunctionDef, _: ast.Module) -> bool:
    """for i, x in enumerate(xs)."""
    for _block, _at, loop, index, entries in _range_loops(function):
        _entry_for(loop, index, entries)
        loop.target = ast.Tuple([ast.Name(index, ast.Store()), ast.Name("entry_", ast.Store())], ast.Store())
        loop.iter = ast.parse(f"enumerate({entries})", mode="eval").body
        return True
    return False


def as_entries(function: ast.FunctionDef, _: ast.Module) -> bool:
    """for x in xs, where the index is not used otherwise."""
    for _block, _at, loop, index, entries in _range_loops(function):
        rest = copy.deepcopy(loop)
        _entry_for(rest, index, entries)
        if index in {name for step in rest.body for name in _read(step)} or ast.unparse(function).count(f"{index}") > 60:
            continue
        loop.body, loop.target, loop.iter = rest.body, ast.Name("entry_", ast.Store()), ast.Name(entries, ast.Load())
        return True
    return False


def _entry_for(loop: ast.For, index: str, entries: str) -> None:
    class Entry(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
            return ast.Name("entry_", ast.Load()) if ast.unparse(node) == f"{entries}[{index}]" else node

    loop.body = [Entry().visit(step) for step in loop.body]


# statements


def with_temporaries(function: ast.FunctionDef, _: ast.Module) -> bool:
    """What is appended or returned is named first."""
    changed = 0
    for block in list(_blocks(function)):
        for at in reversed(range(len(block))):
            step = block[at]
            if isinstance(step, ast.Return) and isinstance(step.value, ast.BinOp | ast.Call | ast.Compare):
                step.value, value = ast.Name(f"result_{changed}", ast.Load()), step.value
            elif isinstance(step, ast.Expr) and isinstance(step.value, ast.Call) and ".append(" in ast.unparse(step)[:40]:
                if isinstance(step.value.args[0], ast.Constant):
                    continue
                value, step.value.args = step.value.args[0], [ast.Name(f"result_{changed}", ast.Load())]
            else:
                continue
            block.insert(at, ast.Assign([ast.Name(f"result_{changed}", ast.Store())], value, lineno=1))
            changed += 1
    return bool(changed)


def reordered(function: ast.FunctionDef, _: ast.Module) -> bool:
    """Neighbouring assignments that do not read each other change places."""
    changed = False
    for block in list(_blocks(function)):
        for at in range(len(block) - 1):
            one, other = block[at], block[at + 1]
            if not all(isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name) for step in (one, other)):
                continue
            assert isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
            names = [ast.unparse(step.targets[0]) for step in (one, other)]
            if names[0] not in _read(other) and names[1] not in _read(one):
                block[at], block[at + 1] = other, one
                changed = True
                break
    return changed


def summed_the_other_way(function: ast.FunctionDef, _: ast.Module) -> bool:
    """a + b as b + a, where at most one of them draws."""
    sums = (node for node in ast.walk(function) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))
    found = [node for node in sums if "sample(" in ast.unparse(node) and not isinstance(node.left, ast.List)]
    for node in found:
        if not all("sample(" in ast.unparse(part) for part in (node.left, node.right)):
            node.left, node.right = node.right, node.left
    return bool(found)


def with_a_helper(function: ast.FunctionDef, module: ast.Module) -> bool:
    """Laplace noise is drawn by a helper function."""

    class Help(ast.NodeTransformer):
        changed = False

        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            match = re.fullmatch(r"sample\(Laplace\((.*)\)\)", ast.unparse(node))
            if match and node.args and len(node.args) == 1:
                self.changed = True
                return ast.parse(f"helped_noise({match[1]}, sample)", mode="eval").body
            return node

    helper = Help()
    function.body = [helper.visit(step) for step in function.body]
    if helper.changed:
        module.body.insert(0, ast.parse("def helped_noise(scale_, sample):\n    return sample(Laplace(scale_))").body[0])
    return helper.changed


# more private


def slack(function: ast.FunctionDef, _: ast.Module) -> bool:
    """Every Laplace scale is half as large again."""
    found = [node for node in ast.walk(function) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Laplace"]
    for node in found:
        node.args = [ast.BinOp(ast.parse("Fraction(3, 2)", mode="eval").body, ast.Mult(), node.args[0])]
    return bool(found)


def minus_one(function: ast.FunctionDef, _: ast.Module) -> bool:
    """Outputs that were None are -1."""
    changed = False
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is None:
            node.value, changed = ast.parse("-1", mode="eval").body, True
        if isinstance(node, ast.Call) and ast.unparse(node).endswith(".append(None)"):
            node.args, changed = [ast.parse("-1", mode="eval").body], True
    return changed


def twice_at_half(function: ast.FunctionDef, module: ast.Module) -> bool:
    """The mechanism run twice, each time with half of epsilon."""
    names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
    if (
        'Pure("epsilon")' not in ast.unparse(function).replace("'", '"')
        or "epsilon" not in names
        or "mechanism_part" in _read(function)
    ):
        return False
    part = copy.deepcopy(function)
    part.name, part.decorator_list = "mechanism_part", []
    part.args = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    given = ", ".join("epsilon / 2" if name == "epsilon" else name for name in names)
    call = f"mechanism_part({given})"
    function.body = ast.parse(f"first_ = {call}\nsecond_ = {call}\nreturn first_, second_").body
    module.body.insert(0, part)
    return True


SAME: dict[str, Way] = {
    way.__name__: way
    for way in (
        renamed,
        flipped,
        negated,
        inverted,
        nested,
        as_while,
        as_enumerate,
        as_entries,
        with_temporaries,
        reordered,
        summed_the_other_way,
        with_a_helper,
    )
}
SAFER: dict[str, Way] = {way.__name__: way for way in (slack, minus_one, twice_at_half)}
