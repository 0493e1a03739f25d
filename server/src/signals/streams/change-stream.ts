import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { ReceiverRules } from '../../base/outbound/receiver-url.ts'
import { isSameOrigin } from '../../base/outbound/same-origin.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { changesBetween } from '../audit/changes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { streamAddress } from './audience.ts'
import { complianceChangeType } from './event-types.ts'
import { notifyStreams } from './notify-streams.ts'
import { removePollTokens } from './poll-tokens.ts'
import { type Presenting, presentStream } from './present.ts'
import { findStreamRecord, lockStream, type Stream } from './queries.ts'
import { refuseOwned, type Settings, settle } from './settle-stream.ts'
import type { StreamInput } from './stream-input.ts'
import { streamIssuer } from './stream-issuer.ts'
import { noteTokenSettings } from './token-settings.ts'
import { receiverOf, storeAuthorization } from './write-settings.ts'

export type StreamChange = {
  /** `id` or `stream_id`. */
  reference: string
  input: StreamInput
  /** As it came, to see what of it belongs to the service. */
  body: Readonly<Record<string, unknown>>
  /** Whether what is missing has its default again, rather than stays. */
  replaces: boolean
  rules: ReceiverRules
}

/** Changes what can be chosen of a stream. Nothing is written where nothing changes. */
export async function changeStream(
  tx: Tx,
  secrets: Secrets,
  presenting: Presenting,
  change: StreamChange,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const { reference, input, body, replaces, rules } = change
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  const shown = presentStream(orNotFound(await findStreamRecord(tx, organizationId, stream.id, now)), presenting)
  const current = { stream, authorization: presenting.authorizationOf(stream) }
  const { baseUrl } = streamIssuer(stream.issuer, presenting.baseUrl)
  const place = {
    streamUuid: stream.stream_id,
    baseUrl,
    rules,
    isDraft: stream.spec_version === 'draft',
    storedAuthorization: current.authorization,
    storedEndpointUrl: stream.endpoint_url,
  }
  const isOwn = stream.audience === streamAddress(baseUrl, stream.stream_id)
  const spec = { ...input, specVersion: isOwn ? ('draft' as const) : ('v1_0' as const) }
  const settings = settle(spec, place, replaces ? undefined : current)
  refuseOwned(body, shown, stream, settings, baseUrl)
  const news = newsOf(current, settings)
  if (news.length === 0) return
  await write(tx, stream, settings, now)
  await noteTokenSettings(tx, { organizationId, streamId: stream.id }, presenting.baseUrl)
  if (settings.authorization !== current.authorization) {
    await storeAuthorization(tx, secrets, { organizationId, streamId: stream.id }, settings.authorization)
  }
  await notifyStreams(tx, organizationId)
  const shownFields = ['name', 'description', 'events_requested', 'device_subject_format'] as const
  const after = {
    ...{ name: settings.name, description: settings.description, events_requested: [...settings.events] },
    device_subject_format: settings.deviceSubjectFormat,
  }
  const changes = changesBetween(stream, after, shownFields)
  const description = `Changed the stream "${stream.name}": ${news.join('; ')}.`
  await recordAudit(tx, { action: 'stream.updated', about: { stream: stream.id }, description, changes }, context)
}

async function write(tx: Tx, stream: Stream, settings: Settings, now: string): Promise<void> {
  const { organization_id: organizationId, id: streamId } = stream
  const isConverted = settings.deliveryType !== stream.delivery_type
  await tx
    .updateTable('ssf_streams')
    .set({
      name: settings.name,
      description: settings.description,
      delivery_type: settings.deliveryType,
      audience: settings.audience,
      endpoint_url: settings.endpointUrl,
      events_requested: [...settings.events],
      device_subject_format: settings.deviceSubjectFormat,
      updated_at: now,
      // Whoever converts a stream asks for a token of it from then on.
      ...(isConverted && { needs_no_poll_token: false }),
    })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', streamId)
    .execute()
  if (isConverted) await removePollTokens(tx, { organizationId, streamId })
  if (settings.endpointUrl !== stream.endpoint_url) await forgetTroubles(tx, organizationId, streamId)
}

/** They were of the receiver at the address before. */
async function forgetTroubles(tx: Tx, organizationId: string, streamId: string): Promise<void> {
  await tx
    .updateTable('ssf_stream_deliveries')
    .set({ held_until: null, failures: 0, failing_since: null, last_error: null })
    .where(inOrganization('ssf_stream_deliveries', organizationId))
    .where('stream_id', '=', streamId)
    .where('failing_since', 'is not', null)
    .execute()
}

const isEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, place) => value === other[place])

const eventsInWords = (events: readonly string[]): string =>
  events.includes(complianceChangeType) ? 'other requested events' : 'verification events only'

function authorizationNews(before: string | null, { authorization, endpointUrl }: Settings): string {
  if (authorization !== null) return 'another authorization header'
  const isElsewhere = before !== null && endpointUrl !== null && !isSameOrigin(before, endpointUrl)
  return isElsewhere
    ? 'dropped the authorization header, as it is not sent to another origin'
    : 'no authorization header'
}

type Current = { stream: Stream; authorization: string | null }

function newsOf({ stream, authorization }: Current, settings: Settings): string[] {
  const [before, after] = [receiverOf({ endpointUrl: stream.endpoint_url }), receiverOf(settings)]
  const news: (string | false)[] = [
    settings.name !== stream.name && `its name is "${settings.name}"`,
    settings.description !== stream.description && 'another description',
    settings.endpointUrl !== stream.endpoint_url &&
      (before === after ? `${after} at another address` : `${after}, before ${before}`),
    settings.audience !== stream.audience && settings.audience !== settings.endpointUrl && 'another audience',
    settings.authorization !== authorization && authorizationNews(stream.endpoint_url, settings),
    !isEqual(settings.events, stream.events_requested) && eventsInWords(settings.events),
    settings.deviceSubjectFormat !== stream.device_subject_format &&
      `devices are named by ${settings.deviceSubjectFormat} identifiers`,
  ]
  const told = news.filter((one) => one !== false)
  return told.length === 0 && settings.audience !== stream.audience ? ['another audience'] : told
}
