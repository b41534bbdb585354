"""Text to syntax tree, by sqlglot's parser, with limits; and the list of what a node may carry.

sqlglot is lenient and knows the dialects of thirty engines, so nothing that it understands is taken over unseen: functions stay
plain names with arguments, and a node that carries anything beyond what is listed here is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.tokenizer_core import Token, TokenType

from twoworlds.queries.plan import Place, Relation
from twoworlds.queries.policy import Policy
from twoworlds.queries.refusals import Refused

__all__ = ["Asked", "place", "statement"]

LONGEST = 20_000
MOST_TOKENS = 5_000
DEEPEST = 40

_PARTS: Mapping[type[exp.Expr], str] = {
    exp.Alias: "this alias",
    exp.And: "this expression",
    exp.Anonymous: "this expressions",
    exp.Array: "expressions",
    exp.Between: "this low high",
    exp.Boolean: "this",
    exp.CTE: "this alias",
    exp.Case: "this ifs default",
    exp.Cast: "this to",
    exp.Column: "this table",
    exp.DPipe: "this expression safe",
    exp.DataType: "this expressions nested kind",
    exp.DataTypeParam: "this",
    exp.Distinct: "expressions",
    exp.Div: "this expression typed safe",
    exp.Escape: "this expression",
    exp.Extract: "this expression",
    exp.Filter: "this expression",
    exp.From: "this",
    exp.Group: "expressions all",
    exp.Having: "this",
    exp.Identifier: "this quoted",
    exp.If: "this true false",
    exp.In: "this expressions",
    exp.IntDiv: "this expression",
    exp.Interval: "this unit",
    exp.Is: "this expression",
    exp.Join: "this on using kind side",
    exp.Limit: "expression",
    exp.Literal: "this is_string",
    exp.Neg: "this",
    exp.Not: "this",
    exp.Null: "",
    exp.Or: "this expression",
    exp.Order: "expressions",
    exp.Ordered: "this desc nulls_first",
    exp.Paren: "this",
    exp.Select: "expressions from_ where group having order limit distinct with_ joins sample kind",
    exp.Star: "",
    exp.Subquery: "this alias sample",
    exp.Substring: "this start length",
    exp.Table: "this alias sample joins",
    exp.TableAlias: "this",
    exp.TableSample: "method percent",
    exp.Trim: "this",
    exp.TryCast: "this to safe",
    exp.Tuple: "expressions",
    exp.Union: "this expression distinct with_ order limit",
    exp.Var: "this",
    exp.Where: "this",
    exp.With: "expressions",
    exp.WithinGroup: "this expression",
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Pow, exp.Like, exp.ILike), "this expression"),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), "this expression"),
}
CARRIES = {kind: frozenset(parts.split()) for kind, parts in _PARTS.items()}
"""The parts of each kind of node that are read; a node with others, and every other kind of node, is refused."""

KEPT = ("CAST", "TRY_CAST", "EXTRACT", "SUBSTRING", "TRIM")


class _Plain(DuckDB):
    """DuckDB's words and operators; functions are names with arguments, and mean what our own list says."""

    class Parser(DuckDBParser):
        FUNCTIONS: ClassVar = {}
        NO_PAREN_FUNCTIONS: ClassVar = {}
        FUNCTION_PARSERS: ClassVar = {name: parse for name, parse in DuckDBParser.FUNCTION_PARSERS.items() if name in KEPT}

        def _warn_unsupported(self) -> None:
            """Says nothing: the question is refused with its reason, and is nobody's business in a log."""


_DIALECT = _Plain()


