{% macro headrace__get_incremental_append_sql(arg_dict) -%}
  {%- set columns = get_quoted_csv(arg_dict['dest_columns'] | map(attribute='name')) -%}
  insert into {{ arg_dict['target_relation'].render() }} ({{ columns }})
  select {{ columns }} from {{ arg_dict['temp_relation'].render() }}
{%- endmacro %}
