{# The rows of the batch's span of time are replaced, in one commit. #}
{% macro headrace__get_incremental_microbatch_sql(arg_dict) -%}
  {%- set names = arg_dict['dest_columns'] | map(attribute='quoted') | list -%}
  {%- set column = config.get('event_time') -%}
  {%- set start = config.get('__dbt_internal_microbatch_event_time_start') -%}
  {%- set end = config.get('__dbt_internal_microbatch_event_time_end') -%}
  {%- set span = [] + (arg_dict['incremental_predicates'] or []) -%}
  {%- if start -%}
    {%- do span.append("DBT_INTERNAL_DEST." ~ column ~ " >= timestamp '" ~ start ~ "'") -%}
  {%- endif -%}
  {%- if end -%}
    {%- do span.append("DBT_INTERNAL_DEST." ~ column ~ " < timestamp '" ~ end ~ "'") -%}
  {%- endif -%}
  merge into {{ arg_dict['target_relation'].render() }} as DBT_INTERNAL_DEST
  using (
    select true as __dbt_old, null as __dbt_row
    union all
    select null, struct({{ names | join(', ') }}) from {{ arg_dict['temp_relation'].render() }}
  ) as DBT_INTERNAL_SOURCE
  on ({{ span | join(' and ') }}) = DBT_INTERNAL_SOURCE.__dbt_old
  when matched then delete
  when not matched and DBT_INTERNAL_SOURCE.__dbt_row is not null then insert
  ({{ names | join(', ') }})
  values (
    {%- for name in names -%}
      DBT_INTERNAL_SOURCE.__dbt_row.{{ name }}{{ ", " if not loop.last }}
    {%- endfor -%}
  )
{%- endmacro %}
