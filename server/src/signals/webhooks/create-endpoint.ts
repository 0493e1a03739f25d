import { randomUUID } from 'node:crypto'
import type { WebhookEndpointCreation } from '@muster/contract/webhook-endpoints.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { ReceiverRules } from '../../base/outbound/receiver-url.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { notify } from '../webhook-ledger/queue-webhooks.ts'
import { generateSecret, sealSecret } from './endpoint-secret.ts'
import { describeDestination } from './log/describe-destination.ts'
import { countEndpoints } from './queries.ts'
import { newEndpoint, settleEndpoint } from './settle-endpoint.ts'
import { sealedOrNull } from './write-endpoint.ts'

export type NewEndpoint = { asked: WebhookEndpointCreation; rules: ReceiverRules }

const maxEndpoints = 50

/** Makes an endpoint with a secret of its own, which is returned in plain text. */
export async function createEndpoint(
  tx: Tx,
  secrets: Secrets,
  { asked, rules }: NewEndpoint,
  context: ChangeContext,
): Promise<{ id: string; secret: string }> {
  const { organizationId, now } = context
  const settings = settleEndpoint(asked, newEndpoint, rules)
  await refuseTooMany(tx, organizationId)
  const endpointId = await nextId(tx)
  const place = { organizationId, endpointId }
  const secret = generateSecret()
  const disabled = { disabled_at: now, disabled_reason: 'by_admin' } as const
  await tx
    .insertInto('webhook_endpoints')
    .values({
      ...{ organization_id: organizationId, id: endpointId, identifier: randomUUID() },
      ...{ url: settings.url, events: settings.events, description: settings.description },
      sealed_headers: sealedOrNull(secrets, settings.headers, place),
      sealed_secret: sealSecret(secrets, secret, place),
      ...(!settings.isEnabled && disabled),
      ...{ created_at: now, updated_at: now },
    })
    .execute()
  await tx
    .insertInto('webhook_standings')
    .values({ organization_id: organizationId, endpoint_id: endpointId })
    .execute()
  await notify(tx, organizationId)
  const state = settings.isEnabled ? '' : ', disabled'
  const description = `Created ${describeDestination(settings)} for ${settings.events.join(', ')}${state}.`
  await recordAudit(tx, { action: 'webhook.created', about: { webhook: endpointId }, description }, context)
  return { id: endpointId, secret }
}

/** Those who make endpoints at the same time count one after the other. */
async function refuseTooMany(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints ${organizationId}`}, 0))`.execute(tx)
  if ((await countEndpoints(tx, organizationId)) < maxEndpoints) return
  fail('invalid', {
    errors: [{ field: '', message: `an organization has at most ${maxEndpoints} webhook endpoints: delete one first` }],
  })
}

/** Taken before the row is written, because secrets are sealed to their place. */
async function nextId(tx: Tx): Promise<string> {
  const { id } = await tx
    .selectNoFrom(sql<string>`nextval(pg_get_serial_sequence('webhook_endpoints', 'id'))`.as('id'))
    .executeTakeFirstOrThrow()
  return id
}
