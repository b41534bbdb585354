"""Random functions as text, with the relation of their inputs: most have some bound, few have an obvious one."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from twoworlds.worlds.neighbours import L1, AddRemove, Each, Edit, Monotone, Neighbours, Number, One, Replace

__all__ = ["function", "world"]

_NUMBERS = ("Number", "Number")
_LISTS = ("Each", "One", "L1", "Monotone")
_TABLES = ("AddRemove", "Replace", "Edit")
_RELATIONS: dict[str, Any] = {
    "Number": Number("xs"),
    "Each": Each("xs"),
    "One": One("xs"),
    "L1": L1("xs"),
    "Monotone": Monotone(Each("xs")),
    "AddRemove": AddRemove("xs"),
    "Replace": Replace("xs"),
    "Edit": Edit("xs"),
}
_METRICS = ("L1", "L1", "Linf", "discrete")
_OF_ENTRY = (
    "clip({x}, 0, 3)",
    "clip({x}, -1, 2)",
    "(1 if {x} > 2 else 0)",
    "(1 if {x} == 1 else 0)",
    "min(max({x}, 0), 2)",
    "abs(clip({x}, -2, 2))",
    "clip({x} // 2, 0, 2)",
    "clip({x} % 3, 0, 2)",
    "({x} if {x} > 0 and {x} < 3 else 0)",
    "clip(2 * {x}, 0, 4)",
    "helped({x})",
)
_PLAIN = ("{x}", "{x}", "2 * {x}", "{x} * 0.5", "-{x}", "{x} - cut", "max({x}, cut)", "{x} / 3", "abs({x})")
_HELPER = (
    "def helped(x):\n    total = 0\n    if x > 1:\n        total = 2\n    elif x > 0:\n        total = 1\n    return total\n\n\n"
)


def function(seed: int) -> tuple[str, Neighbours, str]:
    """A function's text, its relation and the measure of its outputs."""
    pick = random.Random(f"wandering {seed}")
    kind = pick.choice((_NUMBERS, _LISTS, _LISTS, _TABLES))
    relation, metric = pick.choice(kind), pick.choice(_METRICS)
    body = _of_number(pick) if relation == "Number" else _of_list(pick, is_table=relation in _TABLES)
    stated = f"@sensitive(neighbours={_RELATIONS[relation]}, metric={metric!r})\n"
    return (
        f"{_HELPER}{stated}def f(xs, *, cut):\n" + "\n".join(f"    {line}" for line in body) + "\n",
        _RELATIONS[relation],
        metric,
    )


def _entry(pick: random.Random, name: str, *, bounded: bool) -> str:
    inner = pick.choice(_PLAIN).format(x=name) if pick.random() < 0.3 and not bounded else name
    return pick.choice(_OF_ENTRY if bounded or pick.random() < 0.5 else _PLAIN).format(x=inner)


def _of_number(pick: random.Random) -> list[str]:
    lines = [f"a = {_entry(pick, 'xs', bounded=False)}", f"b = {_entry(pick, 'a', bounded=False)}"]
    if pick.random() < 0.5:
        lines += [f"if {pick.choice(('xs > 1', 'a > b', 'cut > 0', 'b == 0'))}:", f"    b = {_entry(pick, 'a', bounded=False)}"]
    if pick.random() < 0.3:
        place = pick.choice(("0", "-1", "(0 if xs > 0 else 1)", "(-1 if xs > 0 else 1)"))
        return [*lines, "held = [0, 1]", f"held[{place}] = held[{place}] + b", "return held"]
    return [*lines, f"return {pick.choice(('a + b', 'b', 'max(a, b)', 'min(a, b) - a', 'a, b', 'a if cut > 1 else b'))}"]


def _of_list(pick: random.Random, *, is_table: bool) -> list[str]:
    """One or two loops that sum, count, keep extremes, build lists or fill places."""
    lines, given = ["total = 0", "top = 0", "counts = [0, 0, 0]"], ["total", "total + top", "top", "total, top", "counts"]
    for at in range(pick.choice((1, 1, 2))):
        lines.append("for x in xs:" if is_table or pick.random() < 0.6 else "for i, x in enumerate(xs):")
        value = _entry(pick, "x", bounded=is_table or pick.random() < 0.6)
        step = pick.choice((0, 0, 1, 2, 3, 4, 5))
        if step == 0:
            lines.append(f"    total = total + {value}")
        elif step == 1:
            lines.append(f"    top = max(top, {value})")
        elif step == 2:
            lines += [f"    if {pick.choice(('x > 0', 'x == 2', 'cut > 0'))}:", f"        total = total + {value}"]
        elif step == 3:
            lines.append(f"    counts[clip(x // 1, 0, 2)] = counts[clip(x // 1, 0, 2)] + {pick.choice(('1', '1', '2'))}")
        elif step == 4:
            lines += [f"    if total > {pick.randint(1, 4)}:", f"        {pick.choice(('break', 'continue'))}"]
            lines.append(f"    total = total + {value}")
        else:
            lines += [f"    y{at} = {value}", f"    total = total + y{at} - {pick.choice(('1', 'cut', f'y{at}', '0'))}"]
    if not is_table and pick.random() < 0.4:
        lines.append(f"ys = [{_entry(pick, 'x', bounded=False)} for x in xs]")
        given += ["ys", "sum(ys)", "cumsum(ys)", "ys, total", "max(ys)", "argmax(ys)", "ys[0]", "ys[-1]"] * 2
    return [*lines, f"return {pick.choice(given)}"]


def world(pick: random.Random, relation: Neighbours) -> Any:
    """Numbers and lists that nobody tried: halves, large ones, short and longer lists."""
    numbers = [Fraction(pick.randint(-8, 12), pick.choice((1, 1, 2, 3))) for _ in range(pick.randint(0, 7))]
    return Fraction(pick.randint(-20, 30), pick.choice((1, 2, 3))) if isinstance(relation, Number) else numbers
