"""What CREATE OR REPLACE may do, pair by pair and for any pair."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from headrace.model.dynamic_table import Column, Definition, DynamicTable
from headrace.model.names import TableName
from headrace.sql.queries.dialect import HeadraceSpark, parse_query
from headrace.sql.queries.replacement import (
    NeedsRecreation,
    Replacement,
    Unchanged,
    Waits,
    classify_replacement,
)
from headrace.sql.tokens.lexer import Kind, Token, tokenize
from tests.delta.random_queries import Query
from tests.delta.random_tables import random_tables
from tests.sql.definitions import TABLES, defined, dynamic_table


@dataclass(frozen=True)
class Pair:
    old: str
    new: str
    verdict: str


def _pairs() -> dict[str, Pair]:
    text = (Path(__file__).parent / "replacements.sql").read_text()
    found = re.findall(r"^-- (.+)\n--> (.+)\n([^;]+);\n([^;]+);\n", text, re.M)
    pairs = {name: Pair(old, new, verdict) for name, verdict, old, new in found}
    assert len(pairs) == text.count("\n--> ")
    return pairs


PAIRS = _pairs()
ACCEPTED = {name: pair for name, pair in PAIRS.items() if not pair.verdict.startswith("refused")}


def classified(old: str, new: str) -> Replacement:
    return classify_replacement(dynamic_table(old), dynamic_table(new))


def verdict(made: Replacement) -> str:
    match made:
        case Unchanged():
            return "unchanged"
        case NeedsRecreation():
            return f"refused: {made.reason}"
        case Waits():
            changes = [f"+{column.name}" for column in made.added] + [f"-{c.name}" for c in made.removed]
            return f"waits: {', '.join([*changes, *(['where'] if made.where_changed else [])])}"


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    pair = PAIRS[name]
    made = verdict(classified(pair.old, pair.new))
    if pair.verdict.startswith("refused"):
        kind, words = pair.verdict.split(": ", 1)
        assert made.startswith(kind)
        assert words in made
    else:
        assert made == pair.verdict


@pytest.mark.parametrize("name", PAIRS)
def test_the_way_back(name: str) -> None:
    """What is refused is refused the other way round too; what comes one way goes the other."""
    pair = PAIRS[name]
    there, back = classified(pair.old, pair.new), classified(pair.new, pair.old)
    if isinstance(there, Waits):
        assert isinstance(back, Waits)
        assert (set(back.added), set(back.removed), back.where_changed) == (
            set(there.removed),
            set(there.added),
            there.where_changed,
        )
    else:
        assert type(back) is type(there)


Mutation = Callable[[DynamicTable, exp.Select], DynamicTable]


def _with_query(table: DynamicTable, query: exp.Expr, added: str | None = None) -> DynamicTable:
    text = query.sql(dialect=HeadraceSpark)
    columns = (*table.columns, Column(added, "COMPUTED")) if added else table.columns
    return replace(table, definition=replace(table.definition, expanded=text), columns=columns)


def _with_item(value: str) -> Mutation:
    def mutated(table: DynamicTable, select: exp.Select) -> DynamicTable:
        return _with_query(table, select.select(f"{value} AS one_more", dialect="spark"), "one_more")

    return mutated


def _with_clause(change: Callable[[exp.Select], exp.Expr]) -> Mutation:
    return lambda table, select: _with_query(table, change(select))


MUTATIONS: dict[str, Mutation] = {
    "a constant": _with_item("1"),
    "an aggregate": _with_item("count(*)"),
    "a window function": _with_item("row_number() OVER (ORDER BY 1)"),
    "a scalar subquery": _with_item("(SELECT max(w) FROM lake.p.p)"),
    "DISTINCT": _with_clause(lambda select: select.distinct(not select.args.get("distinct"))),
    "LIMIT": _with_clause(lambda select: select.limit(77)),
    "OFFSET": _with_clause(lambda select: select.offset(77)),
    "HAVING": _with_clause(lambda select: select.having("count(*) > 77")),
    "GROUP BY": _with_clause(lambda select: select.group_by("77 + 1")),
    "QUALIFY": _with_clause(lambda select: select.qualify("row_number() OVER (ORDER BY 1) = 1")),
    "SORT BY": _with_clause(lambda select: select.sort_by("1 + 1")),
    "JOIN": _with_clause(lambda select: select.join("lake.p.o AS one_more", join_type="CROSS")),
    "LATERAL VIEW": _with_clause(lambda select: select.lateral("explode(array(1)) one_more AS x")),
    "a subquery in WHERE": _with_clause(lambda select: select.where("77 IN (SELECT id FROM lake.p.o)")),
    "UNION ALL": _with_clause(lambda select: exp.union(select, select.copy(), distinct=False)),
    "a hint": _with_clause(lambda select: select.hint("BROADCAST(o)")),
    "partitions": lambda table, _: replace(table, partitioned_by=(*table.partitioned_by, "one_more")),
    "clusters": lambda table, _: replace(table, clustered_by=(*table.clustered_by, "one_more")),
    "a type": lambda table, _: replace(
        table, columns=tuple(replace(column, type="OTHER") for column in table.columns)
    ),
}


def _selects(table: DynamicTable) -> exp.Select | None:
    """None where sqlglot would not write what it has read."""
    tree = parse_query(table.definition.expanded).unnest()
    return tree if isinstance(tree, exp.Select) and not tree.args.get("qualify") else None


def _mutable() -> list[tuple[str, DynamicTable, DynamicTable, exp.Select]]:
    """Accepted pairs of one SELECT each that keep a column."""
    found = []
    for name, pair in ACCEPTED.items():
        old, new = dynamic_table(pair.old), dynamic_table(pair.new)
        select = _selects(new)
        if select is not None and {c.name for c in old.columns} & {c.name for c in new.columns}:
            found.append((name, old, new, select))
    return found


MUTABLE = _mutable()


def test_pairs_to_mutate() -> None:
    assert len(MUTABLE) > 50
    for name, old, new, select in MUTABLE:
        assert not isinstance(classify_replacement(old, _with_query(new, select)), NeedsRecreation), name


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_one_more_change_is_refused(mutation: str) -> None:
    for name, old, new, select in MUTABLE:
        mutated = MUTATIONS[mutation](new, select)
        assert isinstance(classify_replacement(old, mutated), NeedsRecreation), name


def test_a_refusal_says_what_and_how_else() -> None:
    old = "SELECT k, count(*) AS n FROM o GROUP BY k"
    assert classified(
        old, "SELECT k, count(*) AS n, avg(v) AS avg_price FROM o GROUP BY k"
    ) == NeedsRecreation(
        "column avg_price is an aggregate, and cannot be added to lake.p.d in place",
        "DROP DYNAMIC TABLE lake.p.d, then CREATE; "
        "only WHERE and columns taken directly from a source can change in place",
    )


def test_columns_have_their_types_and_comments() -> None:
    new = dynamic_table("SELECT id, s FROM o")
    commented = replace(new, columns=(new.columns[0], Column("s", "STRING", "a note")))
    assert classify_replacement(dynamic_table("SELECT id, v FROM o"), commented) == Waits(
        added=(Column("s", "STRING", "a note"),), removed=(Column("v", "INT"),)
    )


def test_nothing_is_not_waited_for() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Waits()


WIDER = {name: {**columns, "extra": "INT"} for name, columns in TABLES.items()}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM o", "waits: +extra"),
        ("SELECT id, v FROM o", "unchanged"),
        ("SELECT count(*) AS n FROM o", "unchanged"),
        ("SELECT DISTINCT * FROM o", "refused: column extra is one of the columns of DISTINCT"),
        ("SELECT * FROM o UNION ALL SELECT * FROM o", "refused: UNION ALL"),
        ("SELECT o.id FROM o NATURAL JOIN p", "refused: JOIN"),
        ("SELECT id, struct(*) AS whole FROM o", "refused: lake.p.d reads all columns of lake.p.o"),
        ("SELECT a, b FROM p PIVOT (sum(w) FOR name IN ('a', 'b'))", "refused: lake.p.d reads all columns"),
        ("SELECT transform(tags, X -> upper(x)) AS t FROM o", "refused: the query of lake.p.d"),
    ],
)
def test_a_source_has_got_a_column(query: str, expected: str) -> None:
    """Since the table was created; the text of the query is the same."""
    made = classify_replacement(dynamic_table(query), dynamic_table(query, WIDER))
    assert verdict(made).startswith(expected)


def test_a_source_has_got_another_type() -> None:
    other = {name: {**columns, "k": "BIGINT"} for name, columns in TABLES.items()}
    made = classify_replacement(
        dynamic_table("SELECT id, k FROM o"), dynamic_table("SELECT id, k FROM o", other)
    )
    assert verdict(made).startswith("refused: column k of lake.p.d is INT, and its type")


def test_tables_whose_names_differ_in_case_are_two() -> None:
    tables = {TableName("lake", "p", name): {"a": "INT", "b": "INT"} for name in ("t", "T")}
    one, other = (defined(f"SELECT x.a FROM lake.p.`{name}` AS x", None, tables) for name in ("t", "T"))
    assert isinstance(classify_replacement(one, other), NeedsRecreation)
    both = "SELECT x.a, y.b FROM lake.p.`{}` AS x JOIN lake.p.`{}` AS y ON x.a = y.a"
    one, other = (defined(both.format(*names), None, tables) for names in (("t", "T"), ("T", "t")))
    assert isinstance(classify_replacement(one, other), NeedsRecreation)
    assert classify_replacement(one, one) == Unchanged()


def test_many_ctes_take_no_time() -> None:
    ctes = ["c0 AS (SELECT id, v FROM o)"]
    ctes += [
        f"c{n} AS (SELECT a.id, b.v FROM c{n - 1} a JOIN c{n - 1} b ON a.id = b.id)" for n in range(1, 13)
    ]
    query = f"WITH {', '.join(ctes)} SELECT id FROM c12"
    assert verdict(classified(query, f"{query} WHERE v > 1")) == "waits: where"
    assert verdict(classified(query, query.replace("SELECT id FROM", "SELECT id, v FROM"))) == "waits: +v"


def test_a_long_condition() -> None:
    query = "SELECT id FROM o WHERE " + " AND ".join(f"v <> {n}" for n in range(400))
    assert classified(query, query) == Unchanged()
    assert not isinstance(classified(query, f"{query} AND v <> 400"), Unchanged)


@st.composite
def two_queries(draw: st.DrawFn) -> tuple[DynamicTable, DynamicTable]:
    """Over the same tables."""
    rng = Random(draw(st.integers(0, 1_000_000)))
    tables = random_tables(rng)
    one, other = (defined(Query(rng, tables, rng.randint(0, 3)).text(), None, tables) for _ in range(2))
    return one, other


@given(two_queries())
@settings(max_examples=50)
def test_random_queries(pair: tuple[DynamicTable, DynamicTable]) -> None:
    one, other = pair
    there, back = classify_replacement(one, other), classify_replacement(other, one)
    assert type(there) is type(back)
    assert classify_replacement(one, one) == classify_replacement(other, other) == Unchanged()


@given(two_queries())
@settings(max_examples=50)
def test_spelling_does_not_show(pair: tuple[DynamicTable, DynamicTable]) -> None:
    table, _ = pair
    words = [_respelled(token) for token in tokenize(table.definition.expanded)]
    text = "/* a */ {} -- b".format("\n".join(words))
    respelled = replace(table, definition=replace(table.definition, expanded=text))
    assert classify_replacement(table, respelled) == Unchanged()


def _respelled(token: Token) -> str:
    if token.kind is not Kind.WORD:
        return token.text
    return f"`other {token.text}`" if re.fullmatch(r"[aw]\d+", token.text) else token.text.swapcase()


@given(two_queries(), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_no_change_of_a_value_goes_unseen(pair: tuple[DynamicTable, DynamicTable], rng: Random) -> None:
    table, _ = pair
    tree = parse_query(table.definition.expanded)
    literals = [literal for literal in tree.find_all(exp.Literal) if not literal.find_ancestor(exp.CTE)]
    if not literals:
        return
    literal = rng.choice(literals)
    literal.replace(exp.Literal.string("77") if literal.is_string else exp.Literal.number(77))
    assert classify_replacement(table, _with_query(table, tree)) != Unchanged()


WORDS = st.sampled_from(
    """
    SELECT FROM WHERE a b t lake.p.o o . , ( ) * + AND OR NOT IN GROUP BY ORDER LIMIT 1 'x' JOIN ON UNION ALL
    WITH AS OVER count sum DISTINCT CASE WHEN THEN END LATERAL VIEW explode [ ] { } ` ; :: -> |> /* -- @ $ ?
    """.split()  # noqa: SIM905  (a table of words)
)


@given(st.text() | st.lists(WORDS).map(" ".join), st.text() | st.lists(WORDS).map(" ".join))
@settings(max_examples=200)
def test_any_text(one: str, other: str) -> None:
    old, new = (
        replace(
            dynamic_table("SELECT id FROM o"),
            definition=Definition(text, text, text, ()),
            partitioned_by=(text,),
        )
        for text in (one, other)
    )
    assert type(classify_replacement(old, new)) is type(classify_replacement(new, old))
    assert classify_replacement(old, old) == classify_replacement(new, new) == Unchanged()
    settled = replace(new, partitioned_by=old.partitioned_by)
    assert type(classify_replacement(old, settled)) is type(classify_replacement(settled, old))
