import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { generateToken, isWellFormedToken } from '../../base/secrets/token-format.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream } from './queries.ts'

type Place = { organizationId: string; streamId: string }

const prefix = 'muspt'

export const isPollToken = (text: string): boolean => isWellFormedToken(prefix, text)

/** How the token of a poll is looked up in `ssf_poll_tokens`. */
export const pollTokenHash = (secrets: Secrets, token: string): Buffer => secrets.lookupHash('poll_token', token)

/** Makes a token that a stream can be polled with, and returns it in plain text: only its keyed hash is kept. */
export async function addPollToken(tx: Tx, secrets: Secrets, { organizationId, streamId }: Place, now: string) {
  const token = generateToken(prefix)
  const lookupHash = pollTokenHash(secrets, token)
  await tx
    .insertInto('ssf_poll_tokens')
    .values({
      organization_id: organizationId,
      stream_id: streamId,
      lookup_hash: lookupHash,
      created_at: now,
    })
    .execute()
  await tx
    .insertInto('ssf_poll_token_lookups')
    .values({ lookup_hash: lookupHash, organization_id: organizationId, stream_id: streamId })
    .execute()
  return token
}

export async function removePollTokens(tx: Tx, { organizationId, streamId }: Place): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('ssf_poll_tokens')
    .where(inOrganization('ssf_poll_tokens', organizationId))
    .where('stream_id', '=', streamId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export type Rotation = {
  /** `id` or `stream_id`. */
  reference: string
  mode: 'overlap' | 'immediate' | 'disable'
  overlapSeconds: number
}

/** Replaces what a stream is polled with. Returns the new token; none where polling was disabled. */
export async function rotatePollToken(
  tx: Tx,
  secrets: Secrets,
  rotation: Rotation,
  context: ChangeContext,
): Promise<string | undefined> {
  const { organizationId, now } = context
  const { reference, mode, overlapSeconds } = rotation
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  if (stream.delivery_type === 'push') {
    fail('invalid', { errors: [{ field: 'mode', message: 'is for poll streams; this one is pushed' }] })
  }
  const place = { organizationId, streamId: stream.id }
  const removed =
    mode === 'overlap' ? await endPollTokens(tx, place, overlapSeconds, now) : await removePollTokens(tx, place)
  const token = mode === 'disable' ? undefined : await addPollToken(tx, secrets, place, now)
  if (token === undefined && removed === 0 && !stream.needs_no_poll_token) return undefined
  if (stream.needs_no_poll_token) await askForToken(tx, place)
  await notifyStreams(tx, organizationId)
  await recordAudit(
    tx,
    {
      action: 'stream.poll_token_changed',
      about: { stream: stream.id },
      description: sentences[mode](stream.name, overlapSeconds),
    },
    context,
  )
  return token
}

const sentences: Record<Rotation['mode'], (name: string, seconds: number) => string> = {
  overlap: (name, seconds) =>
    `Rotated the poll token of the stream "${name}"; previous tokens end within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  immediate: (name) => `Rotated the poll token of the stream "${name}"; previous tokens ended at once.`,
  disable: (name) => `Disabled the poll tokens of the stream "${name}".`,
}

/** What ends sooner anyway continues to do so; what has ended is gone. */
async function endPollTokens(
  tx: Tx,
  { organizationId, streamId }: Place,
  seconds: number,
  now: string,
): Promise<number> {
  await tx
    .deleteFrom('ssf_poll_tokens')
    .where(inOrganization('ssf_poll_tokens', organizationId))
    .where('stream_id', '=', streamId)
    .where('valid_until', '<=', now)
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('ssf_poll_tokens')
    .set({
      valid_until: sql<string>`least(valid_until, ${now}::timestamptz + ${seconds}::integer * interval '1 second')`,
    })
    .where(inOrganization('ssf_poll_tokens', organizationId))
    .where('stream_id', '=', streamId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

async function askForToken(tx: Tx, { organizationId, streamId }: Place): Promise<void> {
  await tx
    .updateTable('ssf_streams')
    .set({ needs_no_poll_token: false })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', streamId)
    .execute()
}
