import type { SearchField, SearchOperator } from '@muster/contract/search.ts'

export type WireRecord = Record<string, unknown>
type Value = string | boolean | null

const linked = (name: string) => (record: WireRecord) => (record[name] as { identifier: string }).identifier
const tags = (name: string) => (record: WireRecord) =>
  (record['check_tags'] as WireRecord[]).map((tag) => tag[name] as string | null)

/** Addresses of people by their identifier: a device shows no more of its owner than that. */
export const addressesOfPeople = new Map<string, string>()

/** Where a record shows what is searched for under another name; by record and field. */
const shownAs: Readonly<Record<string, (record: WireRecord) => unknown>> = {
  'issue check_id': linked('check_information'),
  'issue device_id': linked('device_information'),
  'check check_description': (record) => record['description'],
  'check check_slug': (record) => record['slug'],
  'check check_tag_name': tags('name'),
  'check check_tag_description': tags('description'),
  'check check_tag_id': tags('id'),
  'auth_log_session person_id': linked('person_info'),
  'listSsfStreamEvents device_id': (record) =>
    (record['subject'] as { device: { identifier: string } }).device.identifier,
  'listWebhookDeliveries device_id': linked('device'),
  'listWebhookDeliveries last_status': ({ last_status: status }) => (status === null ? null : String(status)),
  'auth_log_session device_id': linked('device_info'),
  'device registered_owner': (record) => addressesOfPeople.get(linked('registered_owner_info')(record)) ?? '',
}

/** What a record has in a searched field: no value, one, or several. */
export function valuesIn(kind: string, field: string, record: WireRecord): Value[] {
  const read = shownAs[`${kind} ${field}`] ?? ((row: WireRecord) => row[field])
  const value = read(record)
  if (value === undefined) throw new Error(`${kind} shows nothing of ${field}`)
  if (Array.isArray(value)) return value as Value[]
  return [value === '' && `${kind} ${field}` in shownAs ? null : (value as Value)]
}

/** Whether a record belongs in the answer to `field operator value`; `wanted` is null for `field:null`. */
export function isFound(held: readonly Value[], field: SearchField, operator: SearchOperator, wanted: Value): boolean {
  if (wanted === null) return held.every((value) => value === null)
  return held.some((value) => {
    if (value === null) return false
    if (field.kind === 'datetime') return compared(String(value), operator, String(wanted))
    if (operator === '~') return String(value).toLowerCase().includes(String(wanted).toLowerCase())
    const ignoresCase = field.ignoreCase === true || field.kind === 'enum'
    return ignoresCase ? String(value).toLowerCase() === String(wanted).toLowerCase() : String(value) === String(wanted)
  })
}

function compared(value: string, operator: SearchOperator, wanted: string): boolean {
  const [one, other] = [Date.parse(value), Date.parse(wanted)]
  if (operator === ':') return one === other
  if (operator === '<' || operator === '<=') return one < other || (operator === '<=' && one === other)
  return one > other || (operator === '>=' && one === other)
}

export const quoted = (value: string): string => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`
