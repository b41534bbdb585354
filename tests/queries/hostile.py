"""Questions that nobody should ask: texts that try to reach files, settings, other tables, other rows, or the engine itself.

Everything in them that would be dangerous carries the word CANARY where that is possible.
"""

from __future__ import annotations

import random

__all__ = ["HOSTILE", "drawn"]

_FUNCTIONS_TEXT = """
read_csv('CANARY') read_csv_auto('CANARY') read_parquet('CANARY') read_json('CANARY') read_text('CANARY') read_blob('CANARY')
parquet_scan('CANARY') glob('CANARY') sniff_csv('CANARY') parquet_metadata('CANARY') sqlite_scan('CANARY','t')
postgres_scan('CANARY','a','b') duckdb_tables() duckdb_settings() duckdb_columns() duckdb_functions() duckdb_secrets()
pragma_table_info('visits') pragma_database_list() getenv('CANARY') current_setting('CANARY') current_user session_user()
current_database() current_schema() current_schemas(true) version() pg_backend_pid() txid_current() now() today() random()
gen_random_uuid() uuid() setseed(0.5) nextval('CANARY') currval('CANARY') error('CANARY') write_log('CANARY') query('CANARY')
query_table('CANARY') sql_auto_complete('CANARY') json_execute_serialized_sql('CANARY') json_serialize_sql('CANARY')
row_number() rank() lag(age) lead(age) first_value(age) ntile(4) cume_dist() first(age) last(age) any_value(age)
arg_max(age,income) max_by(age,income) list(age) array_agg(city) string_agg(city,',') group_concat(city) histogram_exact(age)
mode(city) entropy(age) kurtosis(age) skewness(age) product(age) bit_xor(age) bitstring_agg(age) approx_count_distinct(age)
reservoir_quantile(age,0.5) fsum(income) sum_no_overflow(age) kahan_sum(income) favg(income) mad(income)
quantile_disc(age,0.5) regr_slope(age,income) unnest([1,2]) generate_series(1,9) range(9) repeat('CANARY',99999999)
lpad(city,999999999,'x') rpad(city,999999999,'x') string_split(city,'') regexp_replace(city,'(a+)+$','')
regexp_matches(city,'(a+)+$') regexp_extract(city,'(.*)*') printf('%s',city) format('{}',city) chr(age) ascii(city) hash(city)
md5(city) sha256(city) base64(city) encode(city) decode(city) to_json(city) json_extract(city,'$.CANARY') struct_pack(a:=1)
list_value(1,2) list_transform([1],x->x) map(['a'],[1]) array_slice(city,1,2) list_aggregate([age],'sum') apply([1],x->x)
reduce([1,2],(x,y)->x+y) list_filter([age],x->x>CANARY) sleep(1000) sleep_ms(9) pg_sleep(5) pg_read_file('CANARY')
load_extension('CANARY') lo_import('CANARY') dblink('CANARY') xp_cmdshell('CANARY') system('CANARY') shell('CANARY')
exec('CANARY') eval('CANARY') http_get('CANARY') write_csv('CANARY') copy_to('CANARY') checkpoint() force_checkpoint()
icu_sort_key(city,'de') strptime(city,'%Y') strftime(day,'CANARY') try_strptime(city,'%Y') epoch_ms(day)
make_date(age,age,age) to_days(age) bar(age,0,9) pow2(age) factorial(age) gamma(income) lgamma(income) nextafter(income,age)
isinf(income) signbit(income) xor(age,age) bit_count(age) cardinality(city) enum_range(city) typeof(city) alias(city)
stats(age) rowid vector_type(age) icu_version() in_search_path('CANARY','a') has_table_privilege('CANARY','x')
pg_get_viewdef(1) col_description(1,1) obj_description(1,'CANARY') add_parquet_key('CANARY','x') which_secret('CANARY','s3')
from_base64(city) to_base64(city) unbin(city) parse_path(city) parse_dirname(city)
"""
_FUNCTIONS = _FUNCTIONS_TEXT.split()
_STATEMENTS = """
DROP TABLE visits
DELETE FROM visits
TRUNCATE visits
UPDATE visits SET age = 0
INSERT INTO visits VALUES (1)
CREATE TABLE canary AS SELECT * FROM visits
CREATE VIEW canary AS SELECT * FROM visits
CREATE MACRO canary(x) AS x + 1
CREATE FUNCTION canary(x) AS x
CREATE SEQUENCE canary
CREATE TYPE canary AS ENUM ('a')
CREATE SECRET canary (TYPE S3)
ALTER TABLE visits ADD COLUMN canary INT
COPY visits TO 'CANARY.csv'
COPY (SELECT * FROM visits) TO 'CANARY' (FORMAT parquet)
EXPORT DATABASE 'CANARY'
IMPORT DATABASE 'CANARY'
ATTACH 'CANARY.db' AS c
DETACH visits
USE canary
INSTALL httpfs
LOAD httpfs
SET enable_external_access = true
RESET lock_configuration
PRAGMA database_list
CALL pragma_version()
EXPLAIN SELECT COUNT(*) FROM visits
EXPLAIN ANALYZE SELECT COUNT(*) FROM visits
DESCRIBE visits
SHOW TABLES
SUMMARIZE visits
FROM visits
FROM visits SELECT age
TABLE visits
VALUES (1)
VACUUM
ANALYZE
CHECKPOINT
BEGIN
COMMIT
ROLLBACK
PREPARE c AS SELECT COUNT(*) FROM visits
EXECUTE c
DEALLOCATE c
GRANT ALL ON visits TO public
COMMENT ON TABLE visits IS 'CANARY'
MERGE INTO visits USING cities ON TRUE WHEN MATCHED THEN DELETE
PIVOT visits ON city USING COUNT(*)
UNPIVOT visits ON age INTO NAME n VALUE v
SELECT * FROM visits
SELECT age FROM visits
SELECT DISTINCT city FROM visits
SELECT age FROM visits LIMIT 1
SELECT COUNT(*) INTO canary FROM visits
SELECT COUNT(*) FROM visits; DROP TABLE visits
SELECT COUNT(*) FROM visits;;SELECT 1
SELECT COUNT(*) FROM visits UNION SELECT 1
SELECT COUNT(*) FROM visits UNION ALL SELECT age FROM visits
SELECT COUNT(*) FROM visits INTERSECT SELECT 1
SELECT COUNT(*) FROM visits EXCEPT SELECT 1
SELECT COUNT(*) FROM visits FOR UPDATE
SELECT COUNT(*) FROM visits OFFSET 3
SELECT COUNT(*) FROM visits FETCH FIRST 1 ROWS ONLY
SELECT COUNT(*) FROM visits QUALIFY row_number() OVER () = 1
SELECT COUNT(*) OVER () FROM visits
SELECT SUM(age) OVER (ORDER BY income) FROM visits
SELECT COUNT(*) FROM visits WINDOW w AS (ORDER BY age)
SELECT COUNT(*) FROM visits WHERE rank() OVER (ORDER BY income) < 3
SELECT COUNT(*) FROM visits ORDER BY age
SELECT COUNT(*) FROM visits GROUP BY ALL, age
SELECT city, COUNT(*) FROM visits GROUP BY ROLLUP (city)
SELECT city, COUNT(*) FROM visits GROUP BY CUBE (city, shop)
SELECT city, COUNT(*) FROM visits GROUP BY GROUPING SETS ((city), ())
SELECT user_id, COUNT(*) FROM visits GROUP BY user_id
SELECT income, COUNT(*) FROM visits GROUP BY income, user_id
SELECT COUNT(*) FROM visits, visits AS other
SELECT COUNT(*) FROM visits JOIN visits AS o ON visits.user_id = o.user_id
SELECT COUNT(*) FROM visits CROSS JOIN cities
SELECT COUNT(*) FROM visits NATURAL JOIN cities
SELECT COUNT(*) FROM visits LEFT JOIN cities USING (city)
SELECT COUNT(*) FROM visits RIGHT JOIN cities USING (city)
SELECT COUNT(*) FROM visits FULL JOIN cities USING (city)
SELECT COUNT(*) FROM visits ANTI JOIN cities USING (city)
SELECT COUNT(*) FROM visits SEMI JOIN cities USING (city)
SELECT COUNT(*) FROM visits ASOF JOIN cities USING (city)
SELECT COUNT(*) FROM visits POSITIONAL JOIN cities
SELECT COUNT(*) FROM visits JOIN cities ON visits.age > cities.people
SELECT COUNT(*) FROM visits JOIN cities ON TRUE
SELECT COUNT(*) FROM visits JOIN LATERAL (SELECT 1) ON TRUE
SELECT COUNT(*) FROM cities
SELECT COUNT(*) FROM canary
SELECT COUNT(*) FROM 'CANARY.csv'
SELECT COUNT(*) FROM "CANARY.parquet"
SELECT COUNT(*) FROM main.visits
SELECT COUNT(*) FROM memory.main.visits
SELECT COUNT(*) FROM information_schema.tables
SELECT COUNT(*) FROM pg_catalog.pg_tables
SELECT COUNT(*) FROM sqlite_master
SELECT COUNT(*) FROM duckdb_settings()
SELECT COUNT(*) FROM read_csv('CANARY')
SELECT COUNT(*) FROM generate_series(1, 10)
SELECT COUNT(*) FROM unnest([1, 2, 3])
SELECT COUNT(*) FROM (VALUES (1), (2)) AS v
SELECT COUNT(*) FROM "raw visits"
SELECT COUNT(*) FROM "frame of visits"
SELECT COUNT(*) FROM "file of visits".main.visits
SELECT COUNT(" user") FROM visits
SELECT COUNT(*) FROM visits WHERE " user" = 'ann'
SELECT COUNT(rowid) FROM visits
SELECT COUNT(*) FROM visits WHERE rowid = 0
SELECT COUNT(*) FROM visits WHERE age = (SELECT MAX(age) FROM visits)
SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM cities)
SELECT COUNT(*) FROM visits WHERE city IN (SELECT city FROM cities)
SELECT COUNT(*) FROM visits WHERE age > ANY (SELECT age FROM visits)
SELECT COUNT(*) FROM visits WHERE age > ALL (SELECT age FROM visits)
SELECT (SELECT MAX(income) FROM visits) FROM visits
SELECT COUNT((SELECT 1)) FROM visits
SELECT MAX(income) - MIN(income) + income FROM visits
SELECT COUNT(COLUMNS(*)) FROM visits
SELECT COUNT(*) FROM visits WHERE COLUMNS('.*') IS NULL
SELECT SUM(score) FROM visits
SELECT SUM(age * score) FROM visits
SELECT AVG(CAST(shop AS DOUBLE)) FROM visits
SELECT SUM(exp(exp(age))) FROM visits
SELECT SUM(clip(age, income, 5)) FROM visits
SELECT SUM(clip(age, 1e308, 1e309)) FROM visits
SELECT SUM(clip(score, -1e999, 1e999)) FROM visits
SELECT COUNT(*) FROM visits WHERE city LIKE shop
SELECT COUNT(*) FROM visits WHERE city SIMILAR TO 'a'
SELECT COUNT(*) FROM visits WHERE city ~ '(a+)+'
SELECT COUNT(*) FROM visits WHERE city GLOB '*'
SELECT COUNT(*) FROM visits WHERE city COLLATE NOCASE = 'lyon'
SELECT COUNT(*) FROM visits WHERE age::INT128 > 3 AND CAST('CANARY' AS JSON) IS NULL
SELECT COUNT(*) FROM visits WHERE CAST(city AS BLOB) IS NULL
SELECT COUNT(*) FROM visits WHERE CAST(city AS ENUM('a')) IS NULL
SELECT COUNT(*) FROM visits WHERE city[1] = 'L'
SELECT COUNT(*) FROM visits WHERE {'a': 1}.a = 1
SELECT COUNT(*) FROM visits WHERE age << 70 > 1
SELECT COUNT(*) FROM visits WHERE age & 1 = 1
SELECT COUNT(*) FROM visits WHERE age ** 99 > 1 AND age ^ 2 > 1 AND age !
SELECT COUNT(*) FROM visits WHERE @age > 1
SELECT COUNT(*) FROM visits WHERE age = $1
SELECT COUNT(*) FROM visits WHERE age = ?
SELECT COUNT(*) FROM visits WHERE age = :canary
SELECT COUNT(*) FROM visits WHERE day = CURRENT_DATE
SELECT COUNT(*) FROM visits WHERE seen AT TIME ZONE 'UTC' IS NULL
SELECT COUNT(*) FROM visits WHERE (age, income) = (1, 2)
SELECT COUNT(*) FROM visits WHERE age = 1 /* CANARY */ OR EXISTS (FROM canary)
SELECT COUNT(*) FROM visits -- CANARY \n; DROP TABLE visits
SELECT COUNT(*) AS "x"" FROM canary --" FROM visits WHERE
SELECT COUNT(*) FROM visits AS v(a, b)
SELECT COUNT(*) FROM visits TABLESAMPLE RESERVOIR (10 ROWS)
SELECT COUNT(*) FROM visits TABLESAMPLE SYSTEM (10 PERCENT)
SELECT COUNT(*) FROM visits TABLESAMPLE BERNOULLI (10 PERCENT) REPEATABLE (3)
SELECT COUNT(*) FROM visits USING SAMPLE 1
SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY income LIMIT 1) AS richest
SELECT COUNT(*) FROM (SELECT age, row_number() OVER () AS n FROM visits) AS x WHERE n = 1
SELECT COUNT(*) FROM (SELECT city, MAX(income) AS m FROM visits GROUP BY city) AS x
SELECT COUNT(*) FROM (SELECT DISTINCT ON (city) city, age FROM visits) AS x
SELECT COUNT(*) FROM (SELECT age AS user_id FROM visits) AS x
SELECT COUNT(*) FROM (SELECT age, age FROM visits) AS x
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r
WITH v AS (SELECT * FROM v) SELECT COUNT(*) FROM v
WITH visits AS (SELECT 1) SELECT COUNT(*) FROM visits
WITH d AS (DELETE FROM visits RETURNING *) SELECT COUNT(*) FROM d
WITH m AS MATERIALIZED (SELECT age FROM visits) SELECT COUNT(*) FROM m
SELECT STRUCT(COUNT(*)) FROM visits
SELECT [COUNT(*)] FROM visits
SELECT COUNT(*) FILTER (WHERE age = (SELECT 1)) FROM visits
SELECT COUNT(*) WITHIN GROUP (ORDER BY age) FROM visits
SELECT SUM(DISTINCT age) FROM visits
SELECT COUNT(age ORDER BY income) FROM visits
SELECT COUNT(*) IGNORE NULLS FROM visits
SELECT SUM(SUM(age)) FROM visits
SELECT PERCENTILE_CONT(income) WITHIN GROUP (ORDER BY age) FROM visits
SELECT TOP_K(shop, 3) FROM visits
SELECT HISTOGRAM(age, income) FROM visits
SELECT HISTOGRAM(age, 999999999) FROM visits
SELECT COUNT(*) FROM visits LIMIT (SELECT age FROM visits)
SELECT COUNT(*) FROM visits LIMIT 10 PERCENT
SELECT COUNT(*) FROM visits HAVING age > 3
SELECT city FROM visits GROUP BY city ORDER BY income
SELECT COUNT(*) FROM visits WHERE 1
SELECT
SELECT COUNT(*) FROM
( SELECT COUNT(*) FROM visits
'CANARY
SELECT COUNT(*) FROM visits WHERE city = 'CANARY
\u0000
\ufeffSELECT COUNT(*) FROM visits WHERE \u202e
;
""".strip().split("\n")
_NAMES = (
    '"; DROP TABLE visits; --',
    'x" FROM canary --',
    "x' OR '1'='1",
    "a\\\\",
    "\u0000",
    "\u202eevil",
    "x" * 300,
    "k0",
    "g",
    "u",
    "w",
    "picked",
)
_INNER = 'SELECT SUM(clip("{0}", 0, 9)) FROM (SELECT age AS "{0}" FROM visits) AS t'

