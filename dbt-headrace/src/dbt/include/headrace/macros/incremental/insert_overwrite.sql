{# Replaces the partitions that the new rows are in; all of a table without partitions. #}
{% macro headrace__get_incremental_insert_overwrite_sql(arg_dict) -%}
  {%- set columns = get_quoted_csv(arg_dict['dest_columns'] | map(attribute='name')) -%}
  set spark.sql.sources.partitionOverwriteMode = dynamic;
  insert overwrite {{ arg_dict['target_relation'].render() }} ({{ columns }})
  select {{ columns }} from {{ arg_dict['temp_relation'].render() }}
{%- endmacro %}
