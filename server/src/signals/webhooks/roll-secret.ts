import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { generateSecret, sealSecret } from './endpoint-secret.ts'
import { describeDestination } from './log/describe-destination.ts'
import { lockEndpoint } from './queries.ts'
import { overlaps } from './rules.ts'
import { tryAtOnce, writeEndpoint } from './write-endpoint.ts'

export type Roll = {
  endpointId: string
  /** How long the present secret continues to sign; a day unless given. */
  overlapSeconds?: number | undefined
}

/**
 * Replaces the secret of an endpoint and returns the new one. While an overlap lasts, only a roll without an overlap is
 * taken, which ends both secrets before: a third would push out one that receivers were told to expect.
 */
export async function rollSecret(
  tx: Tx,
  secrets: Secrets,
  { endpointId, overlapSeconds = 86_400 }: Roll,
  context: ChangeContext,
): Promise<string> {
  const { organizationId, now } = context
  const endpoint = orNotFound(await lockEndpoint(tx, organizationId, endpointId))
  if (overlapSeconds > 0 && overlaps(endpoint, now)) fail('secret_overlapping')
  const place = { organizationId, endpointId }
  const secret = generateSecret()
  const until = new Date(Date.parse(now) + overlapSeconds * 1_000).toISOString()
  const columns = {
    sealed_secret: sealSecret(secrets, secret, place),
    sealed_previous_secret: overlapSeconds === 0 ? null : endpoint.sealed_secret,
    previous_secret_until: overlapSeconds === 0 ? null : until,
  }
  await writeEndpoint(tx, endpoint, columns, now)
  await tryAtOnce(tx, endpoint, now)
  const end = overlapSeconds === 0 ? 'ended at once' : `signs until ${until}`
  const description = `Rolled the secret of ${describeDestination(endpoint)}; the previous one ${end}.`
  await recordAudit(tx, { action: 'webhook.secret_rolled', about: { webhook: endpointId }, description }, context)
  return secret
}
