import type { FieldError } from '@muster/contract/errors.ts'
import { maskedHeaderValue } from '@muster/contract/masked-header-value.ts'
import type { CustomHeaders } from './endpoint-secret.ts'

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]{1,100}$/
/** What a header can carry (RFC 9110 §5.5), without what it would lose at its ends. */
const fieldValue = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** They belong to the connection, to the client, to the body or to the signature. */
const ownNames = new Set([
  ...['authorization', 'user-agent', 'x-service-webhook-identifier'],
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
  ...['accept-encoding', 'range', 'date', 'via', 'forwarded', 'max-forwards'],
])
const ownBeginnings = ['content-', 'webhook-', 'proxy-', 'sec-']

const isOwn = (name: string) => ownNames.has(name) || ownBeginnings.some((beginning) => name.startsWith(beginning))

/**
 * Headers as they are stored, in lower case and in the order of their names, or what is wrong with them. A masked value
 * stands for that of `current`.
 */
export function settleHeaders(asked: CustomHeaders, current: CustomHeaders): CustomHeaders | FieldError[] {
  const settled = new Map<string, string>()
  const faults: FieldError[] = []
  for (const [written, given] of Object.entries(asked)) {
    const name = written.toLowerCase()
    const value = given === maskedHeaderValue && Object.hasOwn(current, name) ? current[name] : given
    const fault = faultOf(name, value ?? '', settled)
    if (fault === undefined) settled.set(name, value ?? '')
    else faults.push({ field: `custom_headers/${written.slice(0, 100)}`, message: fault })
  }
  return faults.length > 0 ? faults : inOrder(settled)
}

function faultOf(name: string, value: string, before: ReadonlyMap<string, string>): string | undefined {
  if (!token.test(name)) return 'must be the name of a header, of at most 100 characters'
  if (isOwn(name)) return 'is not for custom headers'
  if (before.has(name)) return 'is there twice'
  if (value === maskedHeaderValue) return 'must have its value: only headers that are there already keep theirs'
  return fieldValue.test(value) ? undefined : 'must have a value that a header can carry'
}

const inOrder = (headers: ReadonlyMap<string, string>): CustomHeaders =>
  Object.fromEntries([...headers].sort(([left], [right]) => (left < right ? -1 : 1)))

/** Without those whose value stands for the one that is stored. */
export const withoutKept = (asked: CustomHeaders, current: CustomHeaders): CustomHeaders =>
  Object.fromEntries(
    Object.entries(asked).filter(
      ([name, value]) => value !== maskedHeaderValue || !Object.hasOwn(current, name.toLowerCase()),
    ),
  )

export const maskHeaders = (headers: CustomHeaders): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, maskedHeaderValue]))
