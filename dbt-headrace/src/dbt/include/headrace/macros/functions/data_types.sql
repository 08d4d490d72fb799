{% macro headrace__type_numeric() -%}
  decimal(28, 6)
{%- endmacro %}


{# As seeds have it. Spark's float has 7 digits. #}
{% macro headrace__type_float() -%}
  double
{%- endmacro %}
