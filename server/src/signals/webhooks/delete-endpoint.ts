import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { describeDestination } from './log/describe-destination.ts'
import { lockEndpoint } from './queries.ts'
import { writeEndpoint } from './write-endpoint.ts'

type Deletion = { endpointId: string }

/** From here on there is no such endpoint for anyone. Its rows are removed later, in batches. */
export async function deleteEndpoint(tx: Tx, { endpointId }: Deletion, context: ChangeContext) {
  const { organizationId, now } = context
  const endpoint = orNotFound(await lockEndpoint(tx, organizationId, endpointId))
  await writeEndpoint(tx, endpoint, { deleted_at: now }, now)
  const description = `Deleted ${describeDestination(endpoint)}.`
  await recordAudit(tx, { action: 'webhook.deleted', about: { webhook: endpointId }, description }, context)
}
