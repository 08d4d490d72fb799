{% macro partition_clause() -%}
  {%- set partition_by = config.get('partition_by') -%}
  {%- if partition_by is string -%}
    {%- set partition_by = [partition_by] -%}
  {%- endif -%}
  {%- if partition_by -%}
    partitioned by ({{ partition_by | join(', ') }})
  {%- endif -%}
{%- endmacro %}


{% macro properties_clause(keyword='tblproperties') -%}
  {%- set properties = config.get('properties') -%}
  {%- if properties -%}
    {{ keyword }} (
    {%- for key, value in properties.items() -%}
      {{ adapter.string_literal(key) }} = {{ adapter.string_literal(value | string) }}{{ ", " if not loop.last }}
    {%- endfor -%}
    )
  {%- endif -%}
{%- endmacro %}
