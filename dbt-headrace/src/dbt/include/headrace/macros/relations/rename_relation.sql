{% macro headrace__rename_relation(from_relation, to_relation) -%}
  {%- call statement('rename_relation') -%}
    alter {{ from_relation.words }} {{ from_relation.render() }}
    rename to {{ to_relation.include(database=False).render() }}
  {%- endcall -%}
{%- endmacro %}
