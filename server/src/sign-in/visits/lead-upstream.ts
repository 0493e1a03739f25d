import { transact } from '../../base/db/transact.ts'
import { findSession } from '../sessions/session-queries.ts'
import { beginLeg } from '../sessions/upstream-legs.ts'
import { returnPath } from '../upstreams/open-upstreams.ts'
import { findUpstream } from '../upstreams/upstream-queries.ts'
import type { Place, VisitContext } from './visit-context.ts'

/** Where the upstream sends people back to. */
export const returnAddress = ({ baseUrl }: Place): string => `${baseUrl}${returnPath}`

/**
 * The address that the browser of a sign-in is sent to, at its upstream. Undefined where it waits for none, or has been there
 * too often. Calls nobody.
 */
export async function leadUpstream(context: VisitContext, place: Place, id: string): Promise<string | undefined> {
  const { db, upstreams } = context
  const { organizationId } = place
  const session = await findSession(db, organizationId, id)
  const upstreamId = session?.upstream_id ?? null
  const upstream = upstreamId === null ? undefined : await findUpstream(db, organizationId, upstreamId)
  if (!upstream) return undefined
  const leg = await transact(db, (tx) =>
    beginLeg(tx, { organizationId, id }, { upstreamId: upstream.id, now: context.now() }),
  )
  return leg && upstreams.addressOf(upstream, { ...leg, redirectUri: returnAddress(place) })
}
