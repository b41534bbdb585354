"""Answers for people: a table with error bars for the terminal, the same as HTML, and charts. No data are read here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from twoworlds.losses.filters import shown
from twoworlds.queries.outputs import Cell
from twoworlds.queries.styles import Released
from twoworlds.worlds.errors import BadArgument

__all__ = ["about", "chart", "html", "in_ascii", "lines", "number", "table"]

BAR = 17
"""Columns of an error bar."""

_ASCII = str.maketrans({"●": "o", "─": "-", "├": "|", "┤": "|", "└": "+", "│": "|", "·": ".", "∞": "?"})


def lines(answer: Released) -> list[str]:
    """The table, and what is to be known about it."""
    return [*table(answer), "", *about(answer)]


def table(answer: Released, width: int = 100) -> list[str]:
    """A line for each row, each number with its interval and, where there is room, an error bar."""
    names = answer.columns
    columns = [_column(answer, name) for name in names]
    bars = [_bars([row[name] for row in answer.cells]) for name in names]
    found = _joined(names, columns, bars)
    if max(len(line) for line in found) > width:
        found = _joined(names, columns, [None] * len(names))
    if answer.style.totals and answer.totals:
        found.append("total  " + "  ".join(f"{name} {total:,}" for name, total in answer.totals.items()))
    return found


def in_ascii(text: str) -> str:
    """The same with signs that every terminal has."""
    return text.replace("±", "+/-").translate(_ASCII).encode("ascii", "replace").decode()


def _column(answer: Released, name: str) -> list[str]:
    return [_cell(row[name]) if not answer.is_key(name) else _shown(row[name].value) for row in answer.cells]


def _joined(names: Sequence[str], columns: Sequence[list[str]], bars: Sequence[list[str] | None]) -> list[str]:
    """The columns side by side: texts to the left, numbers aligned at what stands before their interval."""
    blocks = []
    for name, column, bar in zip(names, columns, bars, strict=True):
        aligned = _aligned(column)
        block = aligned if bar is None else [f"{cell}  {drawn}" for cell, drawn in zip(aligned, bar, strict=True)]
        wide = max([len(name), *map(len, block)])
        right = any("±" in cell or "[" in cell for cell in column)
        blocks.append(
            [
                name.rjust(len(aligned[0].partition("±")[0].rstrip()) if right and aligned else 0).ljust(wide),
                *(cell.ljust(wide) for cell in block),
            ]
        )
    return ["   ".join(row).rstrip() for row in zip(*blocks, strict=True)]


def _aligned(column: list[str]) -> list[str]:
    """Numbers end where their intervals begin."""
    parts = [cell.partition(" ") for cell in column]
    if not all(before[:1] in "-0123456789∞" or not before for before, _, _ in parts) or not any(mark for _, mark, _ in parts):
        return column
    wide = max(len(before) for before, _, _ in parts)
    after = max(len(rest) for _, _, rest in parts)
    return [f"{before.rjust(wide)} {rest.ljust(after)}" for before, _, rest in parts]


def _cell(cell: Cell) -> str:
    """A number to the digits that its interval leaves, and the interval."""
    value = cell.value
    if isinstance(value, tuple):
        return ", ".join(number(one) if isinstance(one, float) else _shown(one) for one in value)
    if cell.ranks is not None:
        return f"{_shown(value)} rank ± {number(cell.ranks, 2)}"
    if cell.low is None or cell.high is None or not isinstance(value, int | float):
        return _shown(value)
    below, above = value - cell.low, cell.high - value
    if not math.isfinite(below + above):
        return f"{_shown(value)} ± ∞"
    reach = max(below, above)
    digits = 0 if not reach else max(0, 1 - math.floor(math.log10(reach)))
    if abs(above - below) <= 0.05 * reach:
        return f"{value:,.{digits}f} ± {reach:,.{digits}f}"
    return f"{value:,.{digits}f} [{cell.low:,.{digits}f}, {cell.high:,.{digits}f}]"


def number(value: float, significant: int = 4) -> str:
    """A number to some significant digits, large ones whole."""
    if not math.isfinite(value):
        return "∞"
    digits = significant - 1 - (math.floor(math.log10(abs(value))) if value else 0)
    return f"{value:,.{min(max(digits, 0), 12)}f}"


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):  # a key that is not public may hold what moves a terminal's cursor
        return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in value)
    return number(value, 6) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _bars(cells: Sequence[Cell]) -> list[str] | None:
    """The intervals of a column on one scale; None where there is nothing to compare."""
    ends = [end for cell in cells for end in (cell.low, cell.high) if end is not None and math.isfinite(end)]
    if len(cells) < 2 or len(ends) < 4 or min(ends) == max(ends):
        return None
    low, wide = min(ends), max(ends) - min(ends)

    def place(value: float) -> int:
        return round(min(max((value - low) / wide, 0.0), 1.0) * (BAR - 1))

    drawn = []
    for cell in cells:
        if cell.low is None or cell.high is None or not math.isfinite(cell.low + cell.high):
            drawn.append("·" * BAR)
            continue
        left, middle, right = place(cell.low), place(cell.value), place(cell.high)
        marks = ["├" if i == left else "┤" if i == right else "─" if left < i < right else " " for i in range(BAR)]
        marks[middle] = "●"
        drawn.append("".join(marks))
    return drawn


def about(answer: Released) -> list[str]:
    """What the intervals mean, what was charged, and where it is written down."""
    said = [f"± is for {answer.style}"]
    notes = {cell.note: name for row in answer.cells for name, cell in row.items() if cell.note}
    said += [f"{name}: {note}" for note, name in notes.items()]
    said += [] if answer.learnt is None else answer.learnt.lines()
    if answer.repeated:
        said.append(f"answered before, so charged nothing now; receipt {answer.receipt}")
    elif answer.receipt is None:
        said.append(f"cost {_price(answer)}, recorded nowhere")
    else:
        said.append(f"charged {_price(answer)}; receipt {answer.receipt}")
    return said


def _price(answer: Released) -> str:
    return shown({name: amount for name, amount in answer.offer.price.at().items() if amount}, up=True)


def html(answer: Released) -> str:
    """A table for notebooks, without scripts and styles from elsewhere."""

    def line(cells: Sequence[str], mark: str) -> str:
        return "<tr>" + "".join(f"<{mark}>{escape(cell)}</{mark.partition(' ')[0]}>" for cell in cells) + "</tr>"

    columns = [_column(answer, name) for name in answer.columns]
    head = line(answer.columns, 'th scope="col"')
    body = "".join(line(row, "td") for row in zip(*columns, strict=True))
    known = "<br>".join(map(escape, about(answer)))
    caption = f'<caption style="caption-side: bottom; text-align: left">{known}</caption>'
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"


def chart(answer: Released, column: str | None = None) -> Any:
    """Bars over the groups with their intervals; the first column of numbers with intervals, or the one that is named."""
    from twoworlds.figures import histogram  # noqa: PLC0415  only when it is drawn

    drawable = [
        name for name in answer.columns if not answer.is_key(name) and answer.cells and answer.cells[0][name].low is not None
    ]
    if not drawable:
        raise BadArgument(
            "column", column, "cannot be drawn: the answer has no numbers with intervals", "Ask for a count or a mean"
        )
    name = column or drawable[0]
    if name not in drawable:
        raise BadArgument("column", name, "cannot be drawn", f"Choose one of {', '.join(drawable)}")
    keys = [one for one in answer.columns if answer.is_key(one)]
    cells = [row[name] for row in answer.cells]
    labels = [", ".join(_shown(row[key].value) for key in keys) or name for row in answer.cells]
    ends = [
        (cell.low, cell.high) if math.isfinite((cell.low or 0.0) + (cell.high or 0.0)) else (cell.value, cell.value)
        for cell in cells
    ]
    return histogram(
        f"{name} by {', '.join(keys)}" if keys else name,
        [cell.value for cell in cells],
        labels=labels,
        intervals=ends,  # type: ignore[arg-type]  # drawable, so both ends are known
        x=", ".join(keys),
        y=name,
        description=f"{name} for each group; error bars: {answer.style}.",
    )
