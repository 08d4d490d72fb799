/** Spark's SQL and the statements of dynamic tables, for the editor. */

import { SQLDialect } from "@codemirror/lang-sql";

const KEYWORDS =
  "add after all alter always and anti any array as asc at auto_resume auto_suspend_in_second backoff between both by call " +
  "cancel cascade case cast change check clone cluster clustered collate column columns comment commit connection " +
  "constraint copy cost create cron cross cube current database default delete deploy desc describe distinct distribute " +
  "drop dynamic else end escape except exchange execute exists explain extended false fetch filter first following for " +
  "force foreign format formatted from full function generated global grant group grouping having history identifier if " +
  "ignore in incremental inner insert intersect interval into is job jobs join last lateral left like ilike limit local " +
  "location map mapping matched max_concurrency merge minus mode namespace natural not null nulls of off offline offset on " +
  "only optimize option or order outer over overwrite parameters partition partitioned pause percent pipe pivot " +
  "positional preceding primary profile properties python qualify range recursive reduce references refresh refresh_mode " +
  "rename repair replace reset restore restrict resume retries revoke right rlike rollback rollup row rows schedule schema " +
  "select semi session set sets show size some sort sql start stored stream streams struct suspend table tables tablesample " +
  "task tasks tblproperties temp temporary then time timeout to trailing transform truncate trim true type unbounded unbound " +
  "uncache undrop union unique unpivot unset update use user using vacuum values vcluster vcluster_size vcluster_type " +
  "vclusters verify version view views when where window with within zone";

const TYPES =
  "bigint binary boolean byte char date decimal double float int integer interval long map numeric real short smallint " +
  "string struct timestamp timestamp_ltz timestamp_ntz tinyint varchar variant void";

const FUNCTIONS =
  "abs acos add_months aggregate any_value approx_count_distinct approx_percentile array array_agg array_contains " +
  "array_distinct array_except array_intersect array_join array_max array_min array_position array_remove array_sort " +
  "array_union arrays_zip ascii avg base64 bool_and bool_or cast ceil char_length coalesce collect_list collect_set concat " +
  "concat_ws contains corr count count_if covar_pop crc32 cume_dist current_date current_timestamp current_user date_add " +
  "date_diff date_format date_from_unix_date date_part date_sub date_trunc day dayofmonth dayofweek dayofyear decode " +
  "dense_rank element_at encode endswith exp explode explode_outer extract filter first first_value flatten floor forall " +
  "format_number format_string from_json from_unixtime from_utc_timestamp get get_json_object greatest grouping_id hash hex " +
  "hour if ifnull initcap instr isnan isnotnull isnull json_tuple kurtosis lag last last_day last_value lead least left " +
  "length levenshtein ln locate log log10 log2 lower lpad ltrim make_date make_timestamp map map_concat map_entries " +
  "map_from_arrays map_keys map_values max max_by md5 mean median min min_by minute mod month months_between named_struct " +
  "next_day now nth_value ntile nullif nvl nvl2 octet_length overlay parse_url percent_rank percentile percentile_approx " +
  "pmod posexplode position pow power quarter rand rank regexp_count regexp_extract regexp_like regexp_replace repeat " +
  "reverse right round row_number rpad rtrim second sequence sha1 sha2 shuffle sign size slice sort_array split " +
  "split_part sqrt stack startswith stddev str_to_map struct substr substring substring_index sum to_date to_json " +
  "to_timestamp to_utc_timestamp transform translate trim trunc try_add try_cast try_divide typeof unbase64 unhex " +
  "unix_timestamp upper uuid var_pop variance weekofyear width_bucket xxhash64 year zip_with";

export const headraceSql = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  builtin: FUNCTIONS,
  backslashEscapes: true,
  doubleQuotedStrings: true,
  identifierQuotes: "`",
  hashComments: false,
  slashComments: false,
  spaceAfterDashes: false,
  doubleDollarQuotedStrings: true,
  operatorChars: "*+-%<>!=&|~^/?:",
});
