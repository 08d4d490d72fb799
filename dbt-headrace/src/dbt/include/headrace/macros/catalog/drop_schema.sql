{# Streams first: they read tables. Iceberg has no CASCADE. #}
{% macro headrace__drop_schema(relation) -%}
  {%- set held = adapter.list_relations_without_caching(relation) -%}
  {%- for each in held if each.is_stream -%}
    {%- do adapter.drop_relation(each) -%}
  {%- endfor -%}
  {%- for each in held if not each.is_stream -%}
    {%- do adapter.drop_relation(each) -%}
  {%- endfor -%}
  {%- call statement('drop_schema') -%}
    drop schema if exists {{ relation.without_identifier().render() }}
  {%- endcall -%}
{% endmacro %}
