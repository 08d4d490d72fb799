{# A temporary relation is a view: what it reads, a table stream too, is read once, by the statement that writes. #}
{% macro headrace__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- set sql_header = config.get('sql_header', none) -%}
  {%- set contract = config.get('contract') -%}
  {%- if temporary -%}
    {{ sql_header if sql_header is not none }}
    create or replace view {{ relation.render() }} as
    {{ compiled_code }}
  {%- elif contract and contract.enforced -%}
    {{ get_assert_columns_equivalent(compiled_code) }}
    {{ sql_header if sql_header is not none }}
    create or replace table {{ relation.render() }}
    {{ get_table_columns_and_constraints() }}
    {{ table_clauses() }};
    insert into {{ relation.render() }} ({{ contracted_columns() }})
    {{ get_select_subquery(compiled_code) }}
  {%- else -%}
    {{ sql_header if sql_header is not none }}
    create or replace table {{ relation.render() }}
    {{ table_clauses() }}
    as
    {{ compiled_code }}
  {%- endif -%}
{%- endmacro %}


{% macro table_clauses() -%}
  {{ partition_clause() }}
  {{ relation_comment() }}
  {{ properties_clause() }}
{%- endmacro %}


{% macro contracted_columns() -%}
  {%- for name in model['columns'] -%}
    {{ adapter.quote(name) }}{{ ", " if not loop.last }}
  {%- endfor -%}
{%- endmacro %}


{% macro headrace__get_select_subquery(sql) -%}
    select {{ contracted_columns() }}
    from (
        {{ sql }}
    ) as model_subq
{%- endmacro %}
