"""Doubts about a policy: each is raised by what it is about, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from twoworlds.cli.check import command
from twoworlds.queries.declared import BadPolicy, parse
from twoworlds.queries.linting import linted

GOOD = """\
version = 1
delta = 1e-7
[budgets.people]
epsilon = 1
delta = 1e-6
[tables.visits]
source = "visits.csv"
population = "people"
size = 100_000
[tables.visits.unit]
column = "user_id"
rows = 20
groups = 4
[tables.visits.columns]
user_id = {type = "text"}
city = {type = "text", values = ["Lyon", "Paris"]}
age = {type = "integer", bounds = [0, 120]}
"""
PLANTED = {
    "delta near one over n": ("delta = 1e-7", "delta = 1e-5", "delta", "whole records"),
    "a delta of 0": ("delta = 1e-7", "delta = 0", "delta", "means nothing"),
    "epsilon 100": ("epsilon = 1", "epsilon = 100", "budgets.people.epsilon", "almost always"),
    "rho 100": ("epsilon = 1", "rho = 100", "budgets.people.rho", "hardly anybody"),
    "a cap on delta above one over n": ("delta = 1e-6", "delta = 1e-4", "budgets.people.delta", "above one over"),
    "renewal": ("epsilon = 1", "epsilon = 1\nrenewal_days = 30", "budgets.people.renewal_days", "for one period"),
    "a budget for nothing": (
        "[tables.visits]",
        "[budgets.other]\nepsilon = 1\ndelta = 1e-9\n[tables.visits]",
        "budgets.other",
        "no table",
    ),
    "more groups than rows": ("groups = 4", "groups = 40", "tables.visits.unit.groups", "above rows"),
    "thousands of rows": ("rows = 20", "rows = 20_000", "tables.visits.unit.rows", "has them all"),
    "rows of people": ('column = "user_id"\nrows = 20\ngroups = 4\n', "", "tables.visits.unit", "looks like the name"),
    "bounds of one number": ("[0, 120]", "[7, 7]", "tables.visits.columns.age.bounds", "one number"),
    "bounds without a thought": ("[0, 120]", "[0, 2e9]", "tables.visits.columns.age.bounds", "very wide"),
    "values outside the bounds": ("[0, 120]}", "[0, 120], values = [5, 130]}", "tables.visits.columns.age", "130"),
    "no bounds": (", bounds = [0, 120]", "", "tables.visits.columns.age", "no bounds"),
    "published people": (
        'user_id = {type = "text"}',
        'user_id = {type = "text", values = ["ann"]}',
        "tables.visits.columns.user_id.values",
        "publish who",
    ),
    "names that read alike": ('user_id = {type = "text"}', 'user_id = {type = "real"}', "tables.visits.unit.column", "less well"),
    "shares above 1": ("[budgets.people]", '[analysts]\nann = "3/4"\nbob = "3/4"\n[budgets.people]', "analysts", "together"),
    "another promise for the same budget": (
        "[tables.visits.columns]",
        '[tables.stays]\nsource = "visits.csv"\npopulation = "people"\n[tables.stays.unit]\nrelation = "replace"\n'
        "[tables.stays.columns]\n[tables.visits.columns]",
        "tables.stays.unit",
        "single rows that are replaced",
    ),
    "no file": ('source = "visits.csv"', 'source = "visitz.csv"', "tables.visits.source", "not there"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("user_id,city,age\n")
    return tmp_path


def test_a_good_policy_raises_no_doubt(folder: Path) -> None:
    """What all the others are made from is clean."""
    assert linted(parse(GOOD, folder / "privacy.toml"), GOOD) == []


@pytest.mark.parametrize("name", PLANTED)
def test_each_doubt_is_raised_alone(folder: Path, name: str) -> None:
    """One change raises one doubt, at its key and its line, with what to write instead."""
    old, new, key, said = PLANTED[name]
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    [doubt] = linted(parse(text, folder / "privacy.toml"), text)
    assert doubt.key == key and said in doubt.what and doubt.fix
    assert doubt.line is not None and 1 <= doubt.line <= len(text.splitlines())


def test_the_verb_tells_faults_from_doubts(folder: Path) -> None:
    """Faults give exit code 1; doubts only under --strict; the schema is the published one."""
    path = folder / "privacy.toml"
    for text, plain, strict in (
        (GOOD, 0, 0),
        (GOOD.replace("epsilon = 1", "epsilon = 100"), 0, 1),
        (GOOD.replace("[0, 120]", "[120, 0]"), 1, 1),
    ):
        path.write_text(text)
        found = CliRunner().invoke(command, [str(path), "--json"])
        assert found.exit_code == plain
        told = json.loads(found.stdout)
        assert (len(told["faults"]), len(told["doubts"])) == (plain, strict - plain)
        assert CliRunner().invoke(command, [str(path), "--strict"]).exit_code == strict
    schema = json.loads(CliRunner().invoke(command, ["--schema"]).stdout)
    assert schema["$id"] == "privacy.schema.json"


def test_no_row_is_looked_at(folder: Path) -> None:
    """The doubts are the same whatever the file holds."""
    text = GOOD.replace("[0, 120]", "[0, 2e9]")
    before = linted(parse(text, folder / "privacy.toml"), text)
    (folder / "visits.csv").write_text("garbage\x00" * 100)
    assert linted(parse(text, folder / "privacy.toml"), text) == before != []


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", '"1e999999999"', '"1/0"', '"1/00"', "nan", "inf", "9" * 5000])
@pytest.mark.parametrize("key", ["delta = 1e-7", "epsilon = 1", "delta = 1e-6", "bounds = [0, 120]"])
def test_no_number_keeps_a_policy_from_being_read(number: str, key: str) -> None:
    """A thousand million digits are written out by nobody, nor waited for: a fault, at once."""
    name, _, value = key.partition(" = ")
    made = f"[0, {number}]" if value.startswith("[") else number
    with pytest.raises(BadPolicy):
        parse(GOOD.replace(key, f"{name} = {made}", 1))