HOSTILE = [
    *_STATEMENTS,
    *(f"SELECT COUNT(*) FROM visits WHERE {one} IS NOT NULL" for one in _FUNCTIONS),
    *(f"SELECT {one} FROM visits" for one in _FUNCTIONS[:40]),
    *('SELECT COUNT(*) AS "{}" FROM visits'.format(name.replace('"', '""')) for name in _NAMES),
    *(
        'SELECT SUM(clip("{0}", 0, 9)) FROM (SELECT age AS "{0}" FROM visits) AS t'.format(name.replace('"', '""'))
        for name in _NAMES
    ),
    *("SELECT COUNT(*) FROM visits WHERE city = '{}'".format(name.replace("'", "''")) for name in _NAMES),
    "SELECT COUNT(*) FROM visits WHERE " + "(" * 500 + "1" + ")" * 500,
    "SELECT COUNT(*) FROM visits WHERE " + " OR ".join(["age = 1"] * 3000),
    "SELECT COUNT(*) FROM visits WHERE NOT " + "NOT " * 2000 + "TRUE",
    "SELECT " + ", ".join(["COUNT(*)"] * 500) + " FROM visits",
    "SELECT COUNT(*) FROM visits WHERE age = " + "9" * 5000,
    "SELECT COUNT(*) FROM visits WHERE " + "-" * 3000 + "1 > 0",
    "SELECT COUNT(*) FROM " + "(SELECT age FROM " * 60 + "visits" + ") AS t" * 60,
    "SELECT COUNT(*) FROM visits WHERE city = '" + "x" * 100_000 + "'",
]
"""Written by hand; most are refused, and what is not means what our own list says."""

