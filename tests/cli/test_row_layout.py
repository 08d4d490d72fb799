from __future__ import annotations

from itertools import product

import pytest
from rich.cells import cell_len

from headrace.cli.fitted_table import column_widths
from headrace.cli.row_layout import Vertical, show_rows
from headrace.model.text_table import text_table

ORDERS = (["id", "category", "note"], [(1, "Electronics", "x" * 60), (2, None, "short")])


def widest(text: str) -> int:
    return max(map(cell_len, text.splitlines()))


def test_a_table_that_fits_is_as_it_is_without_a_terminal() -> None:
    shown = show_rows(*ORDERS, width=200)
    assert (shown.text, shown.is_cut) == (text_table(*ORDERS), False)


def test_long_values_are_cut_on_a_terminal_and_the_others_stay() -> None:
    shown = show_rows(*ORDERS, width=40)
    assert shown.is_cut
    assert shown.text == (
        "+----+-------------+-------------------+\n"
        "| id | category    | note              |\n"
        "+----+-------------+-------------------+\n"
        "| 1  | Electronics | xxxxxxxxxxxxxxxx… |\n"
        "| 2  | null        | short             |\n"
        "+----+-------------+-------------------+"
    )


def test_nothing_is_cut_where_no_terminal_is() -> None:
    shown = show_rows(*ORDERS, width=None)
    assert "x" * 60 in shown.text
    assert not shown.is_cut


def test_columns_that_do_not_fit_even_when_cut_go_below_each_other() -> None:
    columns = ["id", "name_of_the_product", "size"]
    shown = show_rows(columns, [(1, "teapot of cast iron", None), (2, "x" * 50, 1.5)], width=20)
    assert shown.text == (
        "-[ row 1 ]----------\n"
        "id                  | 1\n"
        "name_of_the_product | teapot of cast iron\n"
        "size                | null\n"
        "-[ row 2 ]----------\n"
        "id                  | 2\n"
        f"name_of_the_product | {'x' * 50}\n"
        "size                | 1.5"
    )
    assert not shown.is_cut


def test_vertical_can_be_switched_on_and_off() -> None:
    assert show_rows(["a"], [(1,)], 80, Vertical.ON).text.splitlines() == [
        "-[ row 1 ]".ljust(60, "-"),
        "a | 1",
    ]
    assert show_rows(["a"], [(1,)], None, Vertical.ON).text.endswith("a | 1")
    assert show_rows(["first", "second"], [(1, 2)], 15, Vertical.OFF).text == (
        "+------+------+\n| fir… | sec… |\n+------+------+\n| 1    | 2    |\n+------+------+"
    )


def test_wide_characters_count_twice() -> None:
    columns, rows = ["名前", "説明"], [("急須", "鋳鉄の急須です。" * 5), ("x", "")]
    shown = show_rows(columns, rows, width=40)
    assert {cell_len(line) for line in shown.text.splitlines()} == {40}
    assert "…" in shown.text
    assert show_rows(columns, rows, 40, Vertical.ON).text.splitlines()[1] == "名前 | 急須"


def test_line_breaks_are_real_on_a_terminal_and_escaped_in_a_file() -> None:
    columns, rows = ["task", "log"], [("t", "one\r\ntwo\x1b[2J\n"), ("u", "three")]
    assert show_rows(columns, rows, width=80).text == (
        "+------+------------+\n"
        "| task | log        |\n"
        "+------+------------+\n"
        "| t    | one        |\n"
        "|      | two\\x1b[2J |\n"
        "| u    | three      |\n"
        "+------+------------+"
    )
    assert "| t    | one\\r\\ntwo\\x1b[2J\\n |" in show_rows(columns, rows, width=None).text
    assert show_rows(columns, rows[:1], 80, Vertical.ON).text.splitlines()[1:] == [
        "task | t",
        "log  | one",
        "       two\\x1b[2J",
    ]


@pytest.mark.parametrize("vertical", Vertical)
@pytest.mark.parametrize("width", [0, 1, 2, 5, 80])
def test_any_width_will_do(width: int, vertical: Vertical) -> None:
    columns, rows = [f"column_{n}" for n in range(9)], [tuple("語" * n for n in range(9))]
    for given in ([], rows, rows * 3):
        show_rows(columns, given, width, vertical)
        show_rows(["a"], [(None,)] * len(given), width, vertical)


def test_no_rows() -> None:
    assert show_rows(["a", "b"], [], width=80).text == text_table(["a", "b"], [])
    assert show_rows(["a", "b"], [], 80, Vertical.ON).text == ""


def test_widths_take_all_the_room_and_no_more() -> None:
    for natural in product([1, 4, 30, 500], repeat=3):
        for width in range(14, 120):
            widths = column_widths(list(natural), width, narrowest=1)
            assert widths is not None
            assert sum(widths) == min(sum(natural), width - 10)
            cut = [each for each, whole in zip(widths, natural, strict=True) if each < whole]
            assert not cut or max(cut) - min(cut) <= 1
            assert all(each <= min(cut, default=500) + 1 for each in widths)
    assert column_widths([30, 30], 26, narrowest=10) is None
    assert column_widths([30, 30], 27, narrowest=10) == [10, 10]
    assert column_widths([3, 30], 27, narrowest=10) == [3, 17]
