"""Which variables a piece of a program assigns, and whose lists it makes known under another name."""

from __future__ import annotations

from twoworlds.source.program import Append, Assign, Call, Choice, Draw, Expr, For, Many, Name, Stmt, Store, walk

__all__ = ["assigned", "lists_in", "touched"]


def lists_in(value: Expr) -> set[str]:
    """The variables whose own lists a value is or holds; names that the parser made are read once and do not count."""
    if isinstance(value, Name):
        return set() if "@" in value.name else {value.name}
    if isinstance(value, Choice):
        return lists_in(value.then) | lists_in(value.otherwise)
    if isinstance(value, Many):
        return set().union(*(lists_in(entry) for entry in value.entries))
    return lists_in(value.arguments[0]) if isinstance(value, Call) and value.function == "repeat" else set()


def touched(body: tuple[Stmt, ...]) -> set[str]:
    """The variables that statements assign, or whose lists they make known elsewhere."""
    touched: set[str] = set()
    for part in walk(body):
        if isinstance(part, Assign | Append | Store):
            touched |= lists_in(part.value)
    return touched | assigned(body)


def assigned(body: tuple[Stmt, ...]) -> set[str]:
    """The variables that statements assign or change."""
    return {part.target for part in walk(body) if isinstance(part, Append | Assign | Draw | For | Store)}
