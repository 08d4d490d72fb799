{# Neither Spark nor Iceberg has grants on tables: who may use a lake may use all of it. #}
{% macro headrace__apply_grants(relation, grant_config, should_revoke=True) -%}
  {%- if grant_config -%}
    {%- do exceptions.warn("grants are ignored on " ~ relation.render() ~ ": Headrace does not support grants on tables; access to a server requires a token") -%}
  {%- endif -%}
{%- endmacro %}
