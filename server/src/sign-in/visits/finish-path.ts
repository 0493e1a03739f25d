import { entraPath } from '../connections/entra-rules.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import type { SignInSession } from '../sessions/session-queries.ts'

type Finished = Pick<SignInSession, 'kind' | 'connection_id' | 'interaction_uid' | 'is_test'>

/** Where the answer of a sign-in is given, by the protocol that its connection speaks. A test leads back to the console. */
export function finishPathOf({ kind, connection_id: connectionId, interaction_uid: uid, is_test }: Finished): string {
  if (is_test) return `/console/connections/${connectionId}`
  return kind === 'entra' ? `${entraPath}/${connectionId}/finish/${uid}` : `${issuerPath}/auth/${uid}`
}
