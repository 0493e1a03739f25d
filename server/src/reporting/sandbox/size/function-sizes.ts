import { asJson, asList, maxNumberLength, type Size } from './size.ts'

/** What a call is given: the bytes of each argument, and its value where it is a whole number or a text written out. */
export type Call = {
  readonly widths: readonly number[]
  readonly integers: readonly (number | undefined)[]
  readonly texts: readonly (string | undefined)[]
  /** How many values an argument that is a list written out has. */
  readonly counts: readonly (number | undefined)[]
}

type Rule = (call: Call) => number | Size

const sum = (widths: readonly number[]): number => widths.reduce((all, width) => all + width, 0)
const widest = ({ widths }: Call): number => Math.max(0, ...widths)
const first = ({ widths: [width = 0] }: Call): number => width
const second = ({ widths: [, width = 0] }: Call): number => width
const third = ({ widths: [, , width = 0] }: Call): number => width

const group = (names: string, rule: Rule): [string, Rule][] => names.split(' ').map((name) => [name, rule])

/** Numbers, times and single words. */
const fixed = () => 120

/** At most as many characters, of up to four bytes. */
const cutTo =
  (at: number): Rule =>
  ({ widths: [width = 0], integers }) => {
    const length = integers[at]
    return length === undefined || length < 0 ? width : Math.min(width, 4 * length)
  }

/** Of so many characters, which have a byte each where both texts are written out without others. */
function padded({ integers: [, length = 1_000], texts: [text, fill = ' '] }: Call): number {
  const isAscii = text !== undefined && Buffer.byteLength(text + fill) === text.length + fill.length
  return (isAscii ? 1 : 4) * Math.max(0, length)
}

/** `round(number, digits)` adds digits. */
function rounded({ widths: [width = 0, digits], integers }: Call): number {
  if (digits === undefined) return width + 4
  return width + Math.min(Math.abs(integers[1] ?? 16_400), 16_400)
}

/** Each occurrence of the second text, which is at least one byte, becomes the third. */
function replaced(call: Call): number {
  const from = call.texts[1]
  const growth = third(call) / Math.max(1, from === undefined ? 1 : Buffer.byteLength(from))
  return first(call) * Math.max(1, growth)
}

/** A match may be empty, so there may be one before every character; `\1` in the replacement repeats what matched. */
const replacedByPattern = (call: Call): number => 1.5 * (first(call) + 1) * (third(call) + 2)

/** Every group of the pattern may match all of the text. */
const groupsOf = (call: Call): number =>
  asList(first(call), 1) * (1 + (call.texts[1] ?? '('.repeat(200)).split('(').length)

const allAsJson = ({ widths }: Call): number => sum(widths.map((width) => asJson(width) + 16)) + 32

/** `separator` between all values and `nothing` for those that are null; a list has at most a value a byte. */
const joined = ({ widths: [list = 0, separator = 0, nothing = 0] }: Call): number =>
  list + (list + 1) * (separator + nothing)

const rowsOf =
  (fewestBytes: number): Rule =>
  (call) => ({ width: first(call), rows: Math.ceil(first(call) / fewestBytes) + 1 })

function series({ integers: [from = 0, to = 0, step = 1] }: Call): Size {
  return { width: 20, rows: Math.max(0, Math.floor(Math.abs(to - from) / Math.abs(step)) + 1) }
}

function unnested(call: Call): Size {
  return { width: first(call), rows: call.counts[0] ?? first(call) + 1 }
}

/** The most bytes of what each function that is not an aggregate answers. One that is not here is refused. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...group(
    'length char_length character_length octet_length strpos position starts_with ascii md5 width_bucket now date_trunc date_part extract age to_date to_timestamp make_date make_interval timezone date_bin justify_days justify_hours justify_interval isfinite array_length array_position array_upper array_lower cardinality num_nulls num_nonnulls json_typeof jsonb_typeof json_array_length jsonb_array_length regexp_count regexp_like row_number rank dense_rank percent_rank cume_dist ntile',
    fixed,
  ),
  ...group('lower upper initcap', (call) => 3 * first(call)),
  ...group('reverse trim btrim ltrim rtrim split_part regexp_substr array_remove', first),
  ...group('json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text', first),
  ...group('json_strip_nulls jsonb_strip_nulls', first),
  ...group('left right', cutTo(1)),
  ...group('substring substr', cutTo(2)),
  ...group('like_escape', (call) => 2 * first(call)),
  ...group('replace', replaced),
  ...group('translate', (call) => 4 * first(call)),
  ...group('overlay', ({ widths: [text = 0, piece = 0] }) => text + piece),
  ...group('concat', ({ widths }) => sum(widths)),
  ...group('concat_ws', ({ widths: [separator = 0, ...texts] }) => sum(texts) + separator * texts.length),
  ...group('lpad rpad', padded),
  ...group('regexp_replace', replacedByPattern),
  ...group('regexp_match', groupsOf),
  ...group('regexp_matches', (call) => ({ width: groupsOf(call), rows: first(call) + 2 })),
  ...group('abs ceil ceiling floor sign', (call) => first(call) + 4),
  ...group('round trunc', rounded),
  ...group('mod', (call) => widest(call) + 4),
  ...group('div sqrt', (call) => sum(call.widths) + 1_020),
  ...group('to_char', (call) => first(call) + 16 * second(call) + 64),
  ...group('to_number', ({ widths }) => sum(widths)),
  ...group('string_to_array', (call) => 8 * first(call) + 32),
  ...group('array_to_string', joined),
  ...group('to_json to_jsonb row_to_json array_to_json', (call) => asJson(first(call))),
  ...group('json_build_object json_build_array jsonb_build_object jsonb_build_array', allAsJson),
  ...group('lag lead first_value last_value nth_value', widest),
  ...group('generate_series', series),
  ...group('unnest', unnested),
  ...group('regexp_split_to_table string_to_table', rowsOf(1)),
  ...group('json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text', rowsOf(2)),
  ...group('json_each json_each_text jsonb_each jsonb_each_text json_object_keys jsonb_object_keys', rowsOf(4)),
])

export function sizeOfCall(name: string, call: Call): Size | undefined {
  const size = rules.get(name)?.(call)
  return typeof size === 'number' ? { width: size, rows: 1 } : size
}

/** Aggregates that keep all they are given, with the bytes of the result for so many rows. */
const collecting: ReadonlyMap<string, (call: Call, rows: number) => number> = new Map([
  ['string_agg', ({ widths }: Call, rows: number) => rows * (sum(widths) + 1)],
  ['array_agg', (call: Call, rows: number) => rows * asList(first(call), 1)],
  ...['json_agg', 'jsonb_agg'].map((name) => [name, jsonList] as const),
  ...['json_object_agg', 'jsonb_object_agg'].map((name) => [name, jsonObject] as const),
])

