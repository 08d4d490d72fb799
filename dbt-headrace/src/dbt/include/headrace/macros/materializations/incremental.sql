{# What is new is a view, <model>__dbt_tmp, which stays: one statement reads it and writes the table. #}
{% materialization incremental, adapter='headrace' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set strategy = config.get('incremental_strategy') or 'default' -%}
  {%- set write_sql = adapter.get_incremental_strategy_macro(context, strategy) -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- if existing is none or not existing.is_table or should_full_refresh() -%}
    {%- do build_table(existing, target, sql) -%}
  {%- else -%}
    {%- set new_rows = make_temp_relation(target) -%}
    {%- set in_the_way = load_cached_relation(new_rows) -%}
    {%- if in_the_way is not none and not in_the_way.is_view -%}
      {%- do adapter.drop_relation(in_the_way) -%}
    {%- endif -%}
    {%- do run_query(get_create_table_as_sql(True, new_rows, sql)) -%}
    {%- set columns = process_schema_changes(on_schema_change, new_rows, existing) or adapter.get_columns_in_relation(existing) -%}
    {%- call statement('main') -%}
      {{ write_sql({
        'target_relation': target,
        'temp_relation': new_rows,
        'unique_key': config.get('unique_key'),
        'dest_columns': columns,
        'incremental_predicates': config.get('predicates', none) or config.get('incremental_predicates', none),
      }) }}
    {%- endcall -%}
    {%- if model.batch -%}
      {%- do adapter.drop_relation(new_rows) -%}
    {%- endif -%}
  {%- endif -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke=False) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}
