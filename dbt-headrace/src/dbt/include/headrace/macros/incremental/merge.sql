{% macro headrace__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates=none) -%}
  {%- set conditions = [] + (incremental_predicates or []) -%}
  {%- for key in keys_of(unique_key) -%}
    {%- do conditions.append(get_merge_unique_key_match("DBT_INTERNAL_SOURCE." ~ key, "DBT_INTERNAL_DEST." ~ key)) -%}
  {%- endfor -%}
  {%- set condition = "(" ~ conditions | join(") and (") ~ ")" if unique_key else "FALSE" -%}
  {%- set names = dest_columns | map(attribute='quoted') | list -%}
  {%- set updated = get_merge_update_columns(config.get('merge_update_columns'), config.get('merge_exclude_columns'), dest_columns) -%}
  {%- set sql_header = config.get('sql_header', none) -%}
  {{ sql_header if sql_header is not none }}
  merge into {{ target.render() }} as DBT_INTERNAL_DEST
  using {{ source.render() }} as DBT_INTERNAL_SOURCE
  on {{ condition }}
  {% if unique_key -%}
  when matched then update set
    {% for name in updated -%}
      {{ name }} = DBT_INTERNAL_SOURCE.{{ name }}{{ ", " if not loop.last }}
    {%- endfor %}
  {% endif -%}
  when not matched then insert
  ({{ names | join(', ') }})
  values (
    {%- for name in names -%}
      DBT_INTERNAL_SOURCE.{{ name }}{{ ", " if not loop.last }}
    {%- endfor -%}
  )
{%- endmacro %}


{% macro keys_of(unique_key) -%}
  {{ return([unique_key] if unique_key is string else (unique_key or [])) }}
{%- endmacro %}
