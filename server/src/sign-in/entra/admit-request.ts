import type { SignInConnection } from '../connections/connection-queries.ts'
import type { EntraSettings } from '../connections/entra-rules.ts'
import { chooseClaims } from './answer-rules.ts'
import { type EntraAsked, readRequest } from './read-request.ts'
import { KeysUnavailable } from './tenant-keys.ts'
import { type FindKey, type HintedPerson, validateHint } from './validate-hint.ts'

/** Why a request begins no sign-in. Those before `disabled` are not known to be Entra's: nothing is sent back. */
export type EntraRefusal =
  | ('not_ours' | 'invalid_hint')
  | ('disabled' | 'guest' | 'no_claims' | 'no_answer_counts' | 'keys_unavailable')

export type Admitted =
  | { asked: EntraAsked; person: HintedPerson; chosen: { acr: string; amr: string } }
  | { refusal: EntraRefusal; asked?: EntraAsked; cause?: unknown }

type Place = { connection: SignInConnection; settings: EntraSettings }

/** Whether a form begins a sign-in, and whose it is. */
export async function admitRequest(
  findKey: FindKey,
  { connection, settings }: Place,
  form: URLSearchParams,
  now: string,
): Promise<Admitted> {
  const asked = readRequest(form, connection)
  if (!asked) return { refusal: 'not_ours' }
  if (connection.mode === 'disabled') return { refusal: 'disabled', asked }
  try {
    const person = await validateHint(findKey, settings, asked.hint, now)
    if ('refusal' in person) return { refusal: person.refusal === 'guest' ? 'guest' : 'invalid_hint', asked }
    if (asked.acrValues.length === 0) return { refusal: 'no_claims', asked }
    const chosen = chooseClaims(asked)
    return chosen ? { asked, person, chosen } : { refusal: 'no_answer_counts', asked }
  } catch (error) {
    if (error instanceof KeysUnavailable) return { refusal: 'keys_unavailable', asked, cause: error }
    throw error
  }
}
