{% macro headrace__current_timestamp() -%}
  current_timestamp()
{%- endmacro %}


{% macro headrace__current_timestamp_backcompat() -%}
  current_timestamp()
{%- endmacro %}
