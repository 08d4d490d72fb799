{% macro headrace__date(year, month, day) -%}
  make_date({{ year }}, {{ month }}, {{ day }})
{%- endmacro %}


{# How many boundaries of the unit lie between: Spark's own counts whole units. #}
{% macro headrace__datediff(first_date, second_date, datepart) -%}
  {%- set unit = datepart | lower -%}
  {%- if unit == 'year' -%}
    (year({{ second_date }}) - year({{ first_date }}))
  {%- elif unit == 'quarter' -%}
    (4 * (year({{ second_date }}) - year({{ first_date }})) + quarter({{ second_date }}) - quarter({{ first_date }}))
  {%- elif unit == 'month' -%}
    (12 * (year({{ second_date }}) - year({{ first_date }})) + month({{ second_date }}) - month({{ first_date }}))
  {%- elif unit == 'day' -%}
    date_diff(to_date({{ second_date }}), to_date({{ first_date }}))
  {%- elif unit in ('week', 'hour', 'minute', 'second', 'millisecond', 'microsecond') -%}
    timestampdiff({{ unit }}, date_trunc('{{ unit }}', {{ first_date }}), date_trunc('{{ unit }}', {{ second_date }}))
  {%- else -%}
    {%- do exceptions.raise_compiler_error("datediff does not support the unit " ~ datepart) -%}
  {%- endif -%}
{%- endmacro %}


{% macro headrace__generate_series(upper_bound) -%}
  select explode(sequence(1, {{ upper_bound }})) as generated_number
{%- endmacro %}
