{# Where to build what shall have the name of target: there, or beside it where one statement cannot replace it. #}
{% macro place_for(target, existing, is_replaceable) -%}
  {%- if existing is not none and existing.is_stream -%}
    {%- do exceptions.raise_compiler_error(existing.render() ~ " is a table stream: use another name or alias for the model") -%}
  {%- endif -%}
  {%- if is_replaceable -%}
    {{ return(target) }}
  {%- endif -%}
  {%- set beside = make_intermediate_relation(target) -%}
  {%- do drop_relation_if_exists(load_cached_relation(beside)) -%}
  {{ return(beside) }}
{%- endmacro %}


{# What was built beside gets the name, and what had it goes. #}
{% macro take_place(place, target, existing) -%}
  {%- if place != target -%}
    {%- do adapter.cache_added(place) -%}
    {%- do drop_relation_if_exists(existing) -%}
    {%- do adapter.rename_relation(place, target) -%}
  {%- endif -%}
{%- endmacro %}