_WORDS_TEXT = """
SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT AS AND OR NOT IN BETWEEN LIKE IS NULL CASE WHEN THEN ELSE END JOIN ON USING
UNION ALL DISTINCT WITH OVER PARTITION FILTER COUNT SUM AVG MEDIAN MIN MAX STDDEV VARIANCE CORR HISTOGRAM TOP_K QUANTILE CAST
TRY_CAST EXTRACT INTERVAL DATE TIMESTAMP TRUE FALSE visits cities city shop age income score member day seen user_id country
people canary * ( ) ( ) ( ) , , , . = <> < > <= >= + - / // % || :: ; -- /* */ ' " $1 ? [ ] { } 0 1 2 0.5 1e308 1e999
9223372036854775808 'Lyon' 'Paris' '' 'CANARY' '%' '2024-02-29' "city" "canary" x y clip ln sqrt abs coalesce month year
read_csv getenv random unnest
"""
_WORDS = _WORDS_TEXT.split()


def drawn(seed: int) -> str:
    """A text by the grammar of questions, with some of its words changed, dropped, doubled or moved."""
    chance = random.Random(seed)
    words = _question(chance, 3).split()
    for _ in range(chance.choice((0, 0, 0, 0, 1, 1, 2, 5, 20))):
        place = chance.randrange(len(words))
        match chance.randrange(4):
            case 0:
                words[place] = chance.choice(_WORDS)
            case 1:
                words.insert(place, chance.choice(_WORDS))
            case 2 if len(words) > 1:
                del words[place]
            case _:
                words.insert(place, words[chance.randrange(len(words))])
    return " ".join(words)


