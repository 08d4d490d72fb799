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
  {%- set table = relation.render() -%}
  {%- set column = adapter.quote(column_name) -%}
  {%- set present = adapter.get_columns_in_relation(relation) | selectattr('name', 'equalto', column_name) | first -%}
  {% call statement('alter_column_type') %}
    {%- if present.widens_to(new_column_type) -%}
      alter table {{ table }} alter column {{ column }} type {{ new_column_type }}
    {%- else -%}
      {%- set other = adapter.quote(column_name ~ '__dbt_alter') -%}
      alter table {{ table }} add column {{ other }} {{ new_column_type }} after {{ column }};
      update {{ table }} set {{ other }} = cast({{ column }} as {{ new_column_type }});
      alter table {{ table }} drop column {{ column }};
      alter table {{ table }} rename column {{ other }} to {{ column }}
    {%- endif -%}
  {% endcall %}
{%- endmacro %}
