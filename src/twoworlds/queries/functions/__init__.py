"""The allow-list: total functions of one row, each with its meaning in Python, its text in SQL and the range of its results.

What is not listed here is in no plan, and nothing that is listed can raise, whatever the data hold.
"""

from collections.abc import Mapping
from types import MappingProxyType

from twoworlds.queries.functions.arithmetic import ARITHMETIC
from twoworlds.queries.functions.casts import CASTS, COLUMNS
from twoworlds.queries.functions.dates import DATES
from twoworlds.queries.functions.function import Form, Function
from twoworlds.queries.functions.logic import LOGIC
from twoworlds.queries.functions.texts import TEXTS

__all__ = ["COLUMNS", "FUNCTIONS", "Form", "Function", "Thing"]

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {function.name: function for function in (*ARITHMETIC, *LOGIC, *TEXTS, *DATES, *CASTS)}
)
