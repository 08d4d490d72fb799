{# One MERGE, so that it is one commit and reads what is new once. The caller gives its rows: each new one as
   the struct __dbt_row, and others, with none, for what is to go: the rows that the condition matches them with. #}
{% macro merge_old_and_new(target, condition, columns) -%}
  {%- set names = columns | map(attribute='quoted') | list -%}
  merge into {{ target.render() }} as DBT_INTERNAL_DEST
  using ({{ caller() }}) as DBT_INTERNAL_SOURCE
  on {{ condition }}
  when matched then delete
  when not matched and DBT_INTERNAL_SOURCE.__dbt_row is not null then insert
  ({{ names | join(', ') }})
  values (
    {%- for name in names -%}
      DBT_INTERNAL_SOURCE.__dbt_row.{{ name }}{{ ", " if not loop.last }}
    {%- endfor -%}
  )
{%- endmacro %}
