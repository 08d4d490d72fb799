{% macro headrace__create_csv_table(model, agate_table) -%}
  {%- set sql -%}
    create or replace table {{ this.render() }} (
      {%- for name, type in seed_columns(model, agate_table) -%}
        {{ adapter.quote_seed_column(name, model['config'].get('quote_columns')) }} {{ type }}{{ ", " if not loop.last }}
      {%- endfor -%}
    )
    {{ table_clauses() }}
  {%- endset -%}
  {%- call statement('_') -%}{{ sql }}{%- endcall -%}
  {{ return(sql) }}
{%- endmacro %}


{# Rows travel as JSON in one parameter, and are cast to the types of the table. #}
{% macro headrace__load_csv_rows(model, agate_table) -%}
  {%- set columns = seed_columns(model, agate_table) -%}
  {%- set sql -%}
    insert into {{ this.render() }} ({{ get_seed_column_quoted_csv(model, agate_table.column_names) }})
    select {% for name, type in columns %}cast(r.c{{ loop.index0 }} as {{ type }}){{ ", " if not loop.last }}{% endfor %}
    from (
      select explode(from_json(?, 'array<struct<
      {%- for name, type in columns %}c{{ loop.index0 }}: string{{ ", " if not loop.last }}{% endfor -%}
      >>')) as r
    ) as rows
  {%- endset -%}
  {%- for rows in agate_table.rows | batch(get_batch_size()) -%}
    {%- do adapter.add_query(sql, bindings=[adapter.seed_rows(rows)], abridge_sql_log=True) -%}
  {%- endfor -%}
  {{ return(sql) }}
{%- endmacro %}


{# Pairs of name and type. #}
{% macro seed_columns(model, agate_table) -%}
  {%- set given = model['config'].get('column_types', {}) -%}
  {%- set columns = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- set type = given.get(name, adapter.convert_type(agate_table, loop.index0)) -%}
    {%- do columns.append((name, api.Column.translate_type(type))) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro %}
