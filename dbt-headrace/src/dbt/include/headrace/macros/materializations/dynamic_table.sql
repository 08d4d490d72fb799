{% materialization dynamic_table, adapter='headrace' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type=this.DynamicTable) -%}
  {%- set is_there = existing is not none and existing.is_dynamic_table -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- if is_there and not (should_full_refresh() and full_refresh_recreates()) -%}
    {%- do change_dynamic_table(existing, get_create_dynamic_table_as_sql(target, sql)) -%}
  {%- else -%}
    {%- set place = place_for(target, existing, existing is none) -%}
    {%- call statement('main') -%}
      {{ get_create_dynamic_table_as_sql(place, sql) }}
    {%- endcall -%}
    {%- do refresh_as_result(place) -%}
    {%- do take_place(place, target, existing) -%}
  {%- endif -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke=False) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}


{% macro full_refresh_recreates() -%}
  {%- set strategy = config.get('full_refresh_strategy', 'recreate') | lower -%}
  {%- if strategy not in ('recreate', 'refresh') -%}
    {%- do exceptions.raise_compiler_error("full_refresh_strategy must be 'recreate' (drop and create) or 'refresh' (keep the table, recompute its rows), not '" ~ strategy ~ "'") -%}
  {%- endif -%}
  {{ return(strategy == 'recreate') }}
{%- endmacro %}


{# Brings a table that is there in line with its model; where nothing has changed, nothing is done. #}
{% macro change_dynamic_table(relation, create_sql) -%}
  {%- set changes = adapter.dynamic_table_changes(relation, create_sql) -%}
  {%- set is_changed = changes and may_change(relation, changes) -%}
  {%- if is_changed -%}
    {%- call statement('main') -%}
      {{ create_sql }}
    {%- endcall -%}
  {%- endif -%}
  {%- set due = adapter.refresh_due(relation) -%}
  {%- if should_full_refresh() or due == 'full' -%}
    {%- do refresh_as_result(relation, full=True) -%}
  {%- elif due == 'first' -%}
    {%- do refresh_as_result(relation) -%}
  {%- elif not is_changed -%}
    {%- do store_raw_result(name='main', message='nothing to do', code='skip', rows_affected='-1') -%}
  {%- endif -%}
{%- endmacro %}


{% macro refresh_as_result(relation, full=False) -%}
  {%- set row = run_query(get_refresh_dynamic_table_sql(relation, full)).rows[0] -%}
  {%- do store_raw_result(name='main', message='REFRESH ' ~ row['refresh_mode'], code='REFRESH', rows_affected='-1') -%}
{%- endmacro %}


{% macro may_change(relation, changes) -%}
  {%- set words = [] -%}
  {%- for clause, change in changes.items() -%}
    {%- do words.append(clause ~ " (" ~ change ~ ")") -%}
  {%- endfor -%}
  {%- set said = relation.render() ~ " differs from its model: " ~ words | join(', ') -%}
  {%- set choice = config.get('on_configuration_change') -%}
  {%- if choice == 'fail' -%}
    {%- do exceptions.raise_fail_fast_error(said ~ "; on_configuration_change is fail") -%}
  {%- elif choice == 'continue' -%}
    {%- do exceptions.warn(said ~ "; on_configuration_change is continue, so it is not changed") -%}
  {%- else -%}
    {%- do log(said) -%}
  {%- endif -%}
  {{ return(choice != 'continue') }}
{%- endmacro %}
