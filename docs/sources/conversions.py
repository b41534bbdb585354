"""The page of conversions between dialects, from the table that the package converts by."""

from __future__ import annotations

from itertools import groupby

from twoworlds.losses.conversions import CONVERSIONS, DIALECTS, MISSING

ABOUT = """# Conversions

A guarantee in one dialect often implies one in another. Each row is a theorem that `losses.conversions.convert` applies, rounded
so that the new guarantee still follows from the old one. *Tight* means that some mechanism attains the numbers. Where no theorem
leads from one dialect to another, the loss in that dialect is infinite, and the last table says why.

```python
>>> from twoworlds.losses.conversions import convert
>>> from twoworlds.losses.prices import Approximate, Concentrated, Pure
>>> round(float(convert(Pure(1), Concentrated).price.at()["rho"]), 6)
0.462117
>>> print(convert(Approximate(1, "1e-6"), Pure).why)
with probability delta the output may tell the worlds apart outright, where its loss is infinite
>>> converted = convert(Concentrated("1/2"), Approximate, delta="1e-6")
>>> round(float(converted.price.at()["epsilon"]), 4)
5.2215
>>> print(converted.theorem)
Canonne, Kamath and Steinke 2020, proposition 12; Balle et al. 2020, theorem 21
```

In the formulas `a` is an order, `log` is natural and `Phi` the normal law. All of them speak of both orders of the worlds.
"""

HEAD = "| to | needs | numbers | tight | theorem |\n|---|---|---|---|---|"


def pages() -> dict[str, str]:
    """The page by its path."""
    parts = [ABOUT]
    for source, found in groupby(CONVERSIONS, key=lambda one: one.source):
        parts.append(f"## From {source.__name__}\n\n{_first_line(source)}\n\n{HEAD}")
        for one in found:
            needs, tight = one.needs or "", "yes" if one.tight else ""
            parts.append(f"| {one.target.__name__} | {needs} | `{one.formula}` | {tight} | {one.theorem} |")
        parts.append("")
    parts.append("## What does not follow\n\n| from | to | why |\n|---|---|---|")
    for (source, target), why in sorted(MISSING.items(), key=lambda row: tuple(DIALECTS.index(one) for one in row[0])):
        parts.append(f"| {source.__name__} | {target.__name__} | {why} |")
    return {"reference/conversions.md": "\n".join(parts) + "\n"}


def _first_line(dialect: type) -> str:
    return (dialect.__doc__ or "").strip().partition("\n")[0]
