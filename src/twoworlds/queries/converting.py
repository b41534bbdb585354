"""A CSV file whose cells hold line breaks, written as Parquet: by the curator, before anything is private about it.

A table that is asked reads a CSV file line by line (`sources`), since a reader that lets quotes run over line ends gives one
person's stray quote the rows of others. Here quotes do run over line ends, so all has to be as RFC 4180 says, and a file that is
not is refused rather than guessed at. What is asked afterwards has one row for each record, whatever its cells hold.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from twoworlds.queries.sources import quoted, separator, text
from twoworlds.worlds.errors import BadArgument

__all__ = ["converted"]

_AT_ONCE = 50_000  # records held at a time
_LARGEST = 2**31 - 1  # characters of a cell


def converted(path: Path, out: Path) -> int:
    """Write the records of a CSV file as a Parquet file of texts, an empty cell as NULL; how many they are.

    An error names the line, which may tell something of the data: it is for the curator, who has them.
    """
    import duckdb  # noqa: PLC0415  loaded only when a table is written
    import numpy as np  # noqa: PLC0415  as above

    if out.exists():
        raise BadArgument("out", str(out), "exists already", "Give the name of a new file")
    count, records = 0, _records(path)
    names = next(records, [])
    shown = ", ".join(f"nullif({quoted(name)}, '') AS {quoted(name)}" for name in names)
    if not names or len({name.lower() for name in names}) < len(names):
        raise BadArgument("path", str(path), "has no line of names, or one name twice", "Put a line of different names first")
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE rows ({', '.join(f'{quoted(name)} VARCHAR' for name in names)})")
        while batch := list(islice(records, _AT_ONCE)):
            columns = dict(zip(names, (np.array(column, dtype=object) for column in zip(*batch, strict=True)), strict=True))
            connection.register("batch", columns)
            connection.execute(f"INSERT INTO rows SELECT {shown} FROM batch")
            count += len(batch)
        connection.execute(f"COPY rows TO {text(str(out))} (FORMAT parquet)")
    return count


def _records(path: Path) -> Iterator[list[str]]:
    """The records of the file, all with as many cells as the first; lines with nothing in them are none."""
    before = csv.field_size_limit(_LARGEST)
    fix = "Write it anew with a program that puts every cell with a quote, a separator or a line break in quotes (RFC 4180)"
    wanted = 0
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=separator(path), strict=True)
            for record in filter(None, reader):
                wanted = wanted or len(record)
                if len(record) != wanted:
                    why = f"has a record with {len(record)} cells instead of {wanted}, which ends in line {reader.line_num}"
                    raise BadArgument("path", str(path), why, fix)
                yield record
    except csv.Error:
        raise BadArgument("path", str(path), f"has a quote out of place, seen by line {reader.line_num}", fix) from None
    except UnicodeDecodeError:
        raise BadArgument("path", str(path), "is not UTF-8", "Write it in UTF-8") from None
    except OSError as error:
        raise BadArgument("path", str(path), f"cannot be read: {error.strerror}", "Give the path of a CSV file") from None
    finally:
        csv.field_size_limit(before)
