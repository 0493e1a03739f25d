import { type ComputerType, computerTypes } from '@muster/contract/computer-types.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Reader } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'

type Standings = { computers: number; linked: number; linking: number; none: number; seen_twice: number }

export type CompanionCounts = Standings & {
  /** Companions that wait for their link on machines that are no device. */
  without_device: number
  /** Of each platform that has a computer. */
  by_type: { device_type: ComputerType; computers: number; none: number }[]
}

type Of = string | 'all'

const isOwn = (table: 'devices' | 'companion_keys', of: Of) =>
  of === 'all' ? sql<boolean>`true` : inOrganization(table, of)

/** How many computers of an organization, or of all, have a companion, and how many companions have no computer yet. */
export async function countCompanions(reader: Reader, of: Of): Promise<CompanionCounts> {
  const [rows, waiting] = await Promise.all([countByType(reader, of), countWithoutDevice(reader, of)])
  const total = { computers: 0, linked: 0, linking: 0, none: 0, seen_twice: 0 }
  for (const row of rows) for (const name of Object.keys(total) as (keyof Standings)[]) total[name] += row[name]
  return {
    ...total,
    without_device: waiting.count,
    by_type: rows.map(({ device_type, computers, none }) => ({ device_type, computers, none })),
  }
}

const countByType = (reader: Reader, of: Of): Promise<(Standings & { device_type: ComputerType })[]> =>
  reader
    .selectFrom('devices')
    .leftJoin(
      (inner) =>
        inner
          .selectFrom('companion_keys')
          .select(['organization_id', 'device_id', sql<boolean>`bool_or(status = 'linked')`.as('is_linked')])
          .select(sql<boolean>`bool_or(seen_twice_at is not null)`.as('is_seen_twice'))
          .where(isOwn('companion_keys', of))
          .where('device_id', 'is not', null)
          .groupBy(['organization_id', 'device_id'])
          .as('companion'),
      (join) =>
        join
          .onRef('companion.organization_id', '=', 'devices.organization_id')
          .onRef('companion.device_id', '=', 'devices.id'),
    )
    .select([
      sql<ComputerType>`devices.device_type`.as('device_type'),
      sql<number>`count(*)::int`.as('computers'),
      sql<number>`count(*) filter (where companion.is_linked)::int`.as('linked'),
      sql<number>`count(*) filter (where not companion.is_linked)::int`.as('linking'),
      sql<number>`count(*) filter (where companion.is_linked is null)::int`.as('none'),
      sql<number>`count(*) filter (where companion.is_seen_twice)::int`.as('seen_twice'),
    ])
    .where(isOwn('devices', of))
    .where('devices.deleted_at', 'is', null)
    .where('devices.device_type', 'in', [...computerTypes])
    .groupBy('devices.device_type')
    .orderBy('devices.device_type')
    .execute()

const countWithoutDevice = (reader: Reader, of: Of): Promise<{ count: number }> =>
  reader
    .selectFrom('companion_keys')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(isOwn('companion_keys', of))
    .where('device_id', 'is', null)
    .where('linked_at', 'is', null)
    .executeTakeFirstOrThrow()

export type CompanionSurvey = {
  counts: CompanionCounts
  /** Devices whose keys were seen twice within the last week, in all organizations. */
  seenTwiceCount: number
  /** Some of them, the latest first. */
  seenTwice: { id: string; name: string; organization: string; at: string }[]
  /** Devices whose linked companion has said within the last week that all its ports are taken, in all organizations. */
  withoutPortCount: number
  /** Some of them, the latest first. */
  withoutPort: { id: string; name: string; organization: string; takenPorts: number[] }[]
}

const maxListed = 3

/** How the companions of the deployment stand, for its operator. */
export async function surveyCompanions(db: Db, now: string): Promise<CompanionSurvey> {
  const since = plusMs(now, -7 * dayMs)
  return {
    counts: await countCompanions(db, 'all'),
    ...(await findSeenTwice(db, since)),
    ...(await findWithoutPort(db, since)),
  }
}

async function findSeenTwice(db: Db, since: string): Promise<Pick<CompanionSurvey, 'seenTwiceCount' | 'seenTwice'>> {
  const { rows } = await sql<CompanionSurvey['seenTwice'][number] & { count: number }>`
    select devices.id, devices.name, organizations.name as organization, max(key.seen_twice_at) as at,
      (count(*) over ())::integer as count
    from companion_keys as key
    join devices on devices.organization_id = key.organization_id and devices.id = key.device_id
    join organizations on organizations.id = key.organization_id
    where key.seen_twice_at > ${since}::timestamptz and devices.deleted_at is null
    group by devices.organization_id, devices.id, devices.name, organizations.name
    order by at desc, devices.id limit ${sql.lit(maxListed)}`.execute(db)
  return { seenTwiceCount: rows[0]?.count ?? 0, seenTwice: rows.map(({ count: _count, ...device }) => device) }
}

/** A device has one linked key at most. A companion that has not tried yet, or is simulated, has no port and none is taken. */
async function findWithoutPort(
  db: Db,
  since: string,
): Promise<Pick<CompanionSurvey, 'withoutPortCount' | 'withoutPort'>> {
  const { rows } = await sql<CompanionSurvey['withoutPort'][number] & { count: number }>`
    select devices.id, devices.name, organizations.name as organization, key.taken_ports as "takenPorts",
      (count(*) over ())::integer as count
    from companion_keys as key
    join devices on devices.organization_id = key.organization_id and devices.id = key.device_id
    join organizations on organizations.id = key.organization_id
    where key.status = 'linked' and key.port is null and key.taken_ports <> '{}'
      and key.last_contact_at > ${since}::timestamptz and devices.deleted_at is null
    order by key.last_contact_at desc, devices.id limit ${sql.lit(maxListed)}`.execute(db)
  return { withoutPortCount: rows[0]?.count ?? 0, withoutPort: rows.map(({ count: _count, ...device }) => device) }
}
