"""What sqlglot does not say about Spark's functions."""

from __future__ import annotations

from sqlglot import exp

from headrace.algebra.expressions import Expr

_AGGREGATES = frozenset(
    """
    any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine array_agg avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg
    bitmap_or_agg bool_and bool_or collect_list collect_set corr count count_if count_min_sketch
    covar_pop covar_samp every first first_value grouping grouping_id histogram_numeric hll_sketch_agg
    hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint
    kll_sketch_agg_double kll_sketch_agg_float kurtosis last last_value listagg max max_by mean median
    min min_by mode percentile percentile_approx percentile_cont percentile_disc product regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness some std
    stddev stddev_pop stddev_samp string_agg sum theta_intersection_agg theta_sketch_agg theta_union_agg
    try_avg try_sum var_pop var_samp variance
    """.split()  # noqa: SIM905  (a table of words)
)

NULL_WITHOUT_ROWS = (
    exp.Sum,
    exp.Min,
    exp.Max,
    exp.Avg,
    exp.ArgMax,
    exp.ArgMin,
    exp.First,
    exp.Last,
    exp.AnyValue,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
    exp.Median,
)
"""Aggregates that give NULL for no rows; COUNT gives 0, and of the others nothing is assumed."""

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def is_aggregate(node: Expr) -> bool:
    """An aggregate with all that belongs to it (FILTER, WITHIN GROUP), not one that a window computes."""
    if isinstance(node, _WRAPPERS):
        return is_aggregate(node.this) and not isinstance(node.parent, exp.Window)
    named = isinstance(node, exp.Anonymous) and node.name.lower() in _AGGREGATES
    if not (named or isinstance(node, exp.AggFunc)):
        return False
    return not isinstance(_unwrapped(node).parent, exp.Window)


def _unwrapped(node: Expr) -> Expr:
    while isinstance(node.parent, _WRAPPERS):
        node = node.parent
    return node


def counts(node: Expr) -> bool:
    inner = node.this if isinstance(node, exp.Filter) else node
    return isinstance(inner, exp.Count | exp.CountIf)
