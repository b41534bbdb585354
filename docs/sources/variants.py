"""The page of the survey's 49 variants, from the table of the package, and the curves of the main ones."""

from __future__ import annotations

from twoworlds.losses.notions import Notion, notions

ABOUT = """# Notions

The survey of Desfontaines and Pejo (2020) counts 49 variants of differential privacy: changes of how loss is measured, of which
worlds are neighbours, of whether the bound varies, of what the observer knows, gains, or can compute. Here most are values: a
price, a neighbouring relation, an assumption of a claim, or an exact computation under a prior that is written down. What is not
offered says why. `twoworlds notions` prints the same table, `--family knowledge` a part of it.

```python
>>> from twoworlds.losses.notions import notion, notions
>>> len(notions()), sum(one.is_offered for one in notions())
({count}, {offered})
>>> notion("metric").represented_by
'twoworlds.worlds.neighbours.Metric'
```

## The main ones, drawn

A notion of loss is a promise about every test that tries to tell the two worlds apart: the lowest curve of its two errors.

![Pure privacy](figures/notion-pure.svg)

Pure privacy is two straight lines with slopes -e^epsilon and -e^-epsilon.

![Approximate privacy](figures/notion-approximate.svg)

A delta moves the ends of the curve: a test may be sure with probability delta. Total variation is the case epsilon = 0, one
straight line. Probabilistic privacy at the same numbers promises at least as much, and is bounded here by the same curve.

![Gaussian privacy](figures/notion-gaussian.svg)

Gaussian privacy is the curve between two unit Gaussians mu apart.

![Moment bounds](figures/notion-moments.svg)

Concentrated, Renyi and Kullback-Leibler bounds of one and the same Gaussian promise less than the curve from which they were
taken: moments say something of tests, but not all that is true.

## All of them
"""


def pages() -> dict[str, str]:
    """The page by its path."""
    found = notions()
    parts = [ABOUT.format(count=len(found), offered=sum(one.is_offered for one in found))]
    for family in dict.fromkeys(one.family for one in found):
        parts.append(f"### {family.capitalize()}\n\n| symbol | name | what it means | here |\n|---|---|---|---|")
        parts += [_row(one) for one in found if one.family == family]
        parts.append("")
    return {"reference/notions.md": "\n".join(parts)}


def _row(one: Notion) -> str:
    here = (
        f"`{one.represented_by.removeprefix('twoworlds.')}`, such as `{one.example}`"
        if one.is_offered
        else f"not offered: {one.why_not}"
    )
    cells = (one.symbol, one.name, one.means, here)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
