"""Finding the rule. What is not listed has no bound: unknown means infinite, and the error says what is listed instead."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.sensitivity.aggregates import AGGREGATES
from twoworlds.worlds.sensitivity.rules import Kind, Rule
from twoworlds.worlds.sensitivity.transformations import TRANSFORMATIONS
from twoworlds.worlds.sensitivity.vectors import ARITHMETIC

__all__ = ["REFUSED", "RULES", "operations", "rule", "stability"]

RULES: Mapping[tuple[str, tuple[Kind, ...], Kind], Rule] = MappingProxyType(
    {(rule.operation, rule.inputs, rule.output): rule for rule in (*TRANSFORMATIONS, *AGGREGATES, *ARITHMETIC)}
)

_APART = "With a private number of rows release the `sum` of what is needed and the `count`, each at its price, and divide"
_CHOOSE = "Use the exponential mechanism or report noisy max, which choose privately"
_AFTER = "Release the noisy number and go on with that: what is done to a release costs nothing"

# Operations that people ask for and that have no bound, with what to do instead.
REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "limit": "A table has no order of its own: use `top` with a public order, or `sample_fixed`",
        "self_join": "Bound the rows of a key with `limit_per_key`, then `join` the table with itself: d1 = d2",
        "mean": _APART,
        "variance": _APART,
        "sample_variance": _APART,
        "argmax": _CHOOSE,
        "mode": _CHOOSE,
        "compare": "A comparison jumps. Use above_threshold. " + _AFTER,
        "branch": "A condition jumps. Where it is one, write `clip`, `larger` or `smaller`. " + _AFTER,
        "divide": _AFTER,
        "exp": _AFTER,
        "log": _AFTER,
    }
)


def operations() -> tuple[str, ...]:
    """The names of all operations that have a rule."""
    return tuple(dict.fromkeys(operation for operation, _, _ in RULES))


def rule(operation: str, *inputs: Kind | Neighbours, output: Kind | None = None) -> Rule:
    """The rule for this operation on inputs measured so; `output` where its result can be measured in several ways.

    A relation that is a special case of another (One of L1) may use the other's rules: its distance is the same.
    """
    kinds = tuple(given if isinstance(given, type) else type(given) for given in inputs)
    exactly = [known for known in RULES.values() if (known.operation, known.inputs) == (operation, kinds)]
    found = [known for known in exactly if output in (None, known.output)]
    found = found or [known for known in _general(operation, kinds) if output in (None, known.output)]
    if len(found) == 1:
        return found[0]
    listed = [known for known in RULES.values() if known.operation == operation]
    if found:
        ways = ", ".join(known.output.__name__ for known in found)
        raise BadArgument("output", output, f"leaves open how to measure the result of {operation}", f"Choose from {ways}")
    if listed:
        ways = "; ".join(str(known).removeprefix(f"{operation}: ") for known in listed)
        measured = ", ".join(kind.__name__ for kind in kinds) or "nothing"
        wanted = f" with its result in {output.__name__}" if output else ""
        fix = f"{REFUSED[operation]}. " if operation in REFUSED else ""
        why = f"has no rule for {measured}{wanted}, so one step may change the result by any amount"
        raise BadArgument("operation", operation, why, f"{fix}It is listed for {ways}")
    near = get_close_matches(str(operation), operations(), n=3, cutoff=0.5)
    fix = REFUSED.get(operation, f"Nearest names: {', '.join(near)}" if near else f"Listed are {', '.join(operations())}")
    raise BadArgument("operation", operation, "has no rule, so one step may change its result by any amount", fix)


def _general(operation: str, kinds: tuple[Kind, ...]) -> list[Rule]:
    """The rules for relations of which these are special cases."""
    return [
        known
        for known in RULES.values()
        if (known.operation, len(known.inputs)) == (operation, len(kinds))
        and all(issubclass(given, general) for given, general in zip(kinds, known.inputs, strict=True))
    ]


def stability(
    operation: str, *inputs: tuple[Kind | Neighbours, object], output: Kind | None = None, **parameters: object
) -> Fraction:
    """How far apart two results are at most, for inputs given as (relation, distance): `stability("filter", (AddRemove, 1))`."""
    for given in inputs:
        if not isinstance(given, tuple) or len(given) != 2:
            raise BadArgument("inputs", given, "is not a relation with a distance", "Write (AddRemove, 1)")
    found = rule(operation, *(relation for relation, _ in inputs), output=output)
    unknown = sorted(set(parameters) - found.parameters)
    if unknown:
        raise BadArgument("parameters", unknown, f"are none of {operation}'s", f"It takes {sorted(found.parameters)}")
    return found.bound([distance for _, distance in inputs], parameters)
