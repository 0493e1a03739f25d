import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { unsealSecret } from './endpoint-secret.ts'
import { describeDestination } from './log/describe-destination.ts'
import { lockEndpoint } from './queries.ts'

type Reveal = {
  organizationId: string
  endpointId: string
  actor: Actor
  now: string
}

/** The secret of an endpoint in plain text; not revealed unless that is written down. */
export async function revealSecret(
  tx: Tx,
  secrets: Secrets,
  { organizationId, endpointId, actor, now }: Reveal,
): Promise<string> {
  const endpoint = orNotFound(await lockEndpoint(tx, organizationId, endpointId))
  const description = `Revealed the secret of ${describeDestination(endpoint)}.`
  await recordAudit(tx, { organizationId, actor, about: { webhook: endpointId }, description, now })
  return unsealSecret(secrets, endpoint.sealed_secret, { organizationId, endpointId })
}
