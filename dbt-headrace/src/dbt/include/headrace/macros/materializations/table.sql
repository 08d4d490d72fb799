{% materialization table, adapter='headrace' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='table') -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- do build_table(existing, target, sql) -%}

  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do apply_grants(target, config.get('grants'), should_revoke=False) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}


{# CREATE OR REPLACE ... AS is one commit; a contract takes two statements, and so is built beside. #}
{% macro build_table(existing, target, sql) -%}
  {%- set is_replaceable = (existing is none or existing.is_table) and not config.get('contract').enforced -%}
  {%- set place = place_for(target, existing, is_replaceable) -%}
  {%- call statement('main') -%}
    {{ get_create_table_as_sql(False, place, sql) }}
  {%- endcall -%}
  {%- do take_place(place, target, existing) -%}
{%- endmacro %}
