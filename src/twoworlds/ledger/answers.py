"""Answers as text and back. The text holds a salt, so that its digest, which receipts show, tells nobody the answer.

Lists, tuples, mappings, exact numbers and text come back as they were; a float comes back bit by bit.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from twoworlds.ledger.standalone import canonical
from twoworlds.worlds.errors import BadArgument

__all__ = ["opened", "sealed"]


def sealed(answer: Any) -> tuple[str, str]:
    """The text that is kept of an answer, and its digest for the entry."""
    text = canonical({"answer": _plain(answer), "salt": secrets.token_hex(16)})
    return text, hashlib.sha256(text.encode()).hexdigest()


def opened(text: str) -> Any:
    """The answer that the text keeps."""
    return _value(json.loads(text)["answer"])


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if isinstance(value, Fraction):
        return {"exact": f"{value.numerator}/{value.denominator}"}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(part) for part in value]}
    if isinstance(value, Mapping):
        return {"map": [[_plain(key), _plain(part)] for key, part in value.items()]}
    why = "has a part that cannot be recorded"
    raise BadArgument("answer", type(value).__name__, why, "Answer with numbers, text, lists, tuples and mappings")


def _value(record: Any) -> Any:
    if isinstance(record, list):
        return [_value(part) for part in record]
    if not isinstance(record, dict):
        return record
    [(kind, content)] = record.items()
    match kind:
        case "exact":
            return Fraction(content)
        case "float":
            return float.fromhex(content)
        case "tuple":
            return tuple(_value(part) for part in content)
        case "map":
            return {_value(key): _value(part) for key, part in content}
    raise BadArgument("answer", kind, "is no kind of answer that this version knows", "Upgrade twoworlds")
