"""Rules for tables made of tables: how many rows or users differ after each transformation."""

from __future__ import annotations

from twoworlds.worlds.neighbours import AddRemove, AddRemoveUser, Edit, Parts, Replace, User
from twoworlds.worlds.sensitivity.rules import Rule, rules

__all__ = ["TRANSFORMATIONS"]

A, R, U, AU = (AddRemove,), (Replace,), (User,), (AddRemoveUser,)
BY_ROW = "The public function sees one row at a time and, where users are protected, keeps the user's column."
BY_CONTENT = "The public order is a total order on what rows hold, never on where they stand."

TRANSFORMATIONS: list[Rule] = [
    *rules(
        "map",
        (A, AddRemove, "d"),
        (R, Replace, "d"),
        ((Edit,), Edit, "d"),
        (U, User, "d"),
        (AU, AddRemoveUser, "d"),
        reason="Each row changes by itself, so equal rows stay equal.",
        provided=BY_ROW,
    ),
    *rules(
        "filter",
        (A, AddRemove, "d"),
        (R, AddRemove, "2 * d"),
        ((Edit,), Edit, "d"),
        (U, User, "d"),
        (AU, AddRemoveUser, "d"),
        reason="Each row stays or goes by itself; a replaced row may go in one world only, or go and come as another.",
        provided=BY_ROW,
    ),
    *rules(
        "flat_map",
        (A, AddRemove, "most * d"),
        (R, AddRemove, "2 * most * d"),
        (U, User, "d"),
        (AU, AddRemoveUser, "d"),
        reason="Each row becomes at most `most` rows by itself.",
        provided=BY_ROW,
    ),
    *rules(
        "union",
        ((AddRemove, AddRemove), AddRemove, "d1 + d2"),
        ((Replace, Replace), Replace, "d1 + d2"),
        ((User, User), User, "d1 + d2"),
        ((AddRemoveUser, AddRemoveUser), AddRemoveUser, "2 * (d1 + d2)"),
        reason="Differing rows add up. A user who leaves one table and stays in the other has changed: gone and come anew.",
        provided="All rows are kept, equal ones too.",
    ),
    *rules(
        "intersect",
        ((AddRemove, AddRemove), AddRemove, "d1 + d2"),
        reason="A row of either table changes at most one row of the result.",
    ),
    *rules(
        "except",
        ((AddRemove, AddRemove), AddRemove, "d1 + d2"),
        reason="A row of either table changes at most one row of the result.",
    ),
    *rules(
        "distinct",
        (A, AddRemove, "d"),
        (R, AddRemove, "2 * d"),
        (U, User, "d"),
        (AU, AddRemoveUser, "d"),
        reason="A row is in the result or not; one row more or fewer decides about itself alone.",
        provided="All columns count; where users are protected, the user's column is one of them.",
    ),
    *rules(
        "join",
        ((AddRemove, AddRemove), AddRemove, "most_right * d1 + most_left * d2"),
        ((Replace, Replace), AddRemove, "2 * most_right * d1 + 2 * most_left * d2"),
        reason="A row of one table meets at most as many rows as the other has of its key.",
        provided="At most `most_left` rows of the left and `most_right` of the right table share a key: use limit_per_key first.",
    ),
    *rules(
        "join_users",
        ((User, User), User, "d1 + d2"),
        ((AddRemoveUser, AddRemoveUser), AddRemoveUser, "d1 + d2"),
        reason="A user's rows in the result are made of that user's rows in both tables.",
        provided="The tables are joined on the user's column, and the result keeps it.",
    ),
    *rules(
        "left_join",
        ((AddRemove, AddRemove), AddRemove, "max(most_right, 1) * d1 + 2 * most_left * d2"),
        reason="A row on the right may turn up to `most_left` unmatched rows into matched ones: each goes and comes anew.",
        provided="At most `most_left` rows of the left and `most_right` of the right table share a key: use limit_per_key first.",
    ),
    *rules(
        "join_public",
        (A, AddRemove, "most * d"),
        (R, AddRemove, "2 * most * d"),
        (U, User, "d"),
        (AU, AddRemoveUser, "d"),
        reason="Each private row meets at most `most` public rows by itself.",
        provided="The other table is public and has at most `most` rows of a key.",
    ),
    *rules(
        "limit_per_key",
        (A, AddRemove, "2 * d"),
        reason="A row may enter its key's first rows and push one out.",
        provided=BY_CONTENT,
    ),
    *rules(
        "drop_large_keys",
        (A, AddRemove, "max(most, 1) * d"),
        reason="One row too many removes the `most` rows of its key.",
    ),
    *rules(
        "group_by",
        (A, AddRemove, "2 * d"),
        (R, AddRemove, "4 * d"),
        reason="The group of a changed row goes and comes anew; a replaced row can change two groups.",
        provided="The result has one row for each key, made of its group alone.",
    ),
    *rules(
        "partition",
        (A, Parts, "d"),
        (R, Parts, "2 * d"),
        reason="A row is in one part; a replaced row may leave one part and enter another.",
        provided="The keys of the parts are public.",
    ),
    *rules(
        "top",
        (A, AddRemove, "2 * d"),
        (R, Replace, "d"),
        reason="A row may enter the first rows and push one out.",
        provided=BY_CONTENT,
    ),
    *rules(
        "order",
        (A, Edit, "d"),
        (R, Edit, "2 * d"),
        reason="In a sorted list a row more is one insertion.",
        provided=BY_CONTENT,
    ),
    *rules(
        "limit",
        ((Edit,), Edit, "2 * d"),
        reason="An insertion may push the last row out.",
    ),
    *rules(
        "sample",
        (A, AddRemove, "d"),
        (R, AddRemove, "2 * d"),
        reason="Rows that both worlds have can share their coins: a bound on a coupling of the two random tables.",
        provided="Each row joins by its own coin.",
    ),
    *rules(
        "sample_fixed",
        (A, AddRemove, "2 * d"),
        (R, Replace, "d"),
        reason="Rows that both worlds have can share their lots, and the `most` first lots are drawn; a bound on a coupling.",
        provided="A uniformly random set of `most` rows, without replacement.",
    ),
    *rules(
        "limit_per_user",
        (AU, AddRemove, "most * d"),
        (U, AddRemove, "2 * most * d"),
        (AU, AddRemoveUser, "d"),
        (U, User, "d"),
        reason="A user has at most `most` rows in the result, chosen among the user's own.",
        provided=BY_CONTENT,
    ),
    *rules(
        "per_user",
        (AU, AddRemove, "d"),
        (U, AddRemove, "2 * d"),
        reason="A user has one row in the result, made of the user's own rows.",
    ),
]
