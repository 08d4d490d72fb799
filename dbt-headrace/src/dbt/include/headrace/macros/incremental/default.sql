{# With a unique_key rows are replaced, without one they are added. #}
{% macro headrace__get_incremental_default_sql(arg_dict) -%}
  {{ return(get_incremental_merge_sql(arg_dict)) }}
{%- endmacro %}
