"""Which pairs of inputs are two neighbouring worlds: relations that can be executed.

A relation names the parameter it speaks of, measures the distance between two values of it, and makes neighbouring pairs from any
chooser (Hypothesis in the tests, a seeded generator in the audits).

    tables    AddRemove, Replace, User, AddRemoveUser, Edit, Parts
    numbers   Number, Each (= Linf), One, L1, L2, Monotone
    points    Metric, Local
    any       Group(k, relation)
"""

from twoworlds.worlds.neighbours.groups import Group
from twoworlds.worlds.neighbours.monotone import Monotone
from twoworlds.worlds.neighbours.norms import L1, L2, Each, Linf, One
from twoworlds.worlds.neighbours.numbers import Limited, Number, Vectors
from twoworlds.worlds.neighbours.parallel import parallel, parts
from twoworlds.worlds.neighbours.points import Local, Metric
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours, combine, same
from twoworlds.worlds.neighbours.tables import AddRemove, AddRemoveUser, Edit, Parts, Replace, User

__all__ = [
    "L1",
    "L2",
    "AddRemove",
    "AddRemoveUser",
    "Chooser",
    "Each",
    "Edit",
    "Group",
    "Limited",
    "Linf",
    "Local",
    "Metric",
    "Monotone",
    "Neighbours",
    "Number",
    "One",
    "Parts",
    "Replace",
    "User",
    "Vectors",
    "combine",
    "parallel",
    "parts",
    "same",
]