def _question(chance: random.Random, depth: int) -> str:
    keys = chance.sample(("city", "shop", "member", "month(day)", "age // 10"), chance.randrange(3))
    shown = [*keys, *(_aggregate(chance, depth) for _ in range(chance.randint(1, 3)))]
    text = f"SELECT {' , '.join(shown)} FROM {_rows(chance, depth)}"
    if chance.random() < 0.5:
        text += f" WHERE {_condition(chance, depth)}"
    if keys:
        text += f" GROUP BY {' , '.join(keys)}"
    if chance.random() < 0.2:
        text += " HAVING COUNT(*) > 5"
    return text + chance.choice(("", "", " ORDER BY 1 DESC", " LIMIT 3"))


def _rows(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.3:
        inner, condition = _rows(chance, depth - 1), _condition(chance, depth - 1)
        return f"( SELECT city , shop , member , day , age , income FROM {inner} WHERE {condition} ) AS t{depth}"
    return chance.choice(("visits", "visits", "visits JOIN cities USING (city)", "visits TABLESAMPLE BERNOULLI (10 PERCENT)"))


def _aggregate(chance: random.Random, depth: int) -> str:
    kind = chance.choice(("COUNT", "SUM", "AVG", "MEDIAN", "MIN", "MAX", "STDDEV", "COUNT(DISTINCT", "COUNT(*)"))
    if kind == "COUNT(*)":
        return kind
    value = f"clip( {_number(chance, depth)} , 0 , 100 )" if chance.random() < 0.95 else _number(chance, depth)
    return f"{kind} {value} )" if kind.endswith("DISTINCT") else f"{kind}( {value} )"


def _number(chance: random.Random, depth: int) -> str:
    if not depth or chance.random() < 0.4:
        return chance.choice(("age", "income", "score", "1", "0.5", "NULL"))
    one, other = _number(chance, depth - 1), _number(chance, depth - 1)
    return chance.choice(
        (
            f"( {one} + {other} )",
            f"( {one} / {other} )",
            f"( {one} % {other} )",
            f"ln( {one} )",
            f"CAST( {one} AS INTEGER )",
            f"CASE WHEN {_condition(chance, depth - 1)} THEN {one} ELSE {other} END",
            f"coalesce( {one} , {other} )",
        )
    )


def _condition(chance: random.Random, depth: int) -> str:
    if not depth:
        return chance.choice(("member", "city = 'Lyon'", "age IS NULL", "shop LIKE '%x_'", "day >= DATE '2024-02-29'"))
    one, other = _number(chance, depth - 1), _number(chance, depth - 1)
    left, right = _condition(chance, depth - 1), _condition(chance, depth - 1)
    return chance.choice(
        (f"{one} < {other}", f"{one} BETWEEN 0 AND {other}", f"( {left} AND {right} )", f"NOT ( {left} OR {right} )")
    )
