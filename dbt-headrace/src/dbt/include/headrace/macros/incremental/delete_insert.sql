{# A row for each key whose rows go, and each new row. #}
{% macro headrace__get_delete_insert_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) -%}
  {%- set keys = keys_of(unique_key) -%}
  {%- if not keys -%}
    {{ return(get_insert_into_sql(target, source, dest_columns)) }}
  {%- endif -%}
  {%- set conditions = ["DBT_INTERNAL_SOURCE.__dbt_row is null"] + (incremental_predicates or []) -%}
  {%- for key in keys -%}
    {%- do conditions.append("DBT_INTERNAL_DEST." ~ key ~ " = DBT_INTERNAL_SOURCE.__dbt_key_" ~ loop.index) -%}
  {%- endfor -%}
  {%- call merge_old_and_new(target, "(" ~ conditions | join(") and (") ~ ")", dest_columns) %}
    select distinct {% for key in keys %}{{ key }} as __dbt_key_{{ loop.index }}, {% endfor -%}
      cast(null as struct<{% for column in dest_columns %}{{ column.quoted }}: {{ column.data_type }}{{ ", " if not loop.last }}{% endfor %}>) as __dbt_row
    from {{ source.render() }}
    union all
    select {% for key in keys %}null, {% endfor %}struct({{ dest_columns | map(attribute='quoted') | join(', ') }})
    from {{ source.render() }}
  {%- endcall -%}
{%- endmacro %}
