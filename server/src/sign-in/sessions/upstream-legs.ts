import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database, SessionState, UpstreamPart } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { createVouchedPerson } from './create-vouched-person.ts'
import { hashOf } from './session-codes.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'
import { settleSession } from './settle-session.ts'

type Place = { organizationId: string; id: string }

/** The sign-in that a state belongs to; undefined for what we cannot have given out. */
export const sessionOfState = (state: unknown): string | undefined =>
  typeof state === 'string' ? /^([0-9a-f]{24})\.[\w-]{43}$/.exec(state)?.[1] : undefined

/**
 * A state to send the browser upstream with; the one before it is good no longer. Undefined where the sign-in waits for no
 * upstream, or has been there too often.
 */
export async function beginLeg(
  tx: Tx,
  place: Place,
  { upstreamId, now }: { upstreamId: string; now: string },
): Promise<{ state: string; part: UpstreamPart } | undefined> {
  const session = await lockIdentifying(tx, place)
  const before = session?.upstream
  if (!before || before.legs >= limits.legs) return undefined
  const state = `${place.id}.${randomBytes(32).toString('base64url')}`
  const part: UpstreamPart = { ...before, legs: before.legs + 1, begunAt: now, upstreamId }
  await update(tx, place, {
    leg_hash: Buffer.from(hashOf(state), 'hex'),
    upstream: JSON.stringify(part),
    last_event_at: now,
  })
  return { state, part }
}

/** Uses up a state: it is good once, for the latest one of the sign-in alone, and for the upstream that it was made for. */
export async function takeLeg(
  tx: Tx,
  place: Place,
  { state, upstreamId }: { state: string; upstreamId: string },
): Promise<UpstreamPart | undefined> {
  const session = await lockIdentifying(tx, place)
  if (session?.upstream?.upstreamId !== upstreamId || session.leg_hash === null) return undefined
  if (!timingSafeEqual(session.leg_hash, Buffer.from(hashOf(state), 'hex'))) return undefined
  await update(tx, place, { leg_hash: null })
  return session.upstream
}

/** Keeps why the upstream's answer named nobody, in a test in detail; the person may go there once more. */
export async function noteLegFailure(
  tx: Tx,
  place: Place,
  { failure, detail }: { failure: NonNullable<UpstreamPart['failure']>; detail?: string | undefined },
  now: string,
): Promise<void> {
  const session = await lockIdentifying(tx, place)
  if (!session?.upstream) return
  const { detail: _, ...part } = session.upstream
  const upstream = JSON.stringify({ ...part, failure, ...(session.is_test && detail !== undefined && { detail }) })
  await update(tx, place, { upstream, last_event_at: now, revision: session.revision + 1 })
}

type Identity = { issuer: string; subject: string; address: string; said: NonNullable<UpstreamPart['said']> }

/** Takes down who the person is, as their upstream has said, and settles the sign-in. Undefined where it waits for none. */
export async function identifySession(
  tx: Tx,
  place: Place,
  { issuer, subject, address, said }: Identity,
  occasion: Occasion,
): Promise<SessionState | undefined> {
  const session = await lockIdentifying(tx, place)
  if (!session?.upstream) return undefined
  const { failure: _, detail: __, ...part } = session.upstream
  const person = { subject: address, subject_id: subject, subject_issuer: issuer }
  const { upstreamId } = part
  if (upstreamId !== undefined && !session.is_test) {
    await createVouchedPerson(tx, { ...session, ...person }, { upstreamId, address, said }, occasion)
  }
  await update(tx, place, {
    evidence: 'asserted',
    ...person,
    upstream: JSON.stringify({ ...part, said }),
    state: 'looking',
    revision: session.revision + 1,
  })
  return (await settleSession(tx, place, occasion))?.judged.state
}

async function lockIdentifying(tx: Tx, { organizationId, id }: Place): Promise<SignInSession | undefined> {
  const session = await lockSession(tx, organizationId, id)
  return session?.state === 'identifying' ? session : undefined
}

const update = (tx: Tx, { organizationId, id }: Place, change: Updateable<Database['signin_sessions']>) =>
  tx
    .updateTable('signin_sessions')
    .set(change)
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .execute()
