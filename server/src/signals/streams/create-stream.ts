import { randomUUID } from 'node:crypto'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { ReceiverRules } from '../../base/outbound/receiver-url.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { addPollToken } from './poll-tokens.ts'
import { settle } from './settle-stream.ts'
import type { StreamInput } from './stream-input.ts'
import { getIssuer, streamIssuer } from './stream-issuer.ts'
import { noteTokenSettings } from './token-settings.ts'
import { receiverOf, storeAuthorization } from './write-settings.ts'

export type NewStream = {
  input: StreamInput
  /** MUSTER_BASE_URL. */
  baseUrl: string
  /** Whether organizations without an address of their own may have a path of `baseUrl` as their issuer. */
  pathIssuers: boolean
  rules: ReceiverRules
}

/** Makes a stream that is on; fails with invalid where the organization has no issuer. `pollToken` is what a poll stream is polled with, which nobody is shown again. */
export async function createStream(
  tx: Tx,
  secrets: Secrets,
  { input, baseUrl: commonBaseUrl, pathIssuers, rules }: NewStream,
  context: ChangeContext,
): Promise<{ id: string; pollToken: string | undefined }> {
  const { organizationId, actor, now } = context
  const streamUuid = randomUUID()
  const issuer = await getIssuer(tx, organizationId, { pathIssuers })
  const { baseUrl } = streamIssuer(issuer, commonBaseUrl)
  const isDraft = input.specVersion === 'draft'
  const settings = settle(input, {
    streamUuid,
    baseUrl,
    rules,
    isDraft,
    storedAuthorization: null,
    storedEndpointUrl: null,
  })
  const { id } = await tx
    .insertInto('ssf_streams')
    .values({
      organization_id: organizationId,
      stream_id: streamUuid,
      name: settings.name,
      description: settings.description,
      spec_version: input.specVersion ?? 'v1_0',
      delivery_type: settings.deliveryType,
      audience: settings.audience,
      endpoint_url: settings.endpointUrl,
      events_requested: [...settings.events],
      device_subject_format: settings.deviceSubjectFormat,
      created_by_key_id: actor.type === 'ApiKey' ? actor.id : null,
      issuer,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.insertInto('ssf_stream_deliveries').values({ organization_id: organizationId, stream_id: id }).execute()
  const place = { organizationId, streamId: id }
  await noteTokenSettings(tx, place, commonBaseUrl)
  if (settings.authorization !== null) await storeAuthorization(tx, secrets, place, settings.authorization)
  const pollToken = settings.deliveryType === 'poll' ? await addPollToken(tx, secrets, place, now) : undefined
  const description = `Created the stream "${settings.name}", which is ${receiverOf(settings)}.`
  await recordAudit(tx, { action: 'stream.created', about: { stream: id }, description }, context)
  return { id, pollToken }
}
