import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { EntraRequest, UpstreamPart } from '../../base/db/schema.ts'
import type { Db } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import type { SignInConnection } from '../connections/connection-queries.ts'
import { evidenceOf } from '../connections/connection-rules.ts'
import { hashOf } from './session-codes.ts'
import { findBeginning } from './session-queries.ts'
import { limits } from './session-rules.ts'

export type Arrival = {
  interactionUid: string
  connection: SignInConnection
  /** Whom the request names: an address or a user name. */
  subject: string | undefined
  /** The caller's own identifier of the person. */
  subjectId: string | undefined
  /** What an upstream is asked for, where the connection has one. */
  asked?: UpstreamPart['asked']
  /** Each of what makes the request one of its kind: state, nonce and code challenge; a signed hint. */
  requestMarks: readonly string[]
  /** Of Microsoft Entra: who has signed the hint, and what the answer repeats. */
  entra?: { subjectIssuer: string; request: EntraRequest }
  network: string
  ipAddress: string
  userAgent: string
}

export type Begun = { id: string; secret: string | undefined } | 'too_many' | 'replayed'

/**
 * Begins a sign-in: one row, which nobody hears of until a person is known. A network may begin 60 within ten minutes at
 * one connection, unless Microsoft Entra has signed for the person of each. An interaction that has a sign-in already keeps it; its secret is not given again. A request that has begun
 * one before begins no other.
 */
export async function beginSession(db: Db, arrival: Arrival, now: string): Promise<Begun> {
  const { connection, network, interactionUid } = arrival
  const place = { organizationId: connection.organization_id, connectionId: connection.id, network, interactionUid }
  const { known, begun } = await findBeginning(db, place, plusMs(now, -limits.windowMs))
  if (known !== null) return { id: known, secret: undefined }
  // Who sends a signed hint of Entra has a budget of its own.
  if (!arrival.entra && begun >= limits.begun) return 'too_many'
  const [id, secret] = [randomBytes(12).toString('hex'), randomBytes(32).toString('base64url')]
  return (await insertSession(db, arrival, { id, secret }, now)) ? { id, secret } : 'replayed'
}

/** Inserts the sign-in unless its request was seen before, by one statement. False when it was. */
async function insertSession(
  db: Db,
  arrival: Arrival,
  { id, secret }: { id: string; secret: string },
  now: string,
): Promise<boolean> {
  const { connection, network } = arrival
  const place = { organization_id: connection.organization_id, connection_id: connection.id }
  const row = {
    ...{ ...place, id, network, interaction_uid: arrival.interactionUid, ...claimedBy(arrival) },
    cookie_hash: Buffer.from(hashOf(secret), 'hex'),
    ip_address: arrival.ipAddress,
    user_agent: arrival.userAgent.slice(0, 1_000),
    ...{ started_at: now, last_event_at: now, waits_until: plusMs(now, connection.wait_seconds * 1000) },
  }
  const marks = arrival.requestMarks.map((mark) => ({
    ...{ ...place, seen_at: now },
    request_hash: Buffer.from(hashOf(mark), 'hex'),
  }))
  const columns = Object.keys(row) as (keyof typeof row)[]
  const { numInsertedOrUpdatedRows: inserted } = await db
    .with('seen', (build) =>
      build
        .insertInto('signin_requests_seen')
        .values(marks)
        .onConflict((conflict) => conflict.constraint('signin_requests_seen_pkey').doNothing())
        .returning('connection_id'),
    )
    .insertInto('signin_sessions')
    .columns(columns)
    .expression((build) =>
      build
        .selectFrom('seen')
        .select(columns.map((column) => build.val(row[column]).as(column)))
        // Each of its marks is new.
        .where((where) => where(countOfSeen, '=', marks.length))
        .limit(1),
    )
    .executeTakeFirst()
  return Number(inserted) > 0
}

const countOfSeen = sql<number>`(select count(*)::int from seen)`

/**
 * Who the request says it is of. A client whose requests are signed sends no others: what it says of the person is asserted.
 * Where an upstream says who it is, nobody else does.
 */
function claimedBy({ connection, subject, subjectId, asked, entra }: Arrival) {
  if (connection.upstream_id !== null) {
    const part: UpstreamPart = { asked: asked ?? {}, legs: 0 }
    return { evidence: 'none', state: 'identifying', upstream: JSON.stringify(part) } as const
  }
  const evidence = subject || entra ? evidenceOf(connection) : 'none'
  const [given, givenId] = [subject?.slice(0, 320) ?? null, subjectId?.slice(0, 320) ?? null]
  const ofEntra = entra && { subject_issuer: entra.subjectIssuer, entra_request: JSON.stringify(entra.request) }
  return { evidence, state: 'looking', subject: given, subject_id: givenId, ...ofEntra } as const
}
