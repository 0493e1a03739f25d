const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * What a reporting query may call: nothing that reads settings, files or the catalog, that waits, writes or locks, or
 * that makes much from little (repeat, format, power). Regular expressions have rules of their own.
 */
export const allowedFunctions = words(`
  count sum avg min max bool_and bool_or every string_agg array_agg stddev stddev_pop stddev_samp variance var_pop
  var_samp percentile_cont percentile_disc mode json_agg jsonb_agg json_object_agg jsonb_object_agg
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  lower upper initcap length char_length character_length octet_length substring substr left right reverse trim btrim
  ltrim rtrim replace translate split_part strpos position overlay concat concat_ws starts_with ascii md5 lpad rpad
  like_escape regexp_match regexp_matches regexp_replace regexp_count regexp_like regexp_substr
  abs ceil ceiling floor round trunc sign mod div sqrt width_bucket
  now date_trunc date_part extract age to_char to_date to_timestamp to_number make_date make_interval timezone date_bin
  justify_days justify_hours justify_interval isfinite
  array_length array_position array_remove array_to_string array_upper array_lower cardinality string_to_array
  num_nulls num_nonnulls
  to_json to_jsonb row_to_json json_build_object json_build_array jsonb_build_object jsonb_build_array
  json_typeof jsonb_typeof json_array_length jsonb_array_length json_extract_path json_extract_path_text
  jsonb_extract_path jsonb_extract_path_text json_strip_nulls jsonb_strip_nulls array_to_json
`)

/** Those that answer with several rows, of which a query may use a few. */
export const rowFunctions = words(`
  unnest generate_series regexp_split_to_table string_to_table json_array_elements json_array_elements_text
  jsonb_array_elements jsonb_array_elements_text json_each json_each_text jsonb_each jsonb_each_text
  json_object_keys jsonb_object_keys regexp_matches
`)

/** What PostgreSQL calls the results of the functions above where the query does not name them. */
export const rowFunctionColumns = words('key value ordinality')

export const regexFunctions = words(`
  regexp_match regexp_matches regexp_replace regexp_count regexp_like regexp_substr regexp_split_to_table
`)

export const allowedOperators = words(`
  + - * / % = <> != < > <= >= || ~~ !~~ ~~* !~~* ~ ~* !~ !~* -> ->> #> #>> @> <@ ? ?| ?& && ^@
`)

export const regexOperators = words('~ ~* !~ !~*')

/** Types of a cast, as the grammar names them. */
export const allowedTypes = words(`
  text varchar bpchar bool boolean int2 int4 int8 smallint integer bigint float4 float8 numeric decimal date time timetz
  timestamp timestamptz interval json jsonb uuid
`)

export const allowedValues = words(`
  SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N
  SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N
`)
