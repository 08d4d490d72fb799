{% macro headrace__type_numeric() -%}
  decimal(28, 6)
{%- endmacro %}
