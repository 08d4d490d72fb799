import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.sql.tokens.positions import Span, moved, place_of, splice


def test_a_span_runs_forward():
    with pytest.raises(ValueError, match="not a span"):
        Span(3, 2)


def test_a_place_counts_lines_and_columns_from_one():
    place = place_of("select\r\n  frm t\nwhere", Span(10, 13))
    assert (place.line, place.column, place.source_line, place.length) == (2, 3, "  frm t", 3)


def test_a_place_at_the_end_of_the_text():
    place = place_of("select", Span(6, 6))
    assert (place.line, place.column, place.length) == (1, 7, 1)


def test_a_place_covers_its_first_line_only():
    assert place_of("ab\ncd", Span(1, 5)).length == 1


@given(st.text(), st.text(min_size=1), st.text(), st.data())
def test_a_place_moves_with_its_text(before, inner, after, data):
    start = data.draw(st.integers(0, len(inner) - 1))
    outer = before + inner + after
    in_inner = place_of(inner, Span(start, start + 1))
    in_outer = place_of(outer, Span(len(before) + start, len(before) + start + 1))
    assert moved(in_inner, inner, outer, len(before)) == in_outer


def test_splice_replaces_in_any_order():
    assert splice("a b c", [(Span(4, 5), "z"), (Span(0, 1), "xx")]) == "xx b z"


@pytest.mark.parametrize("spans", [[Span(0, 3), Span(2, 4)], [Span(0, 99)]])
def test_splice_refuses_overlaps(spans):
    with pytest.raises(ValueError, match="overlapping"):
        splice("abcdef", [(span, "") for span in spans])


@given(st.text(), st.lists(st.integers(0, 40)), st.text())
def test_splice_leaves_the_rest_alone(text, cuts, replacement):
    edges = sorted({min(cut, len(text)) for cut in cuts})
    spans = [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=False)]
    kept = [text[start:end] for start, end in _gaps(spans, len(text))]
    assert splice(text, [(span, replacement) for span in spans]) == replacement.join(kept)


@given(st.text(), st.integers(0, 40))
def test_splicing_a_span_with_itself_changes_nothing(text, start):
    span = Span(min(start, len(text)), len(text))
    assert splice(text, [(span, span.of(text))]) == text


def _gaps(spans, length):
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), length]
    return zip(starts, ends, strict=True)
