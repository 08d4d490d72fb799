{# One MERGE, so that it is one commit and reads what is new once: a row for each key to delete, and each new row. #}
{% macro headrace__get_delete_insert_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) -%}
  {%- set names = dest_columns | map(attribute='quoted') | list -%}
  {%- set keys = keys_of(unique_key) -%}
  {%- set conditions = [] + (incremental_predicates or []) -%}
  {%- for key in keys -%}
    {%- do conditions.append("DBT_INTERNAL_DEST." ~ key ~ " = DBT_INTERNAL_SOURCE.__dbt_key_" ~ loop.index) -%}
  {%- endfor -%}
  {%- if not keys -%}
    {{ return(get_insert_into_sql(target, source, dest_columns)) }}
  {%- endif -%}
  merge into {{ target.render() }} as DBT_INTERNAL_DEST
  using (
    select distinct {% for key in keys %}{{ key }} as __dbt_key_{{ loop.index }}, {% endfor -%}
      cast(null as struct<{% for column in dest_columns %}{{ column.quoted }}: {{ column.data_type }}{{ ", " if not loop.last }}{% endfor %}>) as __dbt_row
    from {{ source.render() }}
    union all
    select {% for key in keys %}null, {% endfor %}struct({{ names | join(', ') }})
    from {{ source.render() }}
  ) as DBT_INTERNAL_SOURCE
  on DBT_INTERNAL_SOURCE.__dbt_row is null and {{ "(" ~ conditions | join(") and (") ~ ")" }}
  when matched then delete
  when not matched and DBT_INTERNAL_SOURCE.__dbt_row is not null then insert
  ({{ names | join(', ') }})
  values (
    {%- for name in names -%}
      DBT_INTERNAL_SOURCE.__dbt_row.{{ name }}{{ ", " if not loop.last }}
    {%- endfor -%}
  )
{%- endmacro %}
