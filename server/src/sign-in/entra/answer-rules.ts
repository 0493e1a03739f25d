import type { SessionState } from '../../base/db/schema.ts'
import { mayContinue } from '../sessions/session-rules.ts'

/** Every `acr` of Entra that a factor of possession satisfies. */
const acrOfPossession = [
  ...['possession', 'possessionorinherence', 'knowledgeorpossession', 'knowledgeorpossessionorinherence'],
] as const
/** What may be said of a key in a file (RFC 8176); `hwk` only of one that is known to live in hardware. */
const amrOfKey = ['swk', 'pop'] as const

/**
 * What an answer says of those values that Entra asked for: one of each. Undefined when a device is no answer to it, as
 * for people whose first factor was possession already.
 */
export function chooseClaims({ acrValues, amrValues }: { acrValues: readonly string[]; amrValues: readonly string[] }) {
  const acr = acrValues.find((value) => (acrOfPossession as readonly string[]).includes(value))
  const amr = amrOfKey.find((value) => amrValues.length === 0 || amrValues.includes(value))
  return acr !== undefined && amr !== undefined ? { acr, amr } : undefined
}

export type EntraOutcome = {
  state: SessionState
  mode: 'enforce' | 'observe' | 'disabled'
  /** A device has proved itself in this sign-in, and the sign-in keeps it. */
  isProved: boolean
  /** The success of the sign-in is committed. */
  isAnswered: boolean
}

export type EntraAnswer =
  | { kind: 'token'; claims: { acr: string; amr: [string] } }
  | { kind: 'error'; error: 'access_denied' }
  | { kind: 'none' }

/**
 * What Entra is told now: of a factor nothing is positive without an accepted proof, in any mode. `none`: the person stays
 * on the page. A connection that observes keeps nobody there whose device has not proved itself.
 */
export function answerOf(outcome: EntraOutcome, { acr, amr }: { acr: string; amr: string }): EntraAnswer {
  const { state, mode, isProved, isAnswered } = outcome
  if (mode === 'disabled' || state === 'ended') return { kind: 'error', error: 'access_denied' }
  if (isAnswered && isProved && mayContinue(state)) return { kind: 'token', claims: { acr, amr: [amr] } }
  if (mode === 'observe' && !isProved) return { kind: 'error', error: 'access_denied' }
  return { kind: 'none' }
}
