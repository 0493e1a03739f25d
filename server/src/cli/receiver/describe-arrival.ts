import { plainText } from '../table.ts'
import type { SetClaims } from './verify-set.ts'

export type Arrival = {
  receivedAt: string
  /** `put_off`: the transmitter was answered so that it comes again. */
  outcome: 'accepted' | 'repeated' | 'refused' | 'put_off'
  /** Why, unless it was accepted. */
  detail: string | null
  claims: SetClaims | null
}

const maxPartLength = 300

/** One line for people. Whatever is in a token cannot steer the terminal. */
export function describeArrival({ receivedAt, outcome, detail, claims }: Arrival): string {
  const parts = [
    receivedAt,
    outcome === 'accepted' ? undefined : outcome.replace('_', ' ').toUpperCase(),
    ...(claims ? describeClaims(claims) : []),
    outcome === 'accepted' ? undefined : detail,
  ]
  const shown = parts.filter((part) => typeof part === 'string' && part !== '')
  return shown.map((part) => plainText(String(part)).slice(0, maxPartLength)).join('  ')
}

/** One line of JSON; what terminals take for controls is escaped. */
export const arrivalAsJson = ({ receivedAt, outcome, detail, claims }: Arrival): string =>
  JSON.stringify({ received_at: receivedAt, outcome, detail, claims }).replace(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function describeClaims({ events, sub_id: subject, jti }: SetClaims): (string | undefined)[] {
  const described = Object.entries(events).flatMap(([type, event]) => [
    type.split('/').at(-1),
    describeChange(event),
    describeSubject(subject ?? event['subject']),
    ...['state', 'status', 'reason'].map((name) => labelled(name, event[name])),
    describeReason(event['reason_admin']),
  ])
  return [...described, `jti ${jti}`]
}

function describeChange({ previous_status: previous, current_status: current }: Record<string, unknown>) {
  return typeof current === 'string' ? `${typeof previous === 'string' ? previous : '?'} → ${current}` : undefined
}

const labelled = (name: string, value: unknown): string | undefined =>
  typeof value === 'string' ? `${name} ${value}` : undefined

/** By the format of the subject (RFC 9493 §3), or member by member where it is of several (SSF 1.0 §3). */
function describeSubject(subject: unknown): string | undefined {
  if (!isRecord(subject)) return undefined
  const simple = simpleSubject(subject)
  if (simple !== undefined) return simple
  const members = ['device', 'user'].map((name) => {
    const member = subject[name]
    return isRecord(member) ? labelled(name, simpleSubject(member)) : undefined
  })
  return members.filter((member) => member !== undefined).join('  ')
}

function simpleSubject({ format, email, sub, id }: Record<string, unknown>): string | undefined {
  const value = format === 'email' ? email : format === 'iss_sub' ? sub : format === 'opaque' ? id : undefined
  return typeof value === 'string' ? value : undefined
}

/** In English, or else in whatever language there is. */
function describeReason(reason: unknown): string | undefined {
  if (!isRecord(reason)) return undefined
  const text = reason['en'] ?? Object.values(reason)[0]
  return typeof text === 'string' ? `"${text}"` : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
