import type { SearchFields, SearchOperator } from '@muster/contract/search.ts'
import fc from 'fast-check'
import type { SearchExpression, SearchValue } from '../../src/base/lists/search-expression.ts'
import type { SearchableRecord } from './search-oracle.ts'

/** A made-up record with a field of every kind, for tests of the search language as a whole. */
export const thingSearch = {
  id: { kind: 'identifier', operators: [':'], multiple: true },
  owner_id: { kind: 'identifier', operators: [':', '~'], nullable: true, multiple: true },
  name: { kind: 'string', operators: [':', '~'] },
  note: { kind: 'string', operators: [':', '~'], nullable: true, multiple: true },
  email: { kind: 'string', operators: [':', '~'], nullable: true, multiple: true, ignoreCase: true },
  hardware_uuid: { kind: 'string', operators: [':', '~'], nullable: true, multiple: true },
  seen_at: { kind: 'datetime', operators: [':', '<', '<=', '>', '>='], nullable: true },
  exempted: { kind: 'boolean', operators: [':'], nullable: true },
  state: { kind: 'enum', operators: [':'], values: ['Good', 'Notified', 'Will Block', 'Blocked'], multiple: true },
  tables_used: { kind: 'string_list', operators: [':', '~'], nullable: true, multiple: true },
  tags: { kind: 'string_list', operators: [':', '~'], ignoreCase: true, multiple: true },
} as const satisfies SearchFields

export type Thing = SearchableRecord & { readonly [Name in keyof typeof thingSearch]: SearchableRecord[string] }

/** What breaks naive escaping, folding, quoting and array literals. Every letter here folds alike on both engines. */
const fragments = [
  ...[
    'a',
    'A',
    'b',
    'B',
    'mac',
    'MAC',
    ' ',
    '0',
    '1',
    '42',
    '-',
    '.',
    '@',
    'É',
    'é',
    'e\u0301',
    'ｅ',
    '％',
    'ß',
    'ẞ',
    'ss',
  ],
  ...[
    'Σ',
    'σ',
    'ς',
    'İ',
    'i',
    'I',
    'ı',
    '\u212a',
    'k',
    'Ж',
    'ж',
    'ﬁ',
    '漢',
    '😀',
    '\u00a0',
    '\u200d',
    '\ufeff',
    '\ufffd',
  ],
  ...['%', '_', '\\', '"', "'", '[', ']', '{', '}', ',', ':', '~', '<', '>', '(', ')', '$1', '?', ';', '--', '*', '+'],
  ...['null', 'NULL', ' AND ', ' OR ', 'true', '\\"', '%%', '\\%', '&&'],
]

const hostileText = fc.array(fc.constantFrom(...fragments), { maxLength: 4 }).map((parts) => parts.join(''))
const identifier = fc.integer({ min: 0, max: 60 }).map(String)
const uuid = fc.integer({ min: 0, max: 255 }).map((n) => `0190abcd-ef01-7234-8567-${n.toString(16).padStart(12, '0')}`)
const instant = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3 }))
  .map(([minutes, ms]) => new Date(Date.UTC(2026, 10, 20, 10, minutes, 0, ms)).toISOString())
const oneOfThese = (values: readonly string[]) => fc.constantFrom(...values)
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 5 })

/** A thing without its identifier, which tests number themselves. */
const thingBody = fc.record(
  {
    owner_id: orNull(identifier),
    name: hostileText,
    note: orNull(hostileText),
    email: orNull(hostileText),
    hardware_uuid: orNull(uuid),
    seen_at: orNull(instant),
    exempted: orNull(fc.boolean()),
    state: oneOfThese(thingSearch.state.values),
    tables_used: orNull(fc.array(hostileText, { maxLength: 3 })),
    tags: fc.array(hostileText, { maxLength: 3 }),
  },
  { noNullPrototype: true },
)

export function sampleThings(count: number, seed: number): Thing[] {
  return fc.sample(thingBody, { numRuns: count, seed }).map((body, index) => ({ id: String(index + 1), ...body }))
}

type Name = keyof typeof thingSearch

/** Values that some record is likely to hold, and some that a column of the type cannot even store. */
const valuesOf: Record<Name, fc.Arbitrary<string>> = {
  id: fc.oneof(
    identifier,
    oneOfThese(['01', '+1', '-1', '1.0', '', ' 1', '9223372036854775807', '9223372036854775808']),
  ),
  owner_id: fc.oneof(identifier, oneOfThese(['', '%', '1e3', '99999999999999999999', '٣'])),
  name: hostileText,
  note: hostileText,
  email: hostileText,
  hardware_uuid: fc.oneof(uuid, hostileText, oneOfThese(['0190ABCD', 'abcd-ef', '8567-0000'])),
  seen_at: instant,
  exempted: oneOfThese(['true', 'false']),
  state: oneOfThese(thingSearch.state.values),
  tables_used: hostileText,
  tags: hostileText,
}

const clause = fc.constantFrom(...Object.entries(thingSearch)).chain(([name, field]) => {
  const values = valuesOf[name as Name]
  return fc.constantFrom<SearchOperator[]>(...field.operators).chain((operator) => {
    const ignoreCase = 'ignoreCase' in field ? ({ ignoreCase: true } as const) : {}
    const one: fc.Arbitrary<SearchValue> =
      field.kind === 'boolean' ? fc.boolean() : operator === '~' ? values.filter((text) => text !== '') : values
    const choices = [{ weight: 8, arbitrary: one }]
    if (operator === ':' && 'nullable' in field) choices.push({ weight: 1, arbitrary: fc.constant(null) })
    if (operator === ':' && 'multiple' in field) {
      choices.push({ weight: 3, arbitrary: fc.uniqueArray(values, { minLength: 1, maxLength: 4 }) })
    }
    return fc.oneof(...choices).map((value) => ({ field: name, operator, value, ...ignoreCase }))
  })
})

/** Searches as parseSearch returns them. */
export const thingExpression: fc.Arbitrary<SearchExpression> = fc.array(
  fc.array(clause, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
)

/** The search text of an expression, quoting where it must and, by `isTerse`, only there. */
export function writeSearch(expression: SearchExpression, isTerse: boolean): string {
  return expression
    .map((clauses) =>
      clauses.map(({ field, operator, value }) => `${field}${operator}${written(value, isTerse)}`).join(' AND '),
    )
    .join(' OR ')
}

function written(value: SearchValue, isTerse: boolean): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return `[${value.map((one) => written(one, false)).join(isTerse ? ',' : ' , ')}]`
  const canBeBare = value !== '' && value !== 'null' && !value.includes(' ') && !/^["[]/.test(value)
  return isTerse && canBeBare ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`
}
