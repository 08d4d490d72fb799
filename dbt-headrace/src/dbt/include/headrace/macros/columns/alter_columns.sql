{% macro headrace__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
  {%- if add_columns -%}
    {%- set added = [] -%}
    {%- for column in add_columns -%}
      {%- do added.append(column.quoted ~ " " ~ column.expanded_data_type) -%}
    {%- endfor -%}
    {%- do run_query("alter table " ~ relation.render() ~ " add columns (" ~ added | join(", ") ~ ")") -%}
  {%- endif -%}
  {%- if remove_columns -%}
    {%- set removed = remove_columns | map(attribute='quoted') | join(", ") -%}
    {%- do run_query("alter table " ~ relation.render() ~ " drop columns (" ~ removed ~ ")") -%}
  {%- endif -%}
{%- endmacro %}


{# In place where Iceberg can; else through a column that takes the place of the old one. #}
{% macro headrace__alter_column_type(relation, column_name, new_column_type) -%}
  {%- set new_type = api.Column.translate_type(new_column_type) -%}
  {%- set found = [] -%}
  {%- for each in adapter.get_columns_in_relation(relation) if each.name | lower == column_name | lower -%}
    {%- do found.append(each) -%}
  {%- endfor -%}
  {%- if not execute -%}
    {{ return(none) }}
  {%- elif not found -%}
    {%- do exceptions.raise_compiler_error(relation.render() ~ " has no column " ~ column_name) -%}
  {%- elif found[0].dtype != new_type -%}
    {%- do run_query(change_column_type(relation, found[0], new_type)) -%}
  {%- endif -%}
{%- endmacro %}


{% macro change_column_type(relation, column, new_type) -%}
  {%- set table = relation.render() -%}
  {%- if column.widens_to(new_type) -%}
    alter table {{ table }} alter column {{ column.quoted }} type {{ new_type }}
  {%- else -%}
    {%- set other = adapter.quote(column.name ~ '__dbt_alter') -%}
    alter table {{ table }} add column {{ other }} {{ new_type }} after {{ column.quoted }};
    update {{ table }} set {{ other }} = cast({{ column.quoted }} as {{ new_type }});
    alter table {{ table }} drop column {{ column.quoted }};
    alter table {{ table }} rename column {{ other }} to {{ column.quoted }}
  {%- endif -%}
{%- endmacro %}
