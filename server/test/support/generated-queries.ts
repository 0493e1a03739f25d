import fc from 'fast-check'

const letters = fc.constantFrom('a', 'b', 'x', 'é', ',', '"')
const lengths = fc.integer({ min: 1, max: 1_000 })
const counts = fc.integer({ min: 1, max: 1_000 })
const fn = (name: string, ...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((texts) => `${name}(${texts.join(', ')})`)

const { text } = fc.letrec<{ text: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    letters.map((letter) => `'${letter}'`),
    fc.tuple(letters, lengths).map(([letter, length]) => `lpad('', ${length}, '${letter}')`),
    fc.constant('g::text'),
    fc.constant('h::text'),
    fc.constant('coalesce(p.person_name, p.email)'),
  ),
  text: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fn('replace', tie('text'), tie('leaf'), tie('text')),
    fn('translate', tie('text'), tie('leaf'), tie('leaf')),
    fn('concat', tie('text'), tie('text'), tie('leaf')),
    fn('upper', tie('text')),
    fn('initcap', tie('text')),
    fn('reverse', tie('text')),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `(${one} || ${other})`),
    fc.tuple(tie('text'), lengths).map(([one, length]) => `left(${one}, ${length})`),
    fc.tuple(tie('text'), lengths).map(([one, length]) => `rpad(${one}, ${length}, 'z')`),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `regexp_replace(${one}, 'a|b*', ${other}, 'g')`),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `overlay(${one} placing ${other} from 2)`),
    fn(
      'array_to_string',
      fc.tuple(tie('text')).map(([one]) => `string_to_array(${one}, null)`),
      tie('leaf'),
    ),
    fc.tuple(tie('text')).map(([one]) => `to_json(${one})::text`),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `json_build_array(${one}, ${other})::text`),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `case when g > 500 then ${one} else ${other} end`),
  ),
}))

const collected = fc.oneof(
  text.map((one) => `string_agg(${one}, ',')`),
  text.map((one) => `string_agg(distinct ${one}, ',')`),
  text.map((one) => `array_agg(${one})`),
  text.map((one) => `json_agg(${one})`),
  text.map((one) => `jsonb_agg(${one} order by h)`),
  text.map((one) => `max(${one})`),
  text.map((one) => `count(distinct ${one})`),
  text.map((one) => `mode() within group (order by ${one})`),
)

const from = fc
  .tuple(counts, counts)
  .map(
    ([g, h]) =>
      `generate_series(1, ${g}) as g left join person_people p on p.person_id = g, generate_series(1, ${h}) as h`,
  )

/** SELECTs of functions that multiply text, aggregates that collect it, and clauses that sort and store it. */
export const generatedQuery: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(text, from).map(([one, source]) => `select ${one} as t from ${source}`),
  fc.tuple(text, from).map(([one, source]) => `select ${one} as t from ${source} order by 1 desc`),
  fc.tuple(text, from).map(([one, source]) => `select distinct ${one} as t from ${source}`),
  fc.tuple(text, from).map(([one, source]) => `select ${one} as t, count(*) as n from ${source} group by 1`),
  fc.tuple(collected, from).map(([one, source]) => `select ${one} as t from ${source}`),
  fc
    .tuple(collected, collected, from)
    .map(([one, other, source]) => `select ${one} as t, ${other} as u from ${source}`),
  fc.tuple(collected, from).map(([one, source]) => `select h % 7 as k, ${one} as t from ${source} group by 1`),
  fc
    .tuple(text, from)
    .map(([one, source]) => `select lag(${one}) over (partition by h % 3 order by g) as t from ${source}`),
  fc
    .tuple(text, from)
    .map(
      ([one, source]) => `with w as (select ${one} as t from ${source}) select count(*) from w x join w y using (t)`,
    ),
  fc
    .tuple(text, from)
    .map(
      ([one, source]) =>
        `select count(*) from person_people p, ${source.replace(/left join.*?,/, ',')} where ${one} not in (select ${one.replaceAll('p.', 'p.')} from generate_series(1, 9) as k)`,
    ),
  fc.tuple(text, from).map(([one, source]) => `select array(select ${one} from ${source}) as l`),
  fc
    .tuple(text, text, from)
    .map(([one, other, source]) => `select ${one} as t from ${source} union select ${other} from ${source}`),
)
