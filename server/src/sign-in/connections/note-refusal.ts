import { createHash } from 'node:crypto'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Reader, Tx } from '../../base/db/transact.ts'
import { dayMs, minuteMs, plusMs } from '../../base/time.ts'
import type { SignInConnection } from './connection-queries.ts'

export type LastRefusal = { reason: RequestRefusal; refused_at: string }

/** Anyone may send requests that are refused: what comes within a minute of the last is not written. */
const quietMs = minuteMs
const maxKnown = 1_000

/**
 * Notes why a request of a connection was refused, at most once a minute and connection: this process asks the database no more
 * often, and the row says it for all of them. A connection that was changed is another one: whoever tries a setting learns at once
 * what is wrong now.
 */
export function refusalNotes(db: Db) {
  const noted = new Map<string, { settings: string; atMs: number }>()
  return async (connection: SignInConnection, reason: RequestRefusal, now: string): Promise<void> => {
    const { organization_id, id } = connection
    const key = `${organization_id}/${id}`
    const settings = createHash('sha256').update(JSON.stringify(connection)).digest('base64')
    const last = noted.get(key)
    if (last?.settings === settings && performance.now() - last.atMs < quietMs) return
    noted.delete(key)
    noted.set(key, { settings, atMs: performance.now() })
    const [oldest] = noted.keys()
    if (noted.size > maxKnown && oldest !== undefined) noted.delete(oldest)
    await db
      .insertInto('signin_refusals')
      .values({ organization_id, connection_id: id, reason, refused_at: now })
      .onConflict((conflict) =>
        conflict
          .constraint('signin_refusals_pkey')
          .doUpdateSet({ reason, refused_at: now })
          .where((build) =>
            build.or([
              build('signin_refusals.refused_at', '<=', plusMs(now, -quietMs)),
              // By a clock that was ahead.
              build('signin_refusals.refused_at', '>', now),
            ]),
          ),
      )
      .execute()
  }
}

/** The last refusal of each connection that has one of the last 30 days, by its identifier. */
export async function readRefusals(
  reader: Reader,
  organizationId: string,
  now: string,
): Promise<ReadonlyMap<string, LastRefusal>> {
  const rows = await reader
    .selectFrom('signin_refusals')
    .select(['connection_id', 'reason', 'refused_at'])
    .where(inOrganization('signin_refusals', organizationId))
    .where('refused_at', '>', plusMs(now, -30 * dayMs))
    .execute()
  return new Map(rows.map(({ connection_id: id, ...refusal }) => [id, refusal]))
}

/** Forgets what was refused by settings that are no longer so. */
export async function forgetRefusal(tx: Tx, organizationId: string, connectionId: string): Promise<void> {
  await tx
    .deleteFrom('signin_refusals')
    .where(inOrganization('signin_refusals', organizationId))
    .where('connection_id', '=', connectionId)
    .execute()
}
