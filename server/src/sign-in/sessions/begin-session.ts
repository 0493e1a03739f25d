import { randomBytes } from 'node:crypto'
import type { Occasion } from '../../base/change-context.ts'
import type { EntraRequest, UpstreamPart } from '../../base/db/schema.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import type { SignInConnection } from '../connections/connection-queries.ts'
import { hashOf } from './session-codes.ts'
import { countBegun } from './session-queries.ts'
import { limits } from './session-rules.ts'
import { settleSession } from './settle-session.ts'

export type Arrival = {
  interactionUid: string
  connection: SignInConnection
  /** Whom the caller vouches for: an address or a user name. Undefined where an upstream says who it is. */
  subject: string | undefined
  /** The identifier that Microsoft Entra has for the person. */
  subjectId?: string
  /** What an upstream is asked for, where the connection has one. */
  asked?: UpstreamPart['asked']
  /** SHA-256 of each of what makes the request one of its kind: it begins one sign-in. None of a request that is not signed. */
  requestMarks: readonly Buffer[]
  /** How far the clock of its caller is ahead, in milliseconds, as a signed request says. */
  callerAheadMs?: number | undefined
  /** What the OpenID provider keeps of the request. */
  interaction?: object
  /** Of Microsoft Entra: who has signed the hint, and what the answer repeats. */
  entra?: { subjectIssuer: string; request: EntraRequest }
  network: string
  /** Whether a device has proved itself in the browser before: it is counted for that, not for its network. */
  isKnownBrowser?: boolean
  ipAddress: string
  userAgent: string
  /** An administrator tries the connection: nothing of it is logged, and no application is answered. */
  isTest?: true
}

export type Begun = { id: string; secret: string } | 'too_many' | 'replayed'

/**
 * Begins a sign-in, and its log where somebody is vouched for, in one transaction. While nobody is it is one row, and a network
 * may begin 60 of those within ten minutes at one connection, beside those of known browsers. A signed request that has begun one before begins no other.
 */
export async function beginSession(db: Db, arrival: Arrival, occasion: Occasion): Promise<Begun> {
  const { now } = occasion
  const { connection, network } = arrival
  const { id: connectionId, organization_id: organizationId } = connection
  const isVouchedFor = connection.upstream_id === null
  const [id, secret] = [randomBytes(12).toString('hex'), randomBytes(32).toString('base64url')]
  const begin = async (tx: Tx): Promise<Begun> => {
    if (!isVouchedFor && !arrival.isKnownBrowser) {
      const since = plusMs(now, -limits.windowMs)
      const begun = await countBegun(tx, { organizationId, connectionId, network }, since)
      if (begun >= limits.begun) return 'too_many'
    }
    await markRequests(tx, arrival, now)
    await insertSession(tx, arrival, { id, secret }, now)
    if (isVouchedFor) await settleSession(tx, { organizationId, id }, occasion)
    return { id, secret }
  }
  try {
    return await transact(db, begin)
  } catch (error) {
    if (error instanceof Replayed) return 'replayed'
    throw error
  }
}

class Replayed extends Error {}

/** Marks a request as seen. Fails when one of its marks is there already, so that the transaction keeps no other. */
async function markRequests(tx: Tx, { connection, requestMarks }: Arrival, now: string): Promise<void> {
  if (requestMarks.length === 0) return
  const place = { organization_id: connection.organization_id, connection_id: connection.id }
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto('signin_requests_seen')
    .values(requestMarks.map((hash) => ({ ...place, seen_at: now, request_hash: hash })))
    .onConflict((conflict) => conflict.constraint('signin_requests_seen_pkey').doNothing())
    .executeTakeFirst()
  if (Number(inserted) < requestMarks.length) throw new Replayed()
}

async function insertSession(
  tx: Tx,
  arrival: Arrival,
  { id, secret }: { id: string; secret: string },
  now: string,
): Promise<void> {
  const { connection, interaction } = arrival
  await tx
    .insertInto('signin_sessions')
    .values({
      ...{ organization_id: connection.organization_id, connection_id: connection.id, id },
      ...{
        network: arrival.network,
        is_known_browser: arrival.isKnownBrowser ?? false,
        interaction_uid: arrival.interactionUid,
        ...claimedBy(arrival),
      },
      ...(interaction && { interaction: JSON.stringify(interaction) }),
      cookie_hash: Buffer.from(hashOf(secret), 'hex'),
      ip_address: arrival.ipAddress,
      user_agent: arrival.userAgent.slice(0, 1_000),
      ...{ started_at: now, last_event_at: now, waits_until: plusMs(now, waitMsOf(arrival)) },
      is_test: arrival.isTest === true,
      caller_ahead_ms: arrival.callerAheadMs ?? null,
    })
    .execute()
}

const waitMsOf = ({ isTest, connection }: Arrival): number => (isTest ? limits.testMs : connection.wait_seconds * 1000)

/** Who the request says it is of. Where an upstream says that, nobody else does. */
function claimedBy({ connection, subject, subjectId, asked, entra }: Arrival) {
  if (connection.upstream_id !== null) {
    const part: UpstreamPart = { asked: asked ?? {}, legs: 0 }
    return { evidence: 'none', state: 'identifying', upstream: JSON.stringify(part) } as const
  }
  const [given, givenId] = [subject?.slice(0, 320) ?? null, subjectId?.slice(0, 320) ?? null]
  const ofEntra = entra && { subject_issuer: entra.subjectIssuer, entra_request: JSON.stringify(entra.request) }
  return { evidence: 'asserted', state: 'looking', subject: given, subject_id: givenId, ...ofEntra } as const
}
