{% macro get_create_dynamic_table_as_sql(relation, sql) -%}
  {%- set contract = config.get('contract') -%}
  {%- if contract and contract.enforced -%}
    {{ get_assert_columns_equivalent(sql) }}
  {%- endif -%}
  {%- set clauses = [
    documented_columns(relation, sql),
    partition_clause(),
    relation_comment(),
    properties_clause('properties'),
    refresh_clause(),
  ] -%}
create or replace dynamic table {{ relation.render() }}
{% for clause in clauses if clause | trim -%}
{{ clause | trim }}
{% endfor -%}
as
{{ sql }}
{%- endmacro %}


{% macro refresh_clause() -%}
  {%- set interval = config.get('refresh_interval') -%}
  {%- set vcluster = config.get('refresh_vc') -%}
  {%- set mode = config.get('refresh_mode') -%}
  {%- set clauses = [
    'refresh interval ' ~ interval | lower if interval,
    'vcluster ' ~ vcluster if vcluster,
    'refresh_mode = ' ~ mode | lower if mode,
  ] -%}
  {{ return(clauses | select | join('\n')) }}
{%- endmacro %}
