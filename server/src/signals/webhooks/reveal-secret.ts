import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { unsealSecret } from './endpoint-secret.ts'
import { describeDestination } from './log/describe-destination.ts'
import { lockEndpoint } from './queries.ts'

type Reveal = { endpointId: string }

/** The secret of an endpoint in plain text; not revealed unless that is written down. */
export async function revealSecret(
  tx: Tx,
  secrets: Secrets,
  { endpointId }: Reveal,
  context: ChangeContext,
): Promise<string> {
  const { organizationId } = context
  const endpoint = orNotFound(await lockEndpoint(tx, organizationId, endpointId))
  const description = `Revealed the secret of ${describeDestination(endpoint)}.`
  await recordAudit(tx, { action: 'webhook.secret_revealed', about: { webhook: endpointId }, description }, context)
  return unsealSecret(secrets, endpoint.sealed_secret, { organizationId, endpointId })
}
