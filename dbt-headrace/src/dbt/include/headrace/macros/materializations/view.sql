{% materialization view, adapter='headrace' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='view') -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- set place = place_for(target, existing, existing is none or existing.is_view) -%}
  {%- call statement('main') -%}
    {{ get_create_view_as_sql(place, sql) }}
  {%- endcall -%}
  {%- do take_place(place, target, existing) -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke=False) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}
