import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
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
 * Moves a stream to the present issuer of its organization. Events that were queued before keep the issuer of before,
 * which is served for 31 days. A stream that is there already stays as it is: false. Fails with invalid where the
 * organization has no issuer.
 */
export async function moveStream(tx: Tx, move: Move, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  const { reference, baseUrl, pathIssuers } = move
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  const next = await getIssuer(tx, organizationId, { pathIssuers })
  if (stream.issuer === next) return false
  const [from, to] = [streamIssuer(stream.issuer, baseUrl), streamIssuer(next, baseUrl)]
  await tx
    .updateTable('ssf_streams')
    .set({
      issuer: next,
      moved_at: now,
      audience: movedAudience(stream, from.baseUrl, to.baseUrl),
      updated_at: now,
    })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', stream.id)
    .execute()
  await noteTokenSettings(tx, { organizationId, streamId: stream.id }, baseUrl)
  await notifyStreams(tx, organizationId)
  const description = `Moved the stream "${stream.name}" from the issuer ${from.issuer} to ${to.issuer}.`
  await recordAudit(tx, { action: 'stream.moved', about: { stream: stream.id }, description }, context)
  return true
}

/** The stream's own address, where that is its audience, moves along. */
export const movedAudience = ({ audience, stream_id }: Stream, from: string, to: string): string | null =>
  audience === streamAddress(from, stream_id) ? streamAddress(to, stream_id) : audience
