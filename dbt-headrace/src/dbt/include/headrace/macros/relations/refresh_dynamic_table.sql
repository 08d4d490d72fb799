{% macro get_refresh_dynamic_table_sql(relation, full=False) -%}
  refresh dynamic table {{ relation.render() }}{{ " full" if full }}
{%- endmacro %}


{# dbt run-operation refresh_dynamic_table --args '{model: product_grossing, full: false}' #}
{% macro refresh_dynamic_table(model, full=False) -%}
  {%- if execute -%}
    {%- set nodes = graph.nodes.values() | selectattr('name', 'equalto', model) | selectattr('config.materialized', 'equalto', 'dynamic_table') | list -%}
    {%- if not nodes -%}
      {%- do exceptions.raise_compiler_error("dynamic_table model " ~ model ~ " does not exist") -%}
    {%- endif -%}
    {%- for node in nodes -%}
      {%- set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) -%}
      {%- set row = run_query(get_refresh_dynamic_table_sql(relation, full)).rows[0] -%}
      {%- do log(relation.render() ~ ": " ~ row['refresh_mode'] ~ ", " ~ (row['stats'] or row['refresh_mode_reason']), info=True) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro %}
