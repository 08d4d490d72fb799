{% macro headrace__get_relation_last_modified(information_schema, relations) -%}
  {%- set conditions = [] -%}
  {%- for relation in relations -%}
    {%- do conditions.append(named_in_catalog(relation)) -%}
  {%- endfor -%}
  {%- call statement('last_modified', fetch_result=True) -%}
    select
      t.table_schema as `schema`,
      t.table_name as identifier,
      t.last_altered as last_modified,
      {{ current_timestamp() }} as snapshotted_at
    from {{ adapter.quote(information_schema.database) }}.information_schema.tables t
    where {{ conditions | join(' or ') }}
  {%- endcall -%}
  {{ return(load_result('last_modified')) }}
{%- endmacro %}
