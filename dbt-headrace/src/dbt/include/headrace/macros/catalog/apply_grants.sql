{# Neither Spark nor Iceberg has grants on tables: who may use a lake may use all of it. #}
{% macro headrace__apply_grants(relation, grant_config, should_revoke=True) -%}
  {%- if grant_config -%}
    {%- do exceptions.warn("grants are ignored on " ~ relation.render() ~ ": Headrace has none on tables; tokens say who may use a server") -%}
  {%- endif -%}
{%- endmacro %}
