{# The rows of the batch's span of time are replaced. #}
{% macro headrace__get_incremental_microbatch_sql(arg_dict) -%}
  {%- set columns = arg_dict['dest_columns'] -%}
  {%- set event_time = "DBT_INTERNAL_DEST." ~ config.get('event_time') -%}
  {%- set start = config.get('__dbt_internal_microbatch_event_time_start') -%}
  {%- set end = config.get('__dbt_internal_microbatch_event_time_end') -%}
  {%- set span = [] + (arg_dict['incremental_predicates'] or []) -%}
  {%- if start -%}
    {%- do span.append(event_time ~ " >= timestamp '" ~ start ~ "'") -%}
  {%- endif -%}
  {%- if end -%}
    {%- do span.append(event_time ~ " < timestamp '" ~ end ~ "'") -%}
  {%- endif -%}
  {%- set condition = "(" ~ span | join(' and ') ~ ") = DBT_INTERNAL_SOURCE.__dbt_old" -%}
  {%- call merge_old_and_new(arg_dict['target_relation'], condition, columns) %}
    select true as __dbt_old, null as __dbt_row
    union all
    select null, struct({{ columns | map(attribute='quoted') | join(', ') }}) from {{ arg_dict['temp_relation'].render() }}
  {%- endcall -%}
{%- endmacro %}
