"""Questions that once got more out of a table than they paid for: refused now, or no further apart than their price says."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.queries.asked import policy_in, visits
from tests.queries.declarations import BY_ROW, BY_USER, TEXT
from tests.queries.test_hostile import strange
from tests.queries.test_peer_bugs import apart, exact
from tests.queries.worlds import CITIES, PHYSICAL, Rows, engine, with_unit
from twoworlds.queries import count, sum
from twoworlds.queries.bounding import PARTS
from twoworlds.queries.compiling import compiled
from twoworlds.queries.declared import BadPolicy, parse
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.expressions import elaborated, settled, written
from twoworlds.queries.functions import FUNCTIONS
from twoworlds.queries.functions.texts import LONGEST
from twoworlds.queries.lengths import LONGEST as LONGEST_WRITTEN
from twoworlds.queries.plan import Aggregate as Made
from twoworlds.queries.plan import Call, Column, Constant, Key, Output, Query, Scan
from twoworlds.queries.policy import Policy
from twoworlds.queries.pricing import offer
from twoworlds.queries.reading import read
from twoworlds.queries.refusals import Refused
from twoworlds.queries.relations import Writing
from twoworlds.queries.session import Session
from twoworlds.queries.shapes import Shape
from twoworlds.queries.tables import Table, open
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import BadArgument

MANY = [{"user_id": "ann", "city": "Lyon", "age": age} for age in range(100)]


def sql(question: str, policy: Policy) -> str:
    """What the engine is given."""
    made = offer(typed(read(question, policy), policy, question), policy, epsilon=1)
    return " ".join(one.text for one in compiled(made.typed, made.bounding, policy, "salt"))


@pytest.mark.parametrize("minus", ["-(-1.5)", "-(-1e300)", "- - 1.5", "negate(-1.5)"])
def test_two_minuses_begin_no_comment(minus: str) -> None:
    """A comment ends at a line break, which a text of the analyst's may hold: what follows would be SQL of the analyst's."""
    question = f"SELECT COUNT(*) AS n FROM visits WHERE income > {minus} AND city = '\n0) > 0)) SELECT 1 AS g, 2 AS m0 --'"
    try:
        given = sql(question, BY_ROW)
    except Refused:
        return
    assert strange(given) == []
    assert exact(question, [{"income": 2.0}] * 3) == [[0]]


def test_no_function_of_negative_constants_writes_a_comment() -> None:
    """Whatever the function, in each of its forms, and its own result once more."""
    schema = {kind: Shape(kind) for kind in ("integer", "real", "text", "boolean", "date", "timestamp")}
    types = {name: shape.type for name, shape in schema.items()}
    for function in FUNCTIONS.values():
        for form in function.forms:
            constants = [
                Constant(Fraction(-3, 2) if kind == "real" else -3) if kind in ("real", "integer") else Column(kind)
                for kind in (*form.takes, *(form.takes[1:] if function.name == "case" else ()))
            ]
            call = Call(function.name, tuple(constants))
            for one in (call, Call("negate", (call,)), Call("subtract", (Constant(Fraction(-1, 3)), call))):
                try:
                    text = written(settled(elaborated(one, schema))[0], types)
                except Refused:
                    continue
                assert "--" not in text and "/*" not in text, text


@pytest.mark.parametrize("name", [" user", " USER", " place", "\u00a0user"])
def test_no_name_of_an_analyst_takes_the_place_of_the_user(name: str) -> None:
    """The engine takes the first of two columns of one name, so each of a user's rows could be made a user of its own."""
    for question in (
        f'SELECT COUNT(*) AS n FROM (SELECT age AS "{name}" FROM visits)',
        f'SELECT COUNT(*) AS n FROM (SELECT user_id, MAX(age) AS "{name}" FROM visits GROUP BY user_id)',
    ):
        with pytest.raises(Refused, match="begins with a space"):
            sql(question, BY_USER)
    table = Table(Session(BY_USER), Scan("visits"))
    with pytest.raises(Refused, match="begins with a space"):
        table.select(**{name: "age"})
    with pytest.raises(Refused, match="begins with a space"):
        table.per_user(**{name: sum("age")})


def test_a_user_counts_within_the_bound_whatever_columns_are_called() -> None:
    """Names of our own inside the engine, and of the user's column, as names of an analyst's."""
    policy = with_unit(BY_USER, rows=5, groups=2, rows_per_group=None)
    for name in ("u", "w", "k0", "v0", "b", "g", "m0", "n", "place", "user", "picked"):
        question = f'SELECT COUNT(*) AS n FROM (SELECT age AS "{name}" FROM visits) WHERE "{name}" >= 0'
        [[weight]] = exact(question, MANY, policy)
        assert 0 < weight <= 5 * PARTS
    with pytest.raises(Refused):
        sql('SELECT COUNT(*) AS n FROM (SELECT age AS "USER_ID" FROM visits)', BY_USER)