@dataclass(frozen=True)
class Asked:
    """A question while it is read: its text, the policy that it is asked under, and the views that there are by name."""

    text: str
    policy: Policy
    frames: Mapping[str, Relation] = field(default_factory=dict)

    def refused(self, code: str, reason: str, at: exp.Expr | Place | None = None, repairs: Iterable[str] = ()) -> Refused:
        """The refusal, to be raised."""
        where = place(at) if isinstance(at, exp.Expr) else at
        return Refused(code, reason, text=self.text, place=where, repairs=repairs)

    def checked(self, node: exp.Expr) -> None:
        """The node carries nothing that is not read."""
        listed = CARRIES.get(type(node))
        if listed is None:
            raise self.refused("TW-R003", f"{_title(node)} is not part of the language", node)
        for name, part in node.args.items():
            if part and name not in listed:
                inner = part[0] if isinstance(part, list) else part
                raise self.refused(
                    "TW-R003",
                    f"{_title(inner) if isinstance(inner, exp.Expr) else name.strip('_').upper()} has no meaning here",
                    inner if isinstance(inner, exp.Expr) else node,
                )


def statement(asked: Asked) -> exp.Expr:
    """The one statement of the text."""
    tokens = _tokens(asked)
    try:
        found = [tree for tree in _DIALECT.parser().parse(tokens, asked.text) if tree is not None]
    except ParseError as error:
        raise _unparsed(asked, error) from None
    except RecursionError:
        raise asked.refused("TW-R017", "the question is nested too deeply") from None
    except SqlglotError:
        raise asked.refused("TW-R001", "the text does not read as SQL") from None
    except Exception:  # whatever the parser stumbles over, the text is what is wrong
        raise asked.refused("TW-R001", "the text does not read as SQL") from None
    if len(found) != 1:
        what = "there is no statement" if not found else f"there are {len(found)} statements"
        raise asked.refused("TW-R002", what, found[1] if len(found) > 1 else None, ("ask one SELECT",))
    tree = found[0]
    assert isinstance(tree, exp.Expr), "the parser gives expressions"
    return tree


def place(node: exp.Expr) -> Place | None:
    """Where a node stands in the text: from the first to the last of its words whose places the parser kept."""
    spots = [(part._meta["start"], part._meta["end"] + 1) for part in node.walk() if part._meta and "start" in part._meta]
    return Place(min(start for start, _ in spots), max(end for _, end in spots)) if spots else None


def _tokens(asked: Asked) -> list[Token]:
    if len(asked.text) > LONGEST:
        raise asked.refused("TW-R017", f"the question has {len(asked.text)} characters, {LONGEST} at most are read")
    if not asked.text.isprintable() and (half := _HALF.search(asked.text)):
        raise asked.refused("TW-R001", "this is half of a character, as of a text in another encoding", Place(*half.span()))
    try:
        tokens = _DIALECT.tokenize(asked.text)
    except TokenError:
        raise asked.refused("TW-R001", "a text or a comment does not end", None, ("close the quotes",)) from None
    except Exception:  # whatever the tokenizer stumbles over, the text is what is wrong
        raise asked.refused("TW-R001", "the text does not read as SQL") from None
    if len(tokens) > MOST_TOKENS:
        raise asked.refused("TW-R017", f"the question has {len(tokens)} words, {MOST_TOKENS} at most are read")
    depth = 0
    for token in tokens:
        depth += token.token_type in _OPENING
        depth -= token.token_type in _CLOSING
        if depth > DEEPEST:
            raise asked.refused("TW-R017", "the question is nested too deeply", Place(token.start, token.end + 1))
    return tokens


_HALF = re.compile("[\ud800-\udfff]")
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}


def _unparsed(asked: Asked, error: ParseError) -> Refused:
    """The parser says where it stopped by line and column of the last character of a word."""
    spot = None
    if error.errors and error.errors[0].get("line"):
        line, column = error.errors[0]["line"], error.errors[0]["col"]
        before = asked.text.split("\n")[: line - 1]
        end = sum(len(text) + 1 for text in before) + column
        width = len(error.errors[0].get("highlight") or " ")
        spot = Place(max(0, end - width), end)
    return asked.refused("TW-R001", "the text does not read as SQL here" if spot else "the text does not read as SQL", spot)


def _title(node: exp.Expr) -> str:
    return f"{type(node).__name__.upper()}"
