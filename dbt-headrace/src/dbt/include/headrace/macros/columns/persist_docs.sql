{# Views and dynamic tables have theirs from the statement that creates them. #}
{% macro headrace__persist_docs(relation, model, for_relation, for_columns) -%}
  {%- if relation.is_table -%}
    {%- if for_relation and config.persist_relation_docs() and model.description -%}
      {%- do run_query(alter_relation_comment(relation, model.description)) -%}
    {%- endif -%}
    {%- if for_columns and config.persist_column_docs() and model.columns -%}
      {%- set existing = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
      {%- set described = validate_doc_columns(relation, model.columns, existing) -%}
      {%- set sql = alter_column_comment(relation, described) | trim -%}
      {%- if sql -%}
        {%- do run_query(sql) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}


{% macro headrace__alter_relation_comment(relation, relation_comment) -%}
  comment on table {{ relation.render() }} is {{ adapter.string_literal(relation_comment) }}
{%- endmacro %}


{% macro headrace__alter_column_comment(relation, column_dict) -%}
  {%- for name, column in column_dict.items() if column.get('description') -%}
    alter table {{ relation.render() }} alter column {{ adapter.quote(name) }} comment {{ adapter.string_literal(column['description']) }};
  {% endfor -%}
{%- endmacro %}


{# (column comment 'text', ...) of all columns of a query, where docs are persisted. #}
{% macro documented_columns(relation, sql) -%}
  {%- if config.persist_column_docs() and model.columns -%}
    {%- set names = get_columns_in_query(sql) -%}
    {%- set described = validate_doc_columns(relation, model.columns, names) -%}
    {%- set comments = {} -%}
    {%- for name, column in described.items() if column.get('description') -%}
      {%- do comments.update({name | lower: column['description']}) -%}
    {%- endfor -%}
    {%- if comments -%}
      ({% for name in names -%}
        {{ adapter.quote(name) }}{% if name | lower in comments %} comment {{ adapter.string_literal(comments[name | lower]) }}{% endif %}{{ ", " if not loop.last }}
      {%- endfor %})
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}


{% macro relation_comment() -%}
  {%- if config.persist_relation_docs() and model.description -%}
    comment {{ adapter.string_literal(model.description) }}
  {%- endif -%}
{%- endmacro %}
