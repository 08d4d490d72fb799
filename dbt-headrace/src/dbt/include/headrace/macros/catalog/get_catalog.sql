{% macro headrace__get_catalog(information_schema, schemas) -%}
  {%- set conditions = [] -%}
  {%- for schema in schemas -%}
    {%- do conditions.append("t.table_schema = " ~ adapter.string_literal(schema)) -%}
  {%- endfor -%}
  {{ return(run_query(catalog_query(information_schema.database, conditions))) }}
{%- endmacro %}


{% macro headrace__get_catalog_relations(information_schema, relations) -%}
  {%- set conditions = [] -%}
  {%- for relation in relations -%}
    {%- do conditions.append(named_in_catalog(relation)) -%}
  {%- endfor -%}
  {{ return(run_query(catalog_query(information_schema.database, conditions))) }}
{%- endmacro %}


{% macro named_in_catalog(relation) -%}
  {%- set schema = adapter.string_literal(relation.schema) -%}
  {%- if not relation.identifier -%}
    (t.table_schema = {{ schema }})
  {%- else -%}
    (t.table_schema = {{ schema }} and t.table_name = {{ adapter.string_literal(relation.identifier) }})
  {%- endif -%}
{%- endmacro %}


{% macro catalog_query(workspace, conditions) -%}
  select
    t.table_catalog as table_database,
    t.table_schema,
    t.table_name,
    t.table_type,
    t.comment as table_comment,
    t.creator as table_owner,
    c.column_name,
    c.ordinal_position as column_index,
    c.data_type as column_type,
    c.comment as column_comment,
    'Rows' as `stats:row_count:label`,
    t.row_count as `stats:row_count:value`,
    'How many rows the table has' as `stats:row_count:description`,
    t.row_count is not null as `stats:row_count:include`,
    'Bytes' as `stats:bytes:label`,
    t.bytes as `stats:bytes:value`,
    'How large the files of the present version are' as `stats:bytes:description`,
    t.bytes is not null as `stats:bytes:include`,
    'Last changed' as `stats:last_modified:label`,
    cast(t.last_altered as string) as `stats:last_modified:value`,
    'When rows last came, changed or went' as `stats:last_modified:description`,
    t.last_altered is not null as `stats:last_modified:include`
  from {{ adapter.quote(workspace) }}.information_schema.tables t
  join {{ adapter.quote(workspace) }}.information_schema.columns c
    on t.table_schema = c.table_schema and t.table_name = c.table_name
  where {{ conditions | join(' or ') if conditions else 'false' }}
  order by t.table_schema, t.table_name, c.ordinal_position
{%- endmacro %}
