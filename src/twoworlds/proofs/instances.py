"""Facts that hold of every index, stated for the indexes that an obligation speaks of.

(Entries) Where a list is followed entry by entry, what its hint says holds of each of its entries; `bases` are the lists as they
are at loop heads. (Guesses) The numbers that are guessed are finitely many, and so are the indexes among them: `$among` says
whether a number is one of them, `$count t` how many of 0, 1, ..., t - 1 are. So the count begins at 0, grows by one at each of
them, and is never above the number of guesses, `$guesses`. A sequence that is guessed stands for its list's entries, and past
the end for the last of them: its numbers are guesses, and no more than its length, or one.

Any number of such facts may be left out, so what is found here needs no proof that it is all.

A list is written (store list index value) after a change and read by (select list index), which `spelled_out` replaces by their
meaning: solvers do better with functions of an index than with arrays of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from twoworlds.proofs.guesses import AMONG, COUNT, Guess

__all__ = ["GUESSES", "Base", "among_facts", "below", "entry_facts", "spelled_out"]

GUESSES = "$guesses"


@dataclass(frozen=True)
class Base:
    """A list as both runs have it at a loop head: its hint for an entry $one, $two at the index $at, and its length."""

    name: str
    arrays: tuple[str, str]
    hint: str
    length: str

    def at(self, index: str) -> str:
        filled = re.sub(r"[^\s()]+", lambda token: self._value(token[0], index), self.hint)
        return f"(=> (and (<= 0.0 {index}) {below(index, self.length)} {_is_whole(index)}) {filled})"

    def _value(self, token: str, index: str) -> str:
        runs = {"$one": 0, "$two": 1}
        return f"(select {self.arrays[runs[token]]} {index})" if token in runs else index if token == "$at" else token


Tree = str | tuple["Tree", ...]


def below(one: str, other: str) -> str:
    """That one number is less than the other, between whole numbers where they look so: solvers then see that it is less by 1."""
    return _compared("<", _tree(one), _tree(other))


def _compared(sign: str, *sides: Tree) -> str:
    if all(map(_looks_whole, sides)):
        return f"({sign} {' '.join(_text(_as_whole(side)) for side in sides)})"
    return f"({sign} {' '.join(map(_text, sides))})"


def _as_whole(tree: Tree) -> Tree:
    """A sum that looks whole, as one of whole numbers."""
    if isinstance(tree, str):
        return tree.removesuffix(".0")
    head, *rest = tree
    if head == "to_real":
        return rest[0]
    return (head, *(rest[:1] if head == "ite" else ()), *map(_as_whole, rest[1:] if head == "ite" else rest))


def _is_whole(index: str) -> str:
    """That an index is whole; by its looks where it is made of whole numbers by sums."""
    return "true" if _looks_whole(_tree(index)) else f"(is_int {index})"


def _looks_whole(tree: Tree) -> bool:
    if isinstance(tree, str):
        return re.fullmatch(r"\d+\.0", tree) is not None
    head, *rest = tree
    inner = rest[1:] if head == "ite" else rest
    return head == "to_real" or (head in ("+", "-", "ite") and all(map(_looks_whole, inner)))


@lru_cache(maxsize=65536)
def _tree(text: str) -> Tree:
    stack: list[list[Tree]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            closed = tuple(stack.pop())
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    return stack[0][0]


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_text, tree))})"


@lru_cache(maxsize=65536)
def _terms(text: str) -> tuple[tuple[str, ...], ...]:
    """Every application in an expression, as the texts of its head and its arguments."""

    def inside(tree: Tree) -> Iterator[tuple[str, ...]]:
        if not isinstance(tree, str):
            for part in tree:
                yield from inside(part)
            yield tuple(map(_text, tree))

    return tuple(dict.fromkeys(inside(_tree(text))))


@lru_cache(maxsize=65536)
def spelled_out(text: str) -> str:
    """The expression without `select` and `store`: an entry is what was stored there last, else that of the list at its base."""
    return _text(_read(_tree(text))) if "(select " in text else text


def _read(tree: Tree) -> Tree:
    if isinstance(tree, str):
        return tree
    head, *rest = map(_read, tree)
    if head != "select":
        return (head, *rest)
    array, index = rest
    stores = []
    while not isinstance(array, str):
        _, array, at, value = array
        stores.append((at, value))
    entry: Tree = (array, index)
    for at, value in reversed(stores):
        entry = value if at == index else ("ite", _compared("=", index, at), value, entry)
    return entry


def _applied(texts: Iterable[str], head: str) -> Iterator[tuple[str, ...]]:
    return (term for text in texts if f"({head} " in text for term in _terms(text) if term[0] == head)


def entry_facts(texts: Iterable[str], bases: Iterable[Base]) -> list[str]:
    """What hints say of the entries that are read in these texts, in all states of their list that the texts know."""
    texts = list(texts)
    indexes: dict[str, dict[str, None]] = {}
    read = list(_applied(texts, "select"))
    tokens = {token for text in texts for token in re.findall(r"[^\s()]+", text)}
    known = [base for base in bases if base.arrays[0] in tokens or base.arrays[1] in tokens]
    for _, array, index in read:
        inside = set(re.findall(r"[^\s()]+", array))
        for base in known:
            if inside & set(base.arrays):
                indexes.setdefault(base.name, {})[index] = None
    return [base.at(index) for base in known for index in indexes.get(base.name, {})]


def among_facts(texts: Iterable[str], guessed: Iterable[Guess]) -> list[str]:
    """What is known of the guesses that these texts speak of."""
    texts, whole = list(texts), [guess for guess in guessed if guess.whole]
    if not any(f"({name} " in text for text in texts for name in (AMONG, COUNT)):
        return []
    facts = [f"({AMONG} (+ {guess.name} 0.0))" for guess in whole if not guess.of_list]
    for guess in whole:
        if guess.of_list:
            found = dict.fromkeys(index for _, index in _applied(texts, guess.name))
            facts += [f"(=> (<= 0.0 {index}) ({AMONG} ({guess.name} {index})))" for index in found]
    facts.append(f"(= ({COUNT} 0.0) 0.0)")
    for index in dict.fromkeys(index for _, index in _applied(texts, COUNT)):
        step = f"(= ({COUNT} (+ {index} 1.0)) (+ ({COUNT} {index}) (ite ({AMONG} {index}) 1.0 0.0)))"
        facts.append(f"(=> (and (<= 0.0 {index}) {_is_whole(index)}) (and {step} (<= 0.0 ({COUNT} {index}))))")
        facts.append(f"(<= ({COUNT} {index}) {GUESSES})")
    sizes = [f"(ite (<= {guess.length} 1.0) 1.0 {guess.length})" if guess.of_list else "1.0" for guess in whole]
    facts.append(f"(= {GUESSES} (+ {' '.join(sizes)} 0.0))")
    return [*facts, *(f"(<= 0.0 {guess.length})" for guess in whole if guess.of_list)]
