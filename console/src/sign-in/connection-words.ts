import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { SignInUpstreamView } from '@muster/contract/console-upstreams.ts'
import type { RefusalReason } from '@muster/contract/refusal-reasons.ts'
import { isRefusalStanding, requestRefusals } from '@muster/contract/request-refusals.ts'
import { visibleText } from '../components/visible-text.ts'

export const modeWords = { enforce: 'Enforces', observe: 'Observes', disabled: 'Disabled' } as const

/** When a pause that runs ends; null without one. */
export const pausedUntil = ({ paused_until: until }: Pick<SignInConnectionView, 'paused_until'>): string | null =>
  until !== null && Date.parse(until) > Date.now() ? until : null

/** What a connection does now, in one word. */
export const modeOf = (connection: Pick<SignInConnectionView, 'mode' | 'paused_until'>): string =>
  pausedUntil(connection) === null ? modeWords[connection.mode] : 'Paused'

/** What the report of a connection that enforces, or is only looked at, is called. */
export const refusedTitle = (connection: Pick<SignInConnectionView, 'mode' | 'paused_until'>): string =>
  modeOf(connection) === modeWords.enforce ? 'Who is refused today' : 'Who would be refused today'

export const modeMeaning = {
  enforce: 'Refuses devices that are blocked, registered to someone else, or not registered.',
  observe: 'Lets everyone in who is known, and tells the application the real result.',
  disabled: 'Refuses every request.',
} as const

export const kindWords = { second_step: 'Second step', application: 'Application', entra: 'Microsoft Entra' } as const

export const kindMeaning = {
  second_step: 'The caller signs people in, then asks Muster about their computer.',
  application: 'Another identity provider signs people in, then Muster checks their computer.',
  entra: 'Microsoft signs people in, then asks Muster about their computer.',
} as const

type KnownBy = Pick<SignInConnectionView, 'kind' | 'request_algorithm' | 'upstream_id'>
type Upstreams = readonly Pick<SignInUpstreamView, 'id' | 'name'>[] | undefined

/** A second step without keys stays disabled: nothing says who signs in. */
export const lacksKeys = ({ kind, request_algorithm: algorithm }: KnownBy): boolean =>
  kind === 'second_step' && algorithm === null

export const keysLacking = 'Add its public keys, then turn it on.'

/** What says who the person is. */
export function knownBy(connection: KnownBy, upstreams: Upstreams): string {
  const { kind, request_algorithm: algorithm, upstream_id: upstreamId } = connection
  if (kind === 'entra') return 'Microsoft’s signed hint'
  if (kind === 'second_step') return algorithm === null ? 'No keys yet' : `Signed requests (${algorithm})`
  const name = upstreams?.find(({ id }) => id === upstreamId)?.name
  return name === undefined ? 'Upstream' : `Upstream ${visibleText(name)}`
}

type LastTimes = Pick<SignInConnectionView, 'last_refusal' | 'last_sign_in_at'>

/** The last refused request with its words, if it came after the last sign-in, and after `otherAt` where that is given. */
export function standingRefusal(times: LastTimes, otherAt?: string) {
  const { last_refusal: refusal } = times
  if (refusal === null || !isRefusalStanding(times)) return undefined
  const isLast = !otherAt || Date.parse(refusal.refused_at) > Date.parse(otherAt)
  return isLast ? { ...refusal, ...requestRefusals[refusal.reason] } : undefined
}

export const reasonWords: Readonly<Record<RefusalReason, string>> = {
  no_device: 'No registered device',
  no_companion_for_platform: 'This server makes no companion for its system',
  no_companion: 'Device has no linked companion',
  companion_silent: 'Companion silent for 7 days',
  suspended: 'Registration suspended',
  blocked: 'Device is blocked',
  phone_only: 'Signs in only from a phone or an unsupported browser',
}

export const keyStateWords = {
  published: 'Published, signs later',
  signing: 'Signs',
  retired: 'Retired',
  unused: 'Replaced before use',
  withdrawn: 'Withdrawn',
} as const

export const countOf = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
