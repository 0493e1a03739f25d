import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SsfTest } from '@muster/contract/ssf-streams.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Reader, type Tx, transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { PostOutcome } from '../../base/outbound/outbound.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { authorizationReader } from './authorization-header.ts'
import { complianceChangeType } from './event-types.ts'
import { issueTokens } from './issue-tokens.ts'
import { findEvent } from './list-pending.ts'
import { sendEvent } from './push/send-event.ts'
import { writeOutcomes } from './push/write-outcomes.ts'
import { findStream, type Stream } from './queries.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'
import type { StreamParts } from './start-streams.ts'
import { refuseStopped } from './verify-stream.ts'

type Asked = { reference: string; email: string }

const answerWithinMs = 5_000
/** For the caller that sends it at once; if that process dies, deliverers send it after this. */
const heldMs = 60_000

/**
 * Sends an event that the device of a person changed to its current status, marked as a test in the history, and returns
 * how its receiver answered.
 */
export async function sendTest(parts: StreamParts, asked: Asked, context: ChangeContext): Promise<SsfTest> {
  const { db } = parts.connection
  const { stream, eventId, hint } = await transact(db, (tx) => queueTest(tx, asked, context))
  const named = { ssf_stream_event_id: Number(eventId), ...(hint !== undefined && { hint }) }
  if (stream.endpoint_url === null) return { success: true, response_code: '202', ...named }
  const startedAt = performance.now()
  const attemptedAt = parts.clock()
  const outcome = await post(parts, stream, stream.endpoint_url, eventId)
  const isTaken = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
  const code = outcome.kind === 'answered' ? String(outcome.status) : 'no_response'
  const said = outcome.kind === 'answered' ? `The receiver answered ${outcome.status}` : outcome.message
  const result = {
    organizationId: context.organizationId,
    streamId: stream.id,
    eventId,
    state: isTaken ? 'delivered' : 'rejected',
    heldUntil: null,
    errorCode: isTaken ? null : 'test_failed',
    errorDescription: isTaken ? null : said,
    attemptedAt,
    durationMs: Math.round(outcome.timings.totalMs),
    status: outcome.kind === 'answered' ? outcome.status : null,
    error: isTaken ? null : said,
    rejectedKid: null,
  } as const
  await writeOutcomes(db, '', [result], [])
  // No answer looks the same whatever the reason, also to a clock: this is no scanner of ports.
  if (outcome.kind === 'failed') await pause(Math.max(0, answerWithinMs - (performance.now() - startedAt)))
  return { success: isTaken, response_code: code, ...named }
}

async function post(parts: StreamParts, stream: Stream, url: string, eventId: string): Promise<PostOutcome> {
  const place = { organizationId: stream.organization_id, streamId: stream.id }
  const event = orNotFound(await findEvent(parts.connection.db, place, eventId))
  const [issued] = await issueTokens(parts.issuer, [event])
  const authorization = authorizationReader(parts.secrets)(stream) ?? undefined
  const destination = { url, authorization, updatedAt: stream.updated_at }
  return sendEvent(parts.outbound, destination, orNotFound(issued), AbortSignal.timeout(answerWithinMs))
}

type QueuedTest = { stream: Stream; eventId: string; hint: string | undefined }

async function queueTest(tx: Tx, asked: Asked, context: ChangeContext): Promise<QueuedTest> {
  const { organizationId, now } = context
  const { reference, email } = asked
  const stream = orNotFound(await findStream(tx, organizationId, reference))
  refuseStopped(stream)
  refuseUnrequested(stream)
  const found = await findDeviceOf(tx, organizationId, email)
  const status = found?.signalled_status ?? 'compliant'
  const event = {
    // Receivers refuse a change that changes nothing; what they end with is how the device stands.
    previous_status: status === 'compliant' ? 'not-compliant' : 'compliant',
    current_status: status,
    event_timestamp: Math.floor(Date.parse(now) / 1_000),
    initiating_entity: 'admin',
    reason_admin: { en: 'Test event' },
  }
  const txn = randomUUID()
  const heldUntil = stream.delivery_type === 'push' ? new Date(Date.parse(now) + heldMs).toISOString() : undefined
  const facts = { organizationId, streamId: stream.id, kind: 'test', event, txn, userEmail: email } as const
  const deviceId = found?.device_id ?? null
  const { eventId } = await queueStreamSignal(tx, { ...facts, deviceId, now, ...(heldUntil && { heldUntil }) })
  const description = `Sent a test event about "${email}" to the stream "${stream.name}".`
  const about = { stream: stream.id, device: deviceId }
  await recordAudit(tx, { action: 'stream.tested', about, description }, context)
  return { stream, eventId, hint: hintOf(found) }
}

function refuseUnrequested({ events_requested: requested }: Stream): void {
  if (requested.includes(complianceChangeType)) return
  const message = 'The stream delivers verification events only: request the device compliance change first.'
  fail('malformed_request', { message })
}

type Found = Awaited<ReturnType<typeof findDeviceOf>>

function hintOf(found: Found): string | undefined {
  if (!found) return 'Nobody in the organization has this e-mail address: the event names the address and no device.'
  return found.device_id === null ? 'No device is registered to this person: the event names no device.' : undefined
}

/** The person of this address, with the first device that is registered to them, if there is one. */
const findDeviceOf = (reader: Reader, organizationId: string, email: string) =>
  reader
    .selectFrom('people')
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'people.organization_id')
        .onRef('devices.registered_owner_id', '=', 'people.id')
        .on('devices.deleted_at', 'is', null),
    )
    .select(['devices.id as device_id', 'devices.signalled_status'])
    .where(inOrganization('people', organizationId))
    .where(equalsFolded('people.email', email))
    .orderBy(closestSpelling('people.email', email), 'desc')
    .orderBy('devices.id')
    .limit(1)
    .executeTakeFirst()
