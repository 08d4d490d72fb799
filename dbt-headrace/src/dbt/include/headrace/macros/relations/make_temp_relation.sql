{% macro headrace__make_temp_relation(base_relation, suffix) -%}
  {{ return(base_relation.incorporate(path={"identifier": base_relation.identifier ~ suffix}, type='view')) }}
{%- endmacro %}
