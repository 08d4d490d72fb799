{% macro headrace__post_snapshot(staging_relation) -%}
  {%- do adapter.drop_relation(staging_relation) -%}
{%- endmacro %}


{% macro headrace__create_columns(relation, columns) -%}
  {%- do alter_relation_add_remove_columns(relation, columns, none) -%}
{%- endmacro %}


{% macro headrace__snapshot_hash_arguments(args) -%}
  md5(
    {%- for arg in args -%}
      coalesce(cast({{ arg }} as string), ''){{ " || '|' || " if not loop.last }}
    {%- endfor -%}
  )
{%- endmacro %}


{% macro headrace__snapshot_string_as_time(timestamp) -%}
  {{ return("timestamp '" ~ timestamp ~ "'") }}
{%- endmacro %}