function jsonList(call: Call, rows: number): number {
  return rows * (asJson(first(call)) + 32)
}

function jsonObject(call: Call, rows: number): number {
  return rows * (asJson(first(call)) + asJson(second(call)) + 64)
}

/** Aggregates that keep one value, with its bytes. */
const single: ReadonlyMap<string, (call: Call) => number> = new Map<string, (call: Call) => number>([
  ...'count bool_and bool_or every'.split(' ').map((name) => [name, fixed] as const),
  ...'min max mode'.split(' ').map((name) => [name, widest] as const),
  ['sum', (call) => widest(call) + 40],
  ...'avg stddev stddev_pop stddev_samp variance var_pop var_samp'
    .split(' ')
    .map((name) => [name, (call: Call) => 2 * widest(call) + 1_100] as const),
  // The first argument may be a list of fractions, which is answered with a list of values.
  ...'percentile_cont percentile_disc'
    .split(' ')
    .map((name) => [name, (call: Call) => asList(widest(call) + 64, 1) * (first(call) / 8 + 1)] as const),
])

export type AggregateSize = { readonly width: number; readonly collects: boolean }

/** What an aggregate over so many rows answers, and whether it keeps all of it until then. */
export function sizeOfAggregate(name: string, call: Call, rows: number): AggregateSize | undefined {
  const collected = collecting.get(name)?.(call, rows)
  if (collected !== undefined) return { width: collected, collects: true }
  const width = single.get(name)?.(call)
  return width === undefined ? undefined : { width, collects: false }
}

/** Those of several arguments that look at each byte of them once; of the others, each at each of the others. */
const linear = new Set(
  'concat concat_ws left right substr substring lpad rpad overlay to_char to_number date_trunc date_part extract timezone date_bin age make_date make_interval to_date to_timestamp width_bucket json_build_object json_build_array jsonb_build_object jsonb_build_array json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text lag lead nth_value generate_series array_length array_upper array_lower num_nulls num_nonnulls'.split(
    ' ',
  ),
)

/** Those that look for their second argument throughout the first. */
const searching = new Set('replace translate regexp_replace split_part strpos position'.split(' '))

/** Steps that the call takes without a pause. */
export function workOfCall(name: string, call: Call): number {
  const all = sum(call.widths)
  if (call.widths.length < 2 || linear.has(name)) return all
  if (searching.has(name)) return all + first(call) * second(call)
  const [largest = 0, next = 0] = [...call.widths].sort((one, other) => other - one)
  return all + largest * next
}

const exponent = /\d\.?[eE]\+?(\d{1,6})(?!\d)/g

/** Bytes of a text that is written out; a number in it may be meant as one, and is as long as its exponent says. */
export function widthOfText(text: string): number {
  let width = Buffer.byteLength(text) + 8
  for (const [, power] of text.matchAll(exponent)) width += Number(power) <= maxNumberLength ? Number(power) : 0
  return width
}

const short =
  'bool boolean int2 int4 int8 smallint integer bigint float4 float8 date time timetz timestamp timestamptz interval uuid'
const shortTypes: ReadonlySet<string> = new Set(short.split(' '))

export type CastTo = {
  readonly type: string
  readonly lengths: readonly (number | undefined)[]
  readonly isList: boolean
  /** Whether what is cast is a text written out. */
  readonly isLiteral: boolean
}

/** The most bytes of a value of so many after a cast. */
export function sizeOfCast(width: number, { type, lengths: [length], isList, isLiteral }: CastTo): number {
  if (shortTypes.has(type)) return isList ? 64 * (width + 1) : 120
  if (type === 'numeric' || type === 'decimal') {
    const digits = length === undefined ? (isLiteral ? width : maxNumberLength) : length + 20
    return isList ? (width + 1) * digits : digits
  }
  if (type === 'json' || type === 'jsonb') return 8 * width + 64
  if (length === undefined) return isList ? asList(8 * width, 1) : width
  return isList ? (width + 1) * 4 * length : Math.max(length, Math.min(width, 4 * length))
}
