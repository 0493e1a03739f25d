import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { findSigningKey, keyTimes } from '../../keys/signing-keys.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { streamAddress } from './audience.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream, type Stream } from './queries.ts'
import { getIssuer, streamIssuer } from './stream-issuer.ts'
import { noteTokenSettings } from './token-settings.ts'

export type Move = {
  /** `id` or `stream_id`. */
  reference: string
  /** MUSTER_BASE_URL. */
  baseUrl: string
  pathIssuers: boolean
}

/**
 * Moves a stream to the present issuer and the keys of its organization. Events that were queued before keep the issuer
 * and the keys of before, which stay published for 31 days. A stream that is there already stays as it is: false.
 * Fails with invalid where the organization has no issuer, or its keys are not known to receivers yet.
 */
export async function moveStream(tx: Tx, move: Move, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  const { reference, baseUrl, pathIssuers } = move
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  const next = await getIssuer(tx, organizationId, { pathIssuers })
  if (stream.issuer === next.issuer && stream.signing_purpose === next.purpose) return false
  const [from, to] = [streamIssuer(stream.issuer, baseUrl), streamIssuer(next.issuer, baseUrl)]
  if (from.issuer === to.issuer) await requireKnownKey(tx, organizationId, now)
  await tx
    .updateTable('ssf_streams')
    .set({
      issuer: next.issuer,
      signing_purpose: next.purpose,
      former_issuer: stream.issuer,
      former_signing_purpose: stream.signing_purpose,
      moved_at: now,
      audience: movedAudience(stream, from.baseUrl, to.baseUrl),
      updated_at: now,
    })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', stream.id)
    .execute()
  await noteTokenSettings(tx, { organizationId, streamId: stream.id }, baseUrl)
  await notifyStreams(tx, organizationId)
  const description =
    from.issuer === to.issuer
      ? `Moved the stream "${stream.name}" to the signing keys of the organization.`
      : `Moved the stream "${stream.name}" from the issuer ${from.issuer} to ${to.issuer}.`
  await recordAudit(tx, { action: 'stream.moved', about: { stream: stream.id }, description }, context)
  return true
}

/** The stream's own address, where that is its audience, moves along. */
export const movedAudience = ({ audience, stream_id }: Stream, from: string, to: string): string | null =>
  audience === streamAddress(from, stream_id) ? streamAddress(to, stream_id) : audience

/** Receivers of the same key set may keep it as it was before the key was in it. */
async function requireKnownKey(reader: Reader, organizationId: string, now: string): Promise<void> {
  const key = await findSigningKey(reader, { organizationId, purpose: 'signals' }, now)
  const knownAt = key && plusMs(key.created_at, keyTimes.signals.leadMs)
  if (knownAt !== undefined && knownAt <= now) return
  const when = knownAt === undefined ? 'in two hours' : `after ${knownAt}`
  fail('invalid', {
    message: `The key of the organization is not known to every receiver yet: move the stream ${when}.`,
  })
}
