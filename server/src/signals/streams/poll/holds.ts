import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Db } from '../../../base/db/transact.ts'

const maxHeld = 2
/** The place of a process that crashed is free so long after its poll would have ended. */
const graceMs = 5_000

type Held = { organizationId: string; streamId: string }

/**
 * Takes one of the places that a stream has for polls that wait, counted across all processes; returns how to give it
 * back, or undefined when all are taken. A place expires by the database's clock, which all processes share.
 */
export async function enterHold(db: Db, held: Held, holdMs: number): Promise<(() => Promise<void>) | undefined> {
  const holder = randomUUID()
  // A place that another poll takes at the same time is lost to it; there may be one more.
  for (let attempt = 0; attempt < maxHeld; attempt += 1) {
    const outcome = await takePlace(db, held, holder, holdMs + graceMs)
    if (outcome === 'full') return undefined
    if (outcome === 'taken') return () => leave(db, held, holder)
  }
  return undefined
}

async function takePlace(
  db: Db,
  { organizationId, streamId }: Held,
  holder: string,
  forMs: number,
): Promise<'taken' | 'lost' | 'full'> {
  const { rows } = await sql<{ was_free: boolean; is_taken: boolean }>`
    with free as (
      select place.number as place from generate_series(1, ${sql.lit(maxHeld)}) as place (number)
      where not exists (
        select from ssf_poll_holds as held
        where held.organization_id = ${organizationId}::bigint and held.stream_id = ${streamId}::bigint
          and held.place = place.number and held.expires_at > now()
      )
      limit 1
    ), taken as (
      insert into ssf_poll_holds as held (organization_id, stream_id, place, holder, expires_at)
      select ${organizationId}::bigint, ${streamId}::bigint, place, ${holder}::uuid,
        now() + ${forMs}::integer * interval '1 millisecond'
      from free
      on conflict on constraint ssf_poll_holds_pkey do update
        set holder = excluded.holder, expires_at = excluded.expires_at where held.expires_at <= now()
      returning place
    )
    select exists (select from free) as was_free, exists (select from taken) as is_taken`.execute(db)
  const [row] = rows
  if (row?.is_taken) return 'taken'
  return row?.was_free ? 'lost' : 'full'
}

const leave = async (db: Db, { organizationId, streamId }: Held, holder: string): Promise<void> => {
  await db
    .deleteFrom('ssf_poll_holds')
    .where(inOrganization('ssf_poll_holds', organizationId))
    .where('stream_id', '=', streamId)
    .where('holder', '=', holder)
    .execute()
}
