{% macro headrace__create_view_as(relation, sql) -%}
  {%- set sql_header = config.get('sql_header', none) -%}
  {%- set contract = config.get('contract') -%}
  {%- if contract and contract.enforced -%}
    {{ get_assert_columns_equivalent(sql) }}
  {%- endif %}
  {{ sql_header if sql_header is not none }}
  create or replace view {{ relation.render() }}
  {{ documented_columns(relation, sql) }}
  {{ relation_comment() }}
  as
  {{ sql }}
{%- endmacro %}