def test_the_users_column_is_counted_above_a_query_too() -> None:
    """It is carried along by every step."""
    assert exact("SELECT COUNT(user_id) AS n FROM (SELECT user_id, age FROM visits)", MANY, BY_USER) == exact(
        "SELECT COUNT(*) AS n FROM visits", MANY, BY_USER
    )
    made = "SELECT COUNT(user_id) AS n FROM (SELECT user_id, MAX(age) AS oldest FROM visits GROUP BY user_id)"
    assert exact(made, MANY, BY_USER) == [[1]]


@pytest.mark.parametrize("where", ["tables.visits.columns", "public.cities.columns"])
def test_no_name_of_a_policy_takes_the_place_of_the_user(where: str) -> None:
    """Refused where it is declared."""
    old, new = (
        ("[tables.visits.columns]\n", '[tables.visits.columns]\n" user" = {type = "text"}\n')
        if where.startswith("tables")
        else ('columns = {city = "text"', 'columns = {" user" = "text", city = "text"')
    )
    with pytest.raises(BadPolicy, match="begins with a space"):
        parse(TEXT.replace(old, new))


def test_no_group_is_listed_twice() -> None:
    """A row in two groups moves two numbers, and the price is for one."""
    table = Table(Session(BY_ROW), Scan("visits"))
    with pytest.raises(BadArgument, match="not a new value"):
        table.group_by("city", among={"city": [None, None, "Lyon"]})
    key = Key("city", Column("city"), ("Lyon", "Paris", "Lyon"))
    with pytest.raises(Refused, match="listed twice"):
        typed(Query(Scan("visits"), (Output("n", Made("count")),), (key,)), BY_ROW)
    assert table.group_by("city", among={"city": [None, "Lyon"]}).agg(count()).typed.query.keys[0].values == (None, "Lyon")


