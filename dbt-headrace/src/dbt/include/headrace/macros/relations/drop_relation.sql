{% macro headrace__get_drop_sql(relation) -%}
  drop {{ relation.words }} if exists {{ relation.render() }}
{%- endmacro %}
