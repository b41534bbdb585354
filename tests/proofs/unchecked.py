"""The checker without one of its checks, for the tests that each of them earns its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from twoworlds.proofs import guesses, kinds, lowering, runs
from twoworlds.proofs import obligations as kernel
from twoworlds.source.program import Literal

Patch = Callable[[pytest.MonkeyPatch], None]


def unclaimed(*reasons: str) -> Patch:
    """The checker without the claims that are made for these reasons."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        claim = runs.Runs.claim

        def keep(self: runs.Runs, state: runs.State, goal: str, why: str) -> None:
            if why not in reasons:
                claim(self, state, goal, why)

        monkeypatch.setattr(runs.Runs, "claim", keep)

    return patch


def unmade(method: str) -> Patch:
    """The checker without one of its checks."""
    return lambda monkeypatch: monkeypatch.setattr(kernel.Obligations, method, lambda *_: None)


def without(reason: str) -> Patch:
    """The checker without the obligations on parameters that are added for this reason."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        collect = kernel.Obligations.collect

        def keep(self: kernel.Obligations) -> None:
            collect(self)
            self.queries = [query for query in self.queries if query[2] != reason]

        monkeypatch.setattr(kernel.Obligations, "collect", keep)

    return patch


def gaussian_shifts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernel.SHIFTED, "Gaussian", "both ways")


def lists_may_be_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "refuse_aliases", lambda _: None)


def bounds_are_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "_bound", lambda expr: expr)


def nothing_is_no_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    write = kernel.Obligations.write
    nothing = Literal(None)
    monkeypatch.setattr(
        kernel.Obligations,
        "write",
        lambda self, name, at, value, state: state if value == nothing else write(self, name, at, value, state),
    )


def hints_may_bind_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "refuse_malformed", lambda _: None)


def any_whole_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_is_fixed", lambda value: kinds.is_whole(value, frozenset()))


def parameters_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_optional", lambda _: frozenset())


def what_is_skipped_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering._Lowering, "maybe", lambda self, _, part, before: self.scalar(part, before))


def every_index_counts_from_the_front(monkeypatch: pytest.MonkeyPatch) -> None:
    near = runs.Runs.near

    def anywhere(self: runs.Runs, one: str, other: str, index: str) -> list[str]:
        return [*near(self, one, other, index), f"(or (= {index} $where) (= {one} {other}))"]

    monkeypatch.setattr(runs.Runs, "near", anywhere)


def tolls_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel.Obligations, "toll", lambda *given: given[-1])


def lists_may_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "_only_grows", lambda *_: True)


def any_list_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "grown", lambda *_: {"first": 0, "other": 0})


def all_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "settled", lambda *_: {"answer": 0})
