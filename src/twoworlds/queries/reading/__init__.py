"""SQL text read into a plan. What has no place in the plan is refused with its place in the text; nothing is passed through."""

from twoworlds.queries.reading.statements import read, read_expression

__all__ = ["read", "read_expression"]
