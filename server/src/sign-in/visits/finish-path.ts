import { entraPath } from '../connections/entra-rules.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import type { SignInSession } from '../sessions/session-queries.ts'

type Finished = Pick<SignInSession, 'kind' | 'connection_id' | 'interaction_uid'>

/** Where the answer of a sign-in is given, by the protocol that its connection speaks. */
export function finishPathOf({ kind, connection_id: connectionId, interaction_uid: uid }: Finished): string {
  return kind === 'entra' ? `${entraPath}/${connectionId}/finish/${uid}` : `${issuerPath}/auth/${uid}`
}
