{% macro headrace__escape_single_quotes(expression) -%}
  {{ expression | replace("\\", "\\\\") | replace("'", "\\'") }}
{%- endmacro %}


{% macro headrace__listagg(measure, delimiter_text, order_by_clause, limit_num) -%}
  {%- set separator = "chr(1)" if limit_num else delimiter_text -%}
  {%- set listed -%}
    listagg({{ measure }}, {{ separator }}){% if order_by_clause %} within group ({{ order_by_clause }}){% endif %}
  {%- endset -%}
  {%- if limit_num -%}
    array_join(slice(split({{ listed }}, chr(1)), 1, {{ limit_num }}), {{ delimiter_text }})
  {%- else -%}
    {{ listed }}
  {%- endif -%}
{%- endmacro %}
