"""The page of questions: what SQL is read, from the lists that the reader itself goes by."""

from __future__ import annotations

from twoworlds.queries.functions import FUNCTIONS
from twoworlds.queries.reading.rows import AGGREGATES, SPELLINGS
from twoworlds.queries.refusals import CODES

__all__ = ["pages"]

MEANINGS = {
    "count": "rows; with a column, rows where it is known; `COUNT(DISTINCT x)` different values, of the users' column the users",
    "count_users": "users, where the policy protects users",
    "count_distinct": "different values",
    "sum": "sum of values within their bounds",
    "mean": "sum over count, within the bounds; both are asked once, however many means and counts there are",
    "variance": "by sums of values and of squares; within 0 and the squared range",
    "stddev": "its square root",
    "quantile": "a value with the wanted rank: `QUANTILE(x, 0.9)`, `PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`, `MEDIAN(x)`",
    "minimum": "a value that few rows are below, as a private quantile",
    "maximum": "a value that few rows are above, as a private quantile",
    "histogram": "rows in equal cells between the bounds, `HISTOGRAM(x, 10)`, or between edges, `HISTOGRAM(x, [0, 18, 65])`",
    "top": "the values with most rows, of a column whose values are public: `TOP_K(x, 3)`",
    "covariance": "of the rows where both are known",
    "correlation": "of the rows where both are known, from -1 to 1",
}
HEAD = """\
# Questions in SQL

One SELECT of aggregates from a private table. Anything that is not on this page is refused, with its place, a code and
up to three repairs; nothing is passed on to the engine unread. Dataframes ([how-to](../how-to/ask-with-dataframes.md)) make the
same plans.

```text
[WITH name AS (rows), ...]
SELECT key or aggregate or arithmetic of them [AS name], ...
FROM rows
[WHERE condition] [GROUP BY key, ... | ALL] [HAVING condition] [ORDER BY column [DESC], ...] [LIMIT n]

rows:  table | (SELECT [DISTINCT] column, ... FROM rows [WHERE ...]) AS name | rows UNION ALL rows
       | (SELECT user, aggregate, ... FROM rows GROUP BY user) AS name           one row for each user
       | rows JOIN public_table USING (key) | rows TABLESAMPLE BERNOULLI (10 PERCENT)
```

- **Groups.** Keys whose values the policy lists, truth values, and short ranges of whole numbers and dates make public groups:
  every one is answered, with noise of its own, empty ones too, and unknown values are a group. Other keys are named only where
  enough users have them, which takes a delta.
- **HAVING, ORDER BY and LIMIT** see noisy numbers and keys, so they cost nothing.
- **Unknown in, unknown out**, unless a function says otherwise. A real number that is not finite is unknown wherever it is looked
  at; a whole number beyond 64 bits is; a text that does not read as what it is cast to is. No row can make a question fail.
- **Bounds** come from the policy, or from `clip(x, low, high)` with constants; a sum without bounds is refused.
- **Limits**: 20,000 characters, 5,000 words, nesting of 40, 200 columns, 200,000 public groups; 100,000 characters
  once every column and function stands for what it is made of.
"""


def pages() -> dict[str, str]:
    """The page by its path."""
    parts = [HEAD, "## Aggregates\n", "| written | meaning |", "|---|---|"]
    for kind, meaning in MEANINGS.items():
        words = ", ".join(f"`{word.upper()}`" for word, of in AGGREGATES.items() if of == kind)
        parts.append(f"| {words} | {meaning} |")
    parts += [
        "\nEach may have `FILTER (WHERE condition)`.\n",
        "## Functions of one row\n",
        "| function | also written | meaning | unknown |",
        "|---|---|---|---|",
    ]
    for name, function in sorted(FUNCTIONS.items()):
        if name == "finite":
            continue
        others = ", ".join(f"`{word}`" for word, of in SPELLINGS.items() if of == name and word != name)
        parts.append(f"| `{name}` | {others} | {_cell(function.meaning)} | {_cell(function.unknown)} |")
    parts += ["\n## Refusals\n", "| code | what | why |", "|---|---|---|"]
    parts += [f"| {code} | {title} | {why} |" for code, (title, why) in CODES.items()]
    return {"reference/sql.md": "\n".join(parts) + "\n"}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
