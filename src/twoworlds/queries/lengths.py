"""How long a question gets where every column stands for what it is made of: that is what an engine plans, and what it costs.

A function may be written with an argument of its several times, and a column may be used several times by the query above. Both
double, level by level, what was a short question, so lengths are added up before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Formatter

from twoworlds.queries.expressions import form_of, place_of
from twoworlds.queries.functions import FUNCTIONS
from twoworlds.queries.plan import Call, Column, Expression
from twoworlds.queries.policy import Type
from twoworlds.queries.refusals import Refused

__all__ = ["LONGEST", "NAME", "checked"]

LONGEST = 100_000
"""Characters; an engine plans so many in about half a second."""

NAME = 10
"""About as long as a name or a constant is."""


def checked(
    expressions: Iterable[Expression], types: Mapping[str, Type], lengths: Mapping[str, int], text: str | None
) -> list[int]:
    """The lengths of elaborated expressions over columns of these lengths; refused where all together are too long."""
    found: list[int] = []
    for expression in expressions:
        found.append(_length(expression, types, lengths)[0])
        if sum(found) > LONGEST:
            raise Refused(
                "TW-R017",
                f"what this is made of, written out, has more than {LONGEST} characters",
                text=text,
                place=place_of(expression),
                repairs=("use a column fewer times in the column made of it", "nest less"),
            )
    return found


def _length(expression: Expression, types: Mapping[str, Type], lengths: Mapping[str, int]) -> tuple[int, Type]:
    """With the type, which tells how a function is written."""
    if isinstance(expression, Column):
        return lengths.get(expression.name, NAME), types[expression.name]
    if not isinstance(expression, Call):
        return (len(expression.value) if isinstance(expression.value, str) else NAME), expression.type
    parts = [_length(argument, types, lengths) for argument in expression.arguments]
    function = FUNCTIONS[expression.function]
    form = form_of(function, [kind for _, kind in parts])
    assert form is not None, "elaborated calls fit a form"
    whole = sum(length + NAME for length, _ in parts)
    length = 0
    for literal, field, _, _ in Formatter().parse(form.sql):
        length += len(literal)
        if field is not None:
            length += parts[int(field)][0] if field.isdigit() else whole
    return length, form.gives
