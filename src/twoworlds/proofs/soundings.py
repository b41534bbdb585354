"""What exact tables say of a claim that is neither proved nor refuted: the most that small worlds cost."""

from __future__ import annotations

from typing import Any

from twoworlds.losses.prices import Pure
from twoworlds.proofs.measures import weigh
from twoworlds.proofs.patterns import is_list, pairs, settings
from twoworlds.proofs.statements import Statement

__all__ = ["sounded"]

_LONGEST = 5
_STEPS, _TABLE = 60_000, 6_000


def sounded(found: Statement) -> dict[str, Any]:
    """The largest loss among pairs of worlds with lists up to the longest whose tables are quick; {} where there is none."""
    if not isinstance(found.price, Pure):
        return {}
    public, left, worst, longest = settings(found)[0], _STEPS, None, 0
    for length in range(1, _LONGEST + 1) if is_list(found) else (1,):
        tried = []
        for pair in pairs(found, public, length):
            seen, steps = weigh(found, pair, most=_TABLE)
            left -= steps
            if left < 0:
                break
            tried += [seen] if seen is not None else []
        if left < 0 or not tried:
            break
        longest, worst = length, max([*tried, *([worst] if worst is not None else [])], key=lambda seen: seen.score)
    if worst is None:
        return {}
    lists = {"entries": longest} if is_list(found) else {}
    parameters = {name: str(value) for name, value in public.items() if not isinstance(value, tuple)}
    return {"tabulated": {**lists, "worst": worst.loss, "price": worst.price, "parameters": parameters}}