@pytest.mark.parametrize(
    "condition",
    [
        "width_bucket(age, 0, 50, 9223372036854775807) > 3",
        "substr(shop, 9223372036854775807, 9223372036854775807) = 'a'",
        "substr(shop, -9999999999999, 1) = 'a'",
        "substr(shop, 1, -9999999999999) = 'a'",
        "round(income, 9223372036854775807) > 3",
    ],
)
def test_no_constant_makes_the_engine_fail_on_some_rows(condition: str) -> None:
    """A failure for one person's row and none without it tells, with certainty, that the row is there."""
    with pytest.raises(Refused, match="has to be from"):
        sql(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", BY_ROW)


def test_no_text_grows_until_the_engine_fails() -> None:
    """Doubled eight times and tried on one person's name, a text would be larger than any memory after a few more."""
    inner = "SELECT CASE WHEN user_id = 'ann' THEN shop ELSE '' END AS a FROM visits"
    for _ in range(8):
        inner = f"SELECT a || a AS a FROM ({inner})"
    longer = f"SELECT COUNT(*) AS n FROM ({inner}) WHERE length(a) > {{}}"
    rows = [{"user_id": "ann", "shop": "x" * 50}]
    assert exact(longer.format(LONGEST), rows) == [[0]]
    assert exact(longer.format(LONGEST - 1), rows) == [[1]]


class Folded(Rows):
    """A table whose texts are compared without regard to capitals."""

    def attach(self, connection: Any) -> list[Any]:
        texts = {name: f"{kind} COLLATE NOCASE" if kind == "VARCHAR" else kind for name, kind in self.physical.items()}
        return Rows(self.policy, self.rows, texts).attach(connection)


def test_a_collation_of_the_source_makes_no_texts_equal() -> None:
    """Public values and join keys that differ by capitals would count a row several times."""
    policy = parse(
        TEXT.replace('["Lyon", "Paris", "Nice"]', '["Lyon", "LYON", "lyon"]')
        .replace('column = "user_id"', "")
        .replace("rows = 20\ngroups = 4\nrows_per_group = 10\n", "")
    )
    physical = {name: {"age": "BIGINT", "income": "DOUBLE"}.get(name, "VARCHAR") for name in policy.tables["visits"].columns}
    rows = (tuple({"user_id": "ann", "city": "LYON", "age": 3}.get(name) for name in physical),)
    cities = tuple((name, country, 1) for name in ("Lyon", "LYON", "lyon") for country in ("France", "Gaul"))
    held = DuckDB(
        [
            Folded(policy.tables["visits"], rows, physical),
            Rows(policy.public["cities"], cities or tuple(CITIES), {"city": "VARCHAR", "country": "VARCHAR", "people": "BIGINT"}),
        ]
    )
    for question, most in (
        ("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", 1),
        ("SELECT COUNT(*) AS n FROM visits JOIN cities USING (city)", 2),
    ):
        made = offer(typed(read(question, policy), policy, question), policy, epsilon=1)
        found = held.run(compiled(made.typed, made.bounding, policy, "salt")[0].text)
        assert int(found["m0"].sum()) == most
    held.close()


def test_coins_are_thrown_anew_for_every_sample() -> None:
    """A sample of a sample, and which rows are together in one: half of the rows, a quarter, and not always the same halves."""
    rows = [{"user_id": f"u{i}", "age": i} for i in range(400)]
    once, twice = "visits TABLESAMPLE BERNOULLI (50 PERCENT)", "(SELECT * FROM visits TABLESAMPLE BERNOULLI (50 PERCENT)) AS s"
    [[half]] = exact(f"SELECT COUNT(*) AS n FROM {once}", rows)
    [[quarter]] = exact(f"SELECT COUNT(*) AS n FROM {twice} TABLESAMPLE BERNOULLI (50 PERCENT)", rows)
    assert 140 < half < 260 and 50 < quarter < 150
    held = DuckDB([Rows(BY_ROW.tables["visits"], (), dict.fromkeys(BY_ROW.tables["visits"].columns, "VARCHAR"))])
    together = set()
    for salt in range(64):
        coins = Writing(BY_ROW, str(salt))
        one, other = (f"({coins.hashed(name, '0')} < 9223372036854775808)" for name in ("'ann'", "'bob'"))
        found = held.run(f"SELECT CAST({one} = {other} AS BIGINT) AS same")
        together.add(int(found["same"][0]))
    held.close()
    assert together == {0, 1}


def test_capitals_make_no_second_column() -> None:
    """A public column beside a private one whose name differs by capitals: each is what the plan says."""
    rows = [{"city": "Lyon", "age": 7}]
    question = (
        'SELECT cities.country, COUNT(*) AS n FROM (SELECT city, age AS "COUNTRY" FROM visits) AS v'
        " JOIN cities ON v.city = cities.city GROUP BY cities.country"
    )
    assert sorted(exact(question, rows)[0]) == [0, 1, 1]
    assert apart(question, rows, []) == []


def test_a_key_for_retries_answers_one_question_only(tmp_path: Path) -> None:
    """Two questions may be the same event at the same price: the answer of one is not that of the other."""
    table = visits(tmp_path)
    first = table.where("age > 30").agg(count()).release(epsilon=1, idempotency="k")
    assert table.where("age > 30").agg(count()).release(epsilon=1, idempotency="k").value == first.value
    with pytest.raises(BadArgument, match="another request"):
        table.where("age > 60").agg(count()).release(epsilon=1, idempotency="k")
    again = table.where("age > 30").agg(count()).release(epsilon=1, idempotency="new noise", again=True)
    assert not again.repeated and table.where("age > 30").agg(count()).release(epsilon=1).value == again.value
    for key in ("k", "new noise"):  # a question with new noise is a question too
        with pytest.raises(BadArgument, match="another request"):
            table.where("age > 60").agg(count()).release(epsilon=1, idempotency=key, again=True)


def test_an_answer_is_stored_for_the_public_rows_that_it_met(tmp_path: Path) -> None:
    """Another public table, another answer; the same one, the same answer for free."""
    policy = policy_in(tmp_path)
    text = policy.read_text() + '[public.cities]\nsource = "cities.csv"\ncolumns = {city = "text", country = "text"}\n'
    policy.write_text(text)
    question, repeated = "SELECT COUNT(*) AS n FROM visits JOIN cities USING (city)", []
    for rows in ("Lyon,France\n", "Lyon,France\n", "Nowhere,France\n"):
        if not repeated or rows.startswith("Nowhere"):
            (tmp_path / "cities.csv").write_text(f"city,country\n{rows}")
        table = open(policy=policy)
        repeated.append(table.sql(question).release(epsilon=1).repeated)
        table.session.close()
    assert repeated == [False, True, False]


def test_threads_get_the_numbers_of_their_own_questions() -> None:
    """A connection keeps the last result: with another's exact numbers, the noise would be that of a smaller sensitivity."""
    held = engine(BY_ROW, [tuple({"age": 3}.get(name) for name in PHYSICAL)] * 500)
    strangers: list[int] = []

    def asking(own: int) -> None:
        for _ in range(100):
            found = held.run(f"SELECT count(*) * 0 + {own} AS m0 FROM visits, range(20)")
            strangers.extend(int(number) for number in found["m0"] if int(number) != own)

    threads = [threading.Thread(target=asking, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held.close()
    assert strangers == []


def test_a_line_break_in_a_cell_of_a_large_file_is_no_failure(tmp_path: Path) -> None:
    """DuckDB reads large files in parallel, and gives up at a quoted line break: one cell would close the whole table."""
    table = visits(tmp_path)
    with (tmp_path / "visits.csv").open("a") as lines:
        for i in range(80):
            lines.write(f'{i},"{"x" * 1_000_000}",30,1,2024-01-15\n')
        lines.write('7,"Ly\non",30,1,2024-01-15\n')
    assert int(table.session.engine.run("SELECT count(*) AS n FROM visits")["n"][0]) == 1080


@pytest.mark.parametrize(
    "asked", ["HISTOGRAM(income, [0, 1e400])", "MEDIAN(CLIP(income, 0, 1e-310))", "MAX(CLIP(income, 0, 1e-320))"]
)
def test_numbers_beyond_doubles_are_refused(asked: str) -> None:
    """With their place, and not by an error of Python's."""
    with pytest.raises(Refused):
        sql(f"SELECT {asked} AS n FROM visits", BY_ROW)


def test_a_key_moves_no_cursor(tmp_path: Path) -> None:
    """Names of groups that are not public come from the data: shown, their control characters are written out."""
    hidden = "Nice\x1b[2J\nParis | 1"
    rows = duckdb.sql("SELECT range AS user_id, ? AS city FROM range(2000)", params=[hidden])
    rows.write_parquet(str(tmp_path / "visits.parquet"))
    policy = TEXT.replace(', values = ["Lyon", "Paris", "Nice"]', "")
    policy = "\n".join(
        line for line in policy.split("\n") if line.split(" = {")[0] not in ("shop", "age", "income", "score", "day")
    )
    policy = "\n".join(line for line in policy.split("\n") if line.split(" = {")[0] not in ("member", "seen"))
    (tmp_path / "privacy.toml").write_text(policy[: policy.index("[public.cities]")])
    answer = open(policy=tmp_path / "privacy.toml").sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city").release(epsilon=1)
    assert [row["city"] for row in answer.rows] == [hidden]
    assert "\x1b" not in repr(answer) and "Nice\\x1b[2J\\nParis" in repr(answer)
    assert "\x1b" not in answer._repr_html_()


DOUBLING = {"city || city": "city", "WIDTH_BUCKET(income, 0, 1, 3)": "income", "NULLIF(age, age)": "age", "age + age": "age"}


@pytest.mark.parametrize("doubling", DOUBLING)
@pytest.mark.parametrize("within", ["a query", "an expression"])
def test_no_short_question_is_long_for_the_engine(doubling: str, within: str) -> None:
    """Each level uses the one below several times: seconds of planning, or gigabytes of text."""
    name, least = DOUBLING[doubling], []
    for levels in range(1, 25):
        source, value = "visits", name
        for _ in range(levels):
            source = f"(SELECT {doubling} AS {name} FROM {source})"
            value = doubling.replace(name, f"({value})")
        asked = f"{name} IS NULL FROM {source}" if within == "a query" else f"{value} IS NULL FROM visits"
        question = asked.join(["SELECT COUNT(*) AS n FROM (SELECT ", ")"]).replace(" IS NULL FROM", " IS NULL AS x FROM")
        if len(question) > 20_000:
            break
        try:
            assert len(sql(question, BY_ROW)) < 2 * LONGEST_WRITTEN
        except Refused:
            least.append(levels)
    assert least or len(question) > 20_000


UNKNOWN = "SELECT shop, COUNT(*) AS n FROM {} GROUP BY shop"
TWICE = ["(SELECT shop FROM visits UNION ALL SELECT shop FROM visits)", "visits JOIN cities ON visits.city = cities.city"]


@pytest.mark.parametrize("source", TWICE)
def test_groups_nobody_named_of_rows_that_are_there_twice_are_refused(source: str) -> None:
    """As a question that cannot be planned, with its place and what to do; users are counted once in a group, whatever comes."""
    with pytest.raises(Refused) as refused:
        sql(UNKNOWN.format(source), BY_ROW)
    assert refused.value.code == "TW-R013" and refused.value.place is not None and len(refused.value.repairs) == 2
    assert sql(UNKNOWN.format(source), BY_USER) and sql(UNKNOWN.format("visits"), BY_ROW)
