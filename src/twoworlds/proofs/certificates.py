"""Certificates on disk: one JSON file each, beside the obligations that a solver can read, both tied to the source's hash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from twoworlds.worlds.claims import Certificate
from twoworlds.worlds.errors import BadArgument

__all__ = ["folder", "load", "load_all", "proved", "save"]

_FIELDS = ("card", "digest", "verdict", "price", "method", "details")


def folder() -> Path:
    """Where the certificates of the package's own cards are: beside the package when installed, else in the repository."""
    inside = Path(__file__).parents[1] / "certificates"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "certificates"


def save(certificate: Certificate, where: Path, obligations: str = "") -> Path:
    """Write the certificate, and its obligations as SMT-LIB."""
    where.mkdir(parents=True, exist_ok=True)
    path = where / f"{certificate.card}.json"
    fields = {name: getattr(certificate, name) for name in _FIELDS}
    path.write_text(json.dumps(fields, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    script = path.with_suffix(".smt2")
    if obligations:
        script.write_text(obligations, encoding="utf-8")
    else:
        script.unlink(missing_ok=True)
    return path


def load(path: Path) -> Certificate:
    """A certificate from its file."""
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Certificate(**{name: fields[name] for name in _FIELDS})
    except (ValueError, KeyError, TypeError) as error:
        raise BadArgument("certificate", path.name, f"cannot be read: {error}", "Write it again with `twoworlds prove`") from None


def load_all(where: Path) -> Iterator[Certificate]:
    """All certificates of a folder, by name."""
    for path in sorted(where.glob("*.json")):
        yield load(path)


@lru_cache(maxsize=1)
def proved() -> dict[str, Certificate]:
    """The certificates of the package's own cards, by card; read once."""
    where = folder()
    return {certificate.card: certificate for certificate in load_all(where)} if where.is_dir() else {}
