import type { MovedDevice } from '@muster/contract/console-devices.ts'
import { type RawBuilder, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

const newestFirst: Keyset = { id: { column: 'events.id', type: 'bigint' }, direction: 'desc' }

/** What an entry of the audit log has moved devices by. */
type Mover = {
  readonly organizationId: string
  readonly cause: string
  /** The only devices it can have moved, where it is about some; else null. */
  readonly deviceIds: readonly string[] | null
  /** The only checks that devices can have been decided again for by it, where it is about some; else null. */
  readonly checkIds: readonly string[] | null
}

/** Undefined where the entry is of before causes were kept, or is not there. */
async function findMover(reader: Reader, organizationId: string, entryId: string): Promise<Mover | undefined> {
  const entry = await reader
    .selectFrom('audit_logs')
    .select(['cause', 'about'])
    .where(inOrganization('audit_logs', organizationId))
    .where('id', '=', entryId)
    .executeTakeFirst()
  if (entry?.cause == null) return undefined
  const idsOf = (kind: string) => {
    const keys = entry.about?.filter((key) => key.startsWith(`${kind}:`)) ?? []
    return keys.length === 0 ? null : keys.map((key) => key.slice(kind.length + 1))
  }
  return { organizationId, cause: entry.cause, deviceIds: idsOf('device'), checkIds: idsOf('check') }
}

const byCause = ({ cause }: Mover) => sql<boolean>`events.cause = ${cause}`

/** Found apart, by an index of few: with the order of a page beside it, the planner would read all events of the organization. */
const byEarlierCause = ({ organizationId, cause }: Mover) =>
  sql<boolean>`events.id = any(array(
    select moved.id from events as moved
    where moved.organization_id = ${organizationId}::bigint and moved.type = 'device_trust.status_changed'
      and moved.data #> '{decidedFor,earlierCauses}' is not null
      and moved.data #> '{decidedFor,earlierCauses}' @> to_jsonb(array[${cause}::text])
  ))`

const movedBy = (reader: Reader, { organizationId, deviceIds, checkIds }: Mover, isOfCause: RawBuilder<boolean>) =>
  reader
    .selectFrom('events')
    .select([
      'events.organization_id',
      'events.id',
      'events.occurred_at',
      sql<string>`events.device_id`.as('device_id'),
      sql<MovedDevice['from']>`events.data ->> 'from'`.as('from'),
      sql<MovedDevice['to']>`events.data ->> 'to'`.as('to'),
    ])
    .where(inOrganization('events', organizationId))
    .where(sql<boolean>`type = 'device_trust.status_changed'`)
    .where(isOfCause)
    .$if(deviceIds !== null, (query) => query.where(sql<boolean>`device_id = any(${deviceIds}::bigint[])`))
    .$if(checkIds !== null, (query) =>
      query.where(sql<boolean>`coalesce((data #>> '{decidedFor,checkId}')::bigint = any(${checkIds}::bigint[]), true)`),
    )

/** The changes of state that the request behind an entry of the audit log has brought about, the newest first. */
export async function listMovedDevices(
  reader: Reader,
  { organizationId, params, after, limit }: ListPage<{ readonly entryId: string }>,
) {
  const mover = await findMover(reader, organizationId, params.entryId)
  if (mover === undefined) return []
  const pageOf = (isOfCause: RawBuilder<boolean>) =>
    movedBy(reader, mover, isOfCause).$call(nextRows(newestFirst, after, limit))
  const found = reader
    .selectFrom(pageOf(byCause(mover)).as('by_cause'))
    .selectAll()
    .union(reader.selectFrom(pageOf(byEarlierCause(mover)).as('by_earlier')).selectAll())
  return reader
    .selectFrom(found.as('events'))
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'events.organization_id')
        .onRef('devices.id', '=', 'events.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select(['events.id', 'events.device_id', 'events.occurred_at', 'events.from', 'events.to'])
    .select('devices.name as device_name')
    .orderBy('events.id', 'desc')
    .limit(sql.lit(limit))
    .execute()
}

/** How many devices that are. */
export async function countMovedDevices(
  reader: Reader,
  organizationId: string,
  entryId: string,
): Promise<{ count: number }> {
  const mover = await findMover(reader, organizationId, entryId)
  if (mover === undefined) return { count: 0 }
  const idsOf = (isOfCause: RawBuilder<boolean>) =>
    movedBy(reader, mover, isOfCause).clearSelect().select('events.device_id')
  return reader
    .selectFrom(
      idsOf(byCause(mover))
        .union(idsOf(byEarlierCause(mover)))
        .as('moved'),
    )
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
}
