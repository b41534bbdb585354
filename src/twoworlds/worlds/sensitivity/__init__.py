"""How far an operation can carry two worlds apart: one table of rules, and an error for everything that is not in it."""

from twoworlds.worlds.sensitivity.lookup import REFUSED, RULES, operations, rule, stability
from twoworlds.worlds.sensitivity.rules import Rule

__all__ = ["REFUSED", "RULES", "Rule", "operations", "rule", "stability"]
