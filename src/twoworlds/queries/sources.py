"""Where a private table is: a CSV, Parquet or DuckDB file, or a frame that speaks the Arrow PyCapsule protocol.

Every column is read as the type that the policy declares, by TRY_CAST: what does not fit is NULL, never an error, so that no
cell can speak through a failure. Nothing is inferred from data: a CSV file has the columns of its first line, and every other
line is a row of its own.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from twoworlds.queries.functions import COLUMNS
from twoworlds.queries.policy import PublicTable, TablePolicy, Type
from twoworlds.worlds.errors import BadArgument

__all__ = ["Source", "columns_of", "declared", "open_source", "quoted", "separator", "text"]


class Source(Protocol):
    """A table that an engine can attach."""

    @property
    def name(self) -> str: ...

    @property
    def copied(self) -> bool:
        """Whether the engine holds a copy once it is attached, so that what happens to the original is not seen any more."""
        ...

    def attach(self, connection: Any) -> list[Path]:
        """Make the table known under its name; the files that must stay readable."""
        ...

    def version(self) -> str:
        """Something that changes when the data do."""
        ...


def open_source(given: Any, policy: TablePolicy | PublicTable) -> Source:
    """The source of a table of the policy, from a path or a frame; nothing is read yet."""
    if isinstance(given, str | Path):
        path = Path(given)
        if not path.is_file():
            why = "is a folder" if path.is_dir() else "does not exist"
            raise BadArgument("source", str(given), why, "Give the path of a CSV, Parquet or DuckDB file")
        kind = path.suffix.lower()
        if kind in (".csv", ".tsv"):
            return _Csv(policy, path)
        if kind in (".parquet", ".pq"):
            return _Parquet(policy, path)
        if kind in (".duckdb", ".db", ".ddb"):
            return _Database(policy, path)
        raise BadArgument("source", str(given), "has an ending that is not known", "Give a .csv, .tsv, .parquet or .duckdb file")
    if hasattr(given, "__arrow_c_stream__"):
        return _Frame(policy, given)
    fix = "Give a path, or a frame that offers __arrow_c_stream__ (pandas, Polars, PyArrow); collect a lazy one first"
    raise BadArgument("source", type(given).__name__, "is no table", fix)


@dataclass(frozen=True)
class _File:
    """A file; its place, size and time of change stand for its content."""

    policy: TablePolicy | PublicTable
    path: Path
    copied: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.policy.name

    def version(self) -> str:
        seen = self.path.stat()
        return f"{self.path.resolve()} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns}"


class _Csv(_File):
    """Loaded once, as text, then cast: a broken line is dropped, a broken cell is NULL.

    A line is read by itself, in quotes or not. A reader that lets quotes run over line ends gives one person's cell the power to
    take in the rows of others, and one row then moves a count by as many as there are. So a cell with a line break breaks its
    own row, and no other.
    """

    copied = True

    def attach(self, connection: Any) -> list[Path]:
        header = _header(self.path)
        connection.execute(declared("TABLE", self.policy, _rows(self.path, header), header))
        return []


def _rows(path: Path, header: list[str]) -> str:
    """The lines of a CSV file below its header that have a cell for each column; an empty cell is NULL.

    No column ends at the separator, so that the engine only sees lines; a line that holds the character it was given is dropped.
    """
    by = separator(path)
    lines = (
        f"read_csv({text(only(path))}, hive_partitioning = false, auto_detect = false, header = true, delim = '\x1f', quote = '',"
        " escape = '', comment = '', ignore_errors = true, strict_mode = false, parallel = false, columns = {line: 'VARCHAR'})"
    )
    cell = f'"(?:[^"]|"")*"|(?:[^"{by}][^{by}]*)?'
    plain = """CASE WHEN x[1] = '"' THEN replace(x[2:-2], '""', '"') ELSE x END"""
    parted = f"list_transform(regexp_extract_all('{by}' || line, '{by}({cell})', 1), lambda x: {plain})"
    quoting = f"CASE WHEN regexp_full_match('{by}' || line, '(?:{by}(?:{cell}))*') THEN {parted} END"
    cells = f"SELECT CASE WHEN contains(line, '\"') THEN {quoting} ELSE string_split(line, '{by}') END AS c FROM {lines}"
    columns = ", ".join(f"nullif(c[{place}], '') AS {quoted(name)}" for place, name in enumerate(header, 1))
    return f"(SELECT {columns} FROM ({cells}) WHERE len(c) = {len(header)})"


def only(path: Path) -> str:
    """The path of this file alone: a reader takes * ? [ in a name for a pattern, which other people's files may fit.

    Nor does a folder called user_id=7 say what is in a column, as it would to a reader of partitions: everybody would be 7.
    """
    return re.sub(r"[*?[]", r"[\g<0>]", str(path))


class _Parquet(_File):
    """Scanned where it lies."""

    def reading(self, _: Any) -> str:
        return f"read_parquet({text(only(self.path))}, hive_partitioning = false)"

    def attach(self, connection: Any) -> list[Path]:
        read = self.reading(connection)
        connection.execute(declared("VIEW", self.policy, read, _columns(connection, read)))
        return [*{self.path, Path(only(self.path))}]


class _Database(_File):
    """A DuckDB file, attached read-only; its table has the name of the policy's."""

    def reading(self, connection: Any) -> str:
        connection.execute(f"ATTACH {text(str(self.path))} AS {quoted(self._alias)} (READ_ONLY)")
        return f"{quoted(self._alias)}.main.{quoted(self.name)}"

    def attach(self, connection: Any) -> list[Path]:
        read = self.reading(connection)
        connection.execute(declared("VIEW", self.policy, read, _columns(connection, read)))
        return []

    @property
    def _alias(self) -> str:
        return f"file of {self.name}"


class _OnlyArrow:
    """A frame of which DuckDB sees the capsule protocol and nothing else: it would otherwise ask for pyarrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._frame.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True)
class _Frame:
    """A frame of the calling program, copied once: it may be a stream that flows once, or change between two looks at it."""

    policy: TablePolicy | PublicTable
    frame: Any
    copied: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.policy.name

    def attach(self, connection: Any) -> list[Path]:
        registered = f"frame of {self.name}"
        connection.register(registered, _OnlyArrow(self.frame))
        connection.execute(declared("TABLE", self.policy, quoted(registered), _columns(connection, quoted(registered))))
        connection.unregister(registered)
        return []

    def version(self) -> str:
        import secrets  # noqa: PLC0415  nothing tells one frame's content from another's, so no two copies count as the same

        return secrets.token_hex(16)


def _columns(connection: Any, read: str) -> list[str]:
    """The columns that are there: the schema, no row."""
    return [name for name, _ in _described(connection, read)]


def _described(connection: Any, read: str) -> list[tuple[str, str]]:
    return [(name, kind) for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()]


def separator(path: Path) -> str:
    """What is between the cells of a file with this ending."""
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _header(path: Path) -> list[str]:
    """The names in the first line of a CSV file. Bytes that are no text may follow it, and must not make this fail."""
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
        return next(csv.reader([lines.readline()], delimiter=separator(path)), [])


def _shown(names: Iterable[str]) -> str:
    """Names for an error; but where a file has no line of names, its first line is about somebody."""
    names = list(names)
    return "names that look like values" if any(map(_VALUE.fullmatch, names)) else ", ".join(names) or "none"


_VALUE = re.compile(
    r"\s*([-+]?[0-9.,]+([eE][-+]?[0-9]+)?|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?|.*@.*)?\s*", re.DOTALL
)
"""Nothing, a number, a date or an address."""


def columns_of(path: Path, table: str | None = None, *, header: bool = False) -> list[tuple[str, Type | None]]:
    """The columns of a file with their types, None where the format tells none; no value is read.

    `table` is the table of a DuckDB file, which may hold several. The first line of a CSV file is public, as it holds names: one
    that looks like values is refused, and not shown, unless `header` says that it is one.
    """
    source = open_source(path, PublicTable(table or path.stem, path, {}))
    if isinstance(source, _Csv):
        names = _header(path)
        if not header and (not names or any(map(_VALUE.fullmatch, names))):
            why = "has a first line that looks like values, and names of columns are public"
            raise BadArgument("source", str(path), why, "Put a line of names first, or say with --header that it is one")
        return [(name, None) for name in names]
    import duckdb  # noqa: PLC0415  loaded only when a table is looked at

    with duckdb.connect(":memory:") as connection:
        try:
            described = _described(connection, source.reading(connection))  # type: ignore[attr-defined]  # no frame
        except duckdb.Error:
            fix = "Check that the file is of the format it says, and name one of its tables with --table"
            raise BadArgument("source", str(path), "cannot be read as a table", fix) from None
    return [(name, _type_of(kind)) for name, kind in described]


def _type_of(kind: str) -> Type:
    """The type that a column of another engine's type is declared as; what is none of ours is a text."""
    kind = kind.partition("(")[0]
    if kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT"):
        return "integer"
    if kind in ("FLOAT", "DOUBLE", "DECIMAL"):
        return "real"
    if kind.startswith("TIMESTAMP"):
        return "timestamp"
    return {"BOOLEAN": "boolean", "DATE": "date"}.get(kind, "text")  # type: ignore[return-value]  # these are types


def declared(made: str, table: TablePolicy | PublicTable, read: str, has: Iterable[str]) -> str:
    """The statement that makes a table or view with the declared columns, read as the declared types."""
    if isinstance(table, PublicTable):
        types: dict[str, Type | None] = dict(table.columns)
    else:
        types = {name: column.type for name, column in table.columns.items()}
        if table.unit.column is not None:
            types.setdefault(table.unit.column, None)
    known = list(has)
    missing = [name for name in types if name not in known]
    if missing:
        why = f"are not in the source of {table.name} (it has {_shown(known)})"
        capitals = {name.lower() for name in missing} & {name.lower() for name in known}
        raise BadArgument("columns", missing, why, f"Correct the policy, or the source{': capitals count' if capitals else ''}")
    shown = ", ".join(
        f"{COLUMNS[kind].format(quoted(name)) if kind else quoted(name)} AS {quoted(name)}" for name, kind in types.items()
    )
    return f"CREATE {made} {quoted(table.name)} AS SELECT {shown} FROM {read}"


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as SQL writes it; in DuckDB only the quote itself needs care."""
    return "'" + value.replace("'", "''") + "'"
