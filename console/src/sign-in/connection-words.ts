import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { RefusalReason } from '@muster/contract/refusal-reasons.ts'

export const modeWords = { enforce: 'Enforces', observe: 'Observes', disabled: 'Disabled' } as const

/** When a pause that runs ends; null without one. */
export const pausedUntil = ({ paused_until: until }: Pick<SignInConnectionView, 'paused_until'>): string | null =>
  until !== null && Date.parse(until) > Date.now() ? until : null

/** What a connection does now, in one word. */
export const modeOf = (connection: Pick<SignInConnectionView, 'mode' | 'paused_until'>): string =>
  pausedUntil(connection) === null ? modeWords[connection.mode] : 'Paused'

export const modeMeaning = {
  enforce: 'Refuses devices that are blocked, registered to someone else, or not registered.',
  observe: 'Refuses no device, and tells the application the truth about it.',
  disabled: 'Refuses every request.',
} as const

type Evidence = Pick<SignInConnectionView, 'evidence' | 'is_hint_trusted'>

export const evidenceShort = ({ evidence, is_hint_trusted: isTrusted }: Evidence): string => {
  if (evidence === 'asserted') return 'Signed requests'
  return isTrusted ? 'Trusted hints' : 'Hints only'
}

/** What the requests of a connection say of the person, and what follows. */
export function evidenceInWords({ evidence, is_hint_trusted: isTrusted }: Evidence): string {
  if (evidence === 'asserted') return 'Requests are signed: people can register their first device.'
  if (isTrusted) {
    return 'Requests only hint at the person: registration is off for this connection, and only a device registered to that person gets in.'
  }
  return 'Requests only hint at the person, and the caller has not signed them in first: no one gets in. Add the keys that sign its requests.'
}

export const reasonWords: Readonly<Record<RefusalReason, string>> = {
  weak_evidence: 'Requests do not say who signs in',
  no_device: 'No registered device',
  no_companion: 'Device has no linked Muster app',
  companion_silent: 'Muster app silent for 7 days',
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
