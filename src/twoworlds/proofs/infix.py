"""Hints as people read them: brackets become infix, x.1 and x.2 become x and x', ghosts get names."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["infix"]

_NAMES = {
    "$u": "u",
    "$noise": "noise",
    "$up": "all entries moved up",
    "$at": "at",
    "$one": "entry",
    "$two": "entry'",
    "$none": "None",
    "$where": "the moved entry",
}
_WORDS = {"and": " and ", "or": " or ", "distinct": " != ", "$modulo/2": " % ", "$floor/2": " // ", "$quotient/2": " / "}
Tree = Any


def infix(text: str) -> str:
    """`(<= $K0 (* 2.0 limit.1))` as `spent[0] <= 2 * limit`."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    return _bare(_shown(_tree(tokens))) if tokens else ""


def _tree(tokens: list[str]) -> Tree:
    token = tokens.pop(0)
    if token != "(":
        return token
    parts = []
    while tokens[0] != ")":
        parts.append(_tree(tokens))
    tokens.pop(0)
    return parts


def _shown(tree: Tree) -> str:
    if isinstance(tree, str):
        return _name(tree)
    head, *rest = tree
    parts = [_shown(part) for part in rest]
    if head == "-" and len(parts) == 1:
        return f"-{parts[0]}"
    if head == "not":
        return f"not {parts[0]}"
    if head == "=" and "None" in parts:
        return f"({' is '.join(parts)})"
    if head == "*" and parts[0] == "1" and len(parts) == 2:
        return parts[1]
    if head == "+" and len(parts) == 2 and re.fullmatch(r"-\d+", parts[1]):
        return f"({parts[0]} - {parts[1][1:]})"
    if head == "ite":
        return f"({_bare(parts[1])} if {_bare(parts[0])} else {_bare(parts[2])})"
    if head in ("+", "-", "*", "/", "=", "<", "<=", ">", ">=", *_WORDS):
        return _bare(parts[0]) if len(parts) == 1 else f"({_WORDS.get(head, f' {head} ').join(parts)})"
    if head == "$among":
        return f"({_bare(parts[0])} is in the output)"
    if head == "$count":
        return f"(outputs below {_bare(parts[0])})"
    if head == "select":
        mark = "'" if rest[0].endswith(".2") else ""
        return f"{parts[0].removesuffix(mark)}{mark}[{_bare(parts[1])}]"
    if head.startswith("$o"):
        return f"{_name(head)}[{', '.join(map(_bare, parts))}]"
    name, mark = (head[:-2], "'") if head.endswith(".2") else (head.removesuffix(".1"), "")
    name = "moved so far" if name.startswith("$moved") else name
    return f"{name}{mark}[{', '.join(map(_bare, parts))}]"


def _name(token: str) -> str:
    if token in _NAMES:
        return _NAMES[token]
    if re.fullmatch(r"\d+\.0", token):
        return token[:-2]
    if token.startswith("$K"):
        return f"spent[{token[2:]}]"
    if re.fullmatch(r"\$len\.\$o\d+", token):
        return f"len({_name(token[5:])})"
    if token.startswith("$len."):
        return f"len({token[5:]})"
    if token.startswith("$o"):
        return "output" if token == "$o0" else f"output part {int(token[2:]) + 1}"
    plain = re.sub(r"@@?\d+|\$\d+", "", token.removesuffix(".1").removesuffix(".2"))
    return plain + ("'" if token.endswith(".2") else "")


def _bare(text: str) -> str:
    """Without the outermost brackets."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth and at < len(text) - 1:
            return text
    return text[1:-1]
