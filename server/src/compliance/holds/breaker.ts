import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { breaker, limitOf, ownersThatCount } from './hold-rules.ts'

export type CheckOfOrganization = { organizationId: string; checkId: string }

/** What becomes of a further block of a check that comes without notice. */
export type Breaker = (
  | /** It is held, as others are. */ { way: 'holds'; holdId: string }
  | /** It takes effect: someone has just seen how many devices the check blocks, and let it. */ { way: 'lets_through' }
  | /** It counts towards the limit, with those of these owners; `openHoldId`: of one that holds first answers only. */ {
      way: 'counts'
      recent: ReadonlySet<string>
      openHoldId: string | null
    }
) & {
  /** The devices of so many people one check may newly block within the hour; read once, when it is asked for. */
  limit(): Promise<number>
}

export async function readBreaker(reader: Reader, check: CheckOfOrganization, now: string): Promise<Breaker> {
  let read: Promise<number> | undefined
  const limit = () => {
    read ??= readLimit(reader, check.organizationId)
    return read
  }
  const last = await latestHold(reader, check)
  const isOpen = last?.decision === null
  if (isOpen && holdsEveryBlock(last)) return { way: 'holds', holdId: last.id, limit }
  const isLetThrough = last?.decision === 'released' && (last.decided_at ?? '') > plusMs(now, -breaker.releasedMs)
  if (isLetThrough) return { way: 'lets_through', limit }
  return { way: 'counts', recent: await listRecent(reader, check, now), openHoldId: isOpen ? last.id : null, limit }
}

type Hold = NonNullable<Awaited<ReturnType<typeof latestHold>>>

/** One that began with an upgrade holds nothing else, until there are too many. */
const holdsEveryBlock = (hold: Hold): boolean => hold.upgraded_query_revision === null || hold.owner_limit !== null

/** Whether blocks without notice of these owners' devices are held. A preview asks it as the act does. */
export async function areHeld(standing: Breaker, owners: ReadonlySet<string>): Promise<boolean> {
  if (standing.way !== 'counts') return standing.way === 'holds' && owners.size > 0
  const { size } = new Set([...standing.recent, ...owners])
  // Most blocks are few, and ask for no limit.
  return owners.size > 0 && size > breaker.fewest && size > (await standing.limit())
}

export const latestHold = (reader: Reader, { organizationId, checkId }: CheckOfOrganization) =>
  reader
    .selectFrom('block_holds')
    .select(['id', 'decision', 'decided_at', 'owner_limit', 'upgraded_query_revision'])
    .where(inOrganization('block_holds', organizationId))
    .where('check_id', '=', checkId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * Whose devices the check has newly blocked within the window: as many as the limit at most, since with more of them a hold
 * begins, whose blocks are not counted towards the next one. A device that has lost its owner counts for nobody.
 */
async function listRecent(
  reader: Reader,
  { organizationId, checkId }: CheckOfOrganization,
  now: string,
): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('sudden_blocks')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'sudden_blocks.organization_id')
        .onRef('devices.id', '=', 'sudden_blocks.device_id'),
    )
    .select('devices.registered_owner_id')
    .distinct()
    .where(inOrganization('sudden_blocks', organizationId))
    .where('sudden_blocks.check_id', '=', checkId)
    .where('sudden_blocks.hold_id', 'is', null)
    .where('sudden_blocks.blocked_at', '>', plusMs(now, -breaker.windowMs))
    .where('devices.registered_owner_id', 'is not', null)
    .execute()
  return new Set(rows.flatMap((row) => row.registered_owner_id ?? []))
}

async function readLimit(reader: Reader, organizationId: string): Promise<number> {
  const owners = reader
    .selectFrom('devices')
    .select('registered_owner_id')
    .distinct()
    .where(inOrganization('devices', organizationId))
    .where('registered_owner_id', 'is not', null)
    .where('deleted_at', 'is', null)
    .limit(ownersThatCount)
  const { count } = await reader
    .selectFrom(owners.as('owners'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return limitOf(count)
}
