"""`twoworlds notions` tells of every variant what stands for it, or why nothing does."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from twoworlds.cli.notions import command
from twoworlds.losses.notions import notions
from twoworlds.worlds.errors import BadArgument


def test_every_variant_has_a_line() -> None:
    """All 49 are listed by name, each with what represents it or with its reason."""
    ran = CliRunner().invoke(command, [], catch_exceptions=False)
    lines = ran.stdout.splitlines()
    assert len(lines) == len(notions()) == 49
    for line, one in zip(lines, notions(), strict=True):
        assert line.startswith(one.symbol) and one.name in line
        assert line.endswith(one.why_not or one.represented_by.removeprefix("twoworlds."))


def test_a_family_is_whoever_changes_that_dimension() -> None:
    """`--family` keeps the variants of that dimension, alone or with others; the JSON form has every field."""
    ran = CliRunner().invoke(command, ["--family", "power", "--json"], catch_exceptions=False)
    found = json.loads(ran.stdout)
    assert [one["name"] for one in found] == [one.name for one in notions() if "power" in one.family]
    assert len(found) == 3 and set(found[0]) >= {"symbol", "name", "family", "means", "represented_by", "why_not"}


@pytest.mark.parametrize("family", ["", "and", "losses", "nan"])
def test_an_unknown_family_is_an_error_that_lists_the_families(family: str) -> None:
    """A word that is no dimension names the dimensions."""
    with pytest.raises(BadArgument, match="gain, knowledge, loss, neighbours, power, variation"):
        CliRunner().invoke(command, ["--family", family], catch_exceptions=False)
