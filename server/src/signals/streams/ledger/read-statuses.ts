import { type RawBuilder, sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import { type Db, transact } from '../../../base/db/transact.ts'
import { lockHeads, numbering, type StreamKey } from '../number-events.ts'

export type DeviceStatus = { deviceId: string; userEmail: string | null; status: 'compliant' | 'not-compliant' }

/**
 * What receivers last learned about the devices beyond `after`, at an exact place in the stream. Undefined when the
 * stream is gone. What was said of a device stands when nobody is registered on it anymore, or it is gone,
 * since receivers continue heeding it.
 */
export const readStatuses = (
  db: Db,
  stream: StreamKey,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ sequence: string; statuses: DeviceStatus[] } | undefined> =>
  readAtPlace(
    db,
    stream,
    sql`coalesce((
      select jsonb_agg(jsonb_build_object('deviceId', page.id::text, 'userEmail', page.email, 'status', page.status) order by page.id)
      from (
        (
          select devices.id, people.email, coalesce(devices.signalled_status, 'compliant') as status
          from devices
          left join people on people.organization_id = devices.organization_id and people.id = devices.registered_owner_id
          where ${inOrganization('devices', stream.organizationId)} and devices.id > ${after ?? '0'}::bigint
            and ((devices.registered_owner_id is not null and devices.deleted_at is null)
              or devices.signalled_status = 'not-compliant')
          order by devices.id limit ${sql.lit(limit)}
        ) union all (
          select ssf_purged_devices.device_id, null, 'not-compliant' from ssf_purged_devices
          where ${inOrganization('ssf_purged_devices', stream.organizationId)}
            and ssf_purged_devices.device_id > ${after ?? '0'}::bigint
          order by ssf_purged_devices.device_id limit ${sql.lit(limit)}
        )
        order by id limit ${sql.lit(limit)}
      ) as page
    ), '[]') as statuses`,
  )

export type BlockedSet = { sequence: string; digest: string; count: string; is_settled: boolean }

/** Which devices receivers were last told not to let in, as a digest, at an exact place in the stream. */
export const digestBlocked = (db: Db, stream: StreamKey): Promise<BlockedSet | undefined> =>
  readAtPlace(
    db,
    stream,
    sql`blocked.count, blocked.digest, not exists (
      select from ssf_stream_events
      where ${inOrganization('ssf_stream_events', stream.organizationId)}
        and ssf_stream_events.stream_id = ${stream.streamId}::bigint
        and ssf_stream_events.state = 'pending' and ssf_stream_events.kind = 'compliance_change'
    ) as is_settled`,
    sql`cross join (
      select count(*) as count, encode(sha256(convert_to(
        coalesce(string_agg(device.id::text || chr(10), '' order by device.id), ''), 'UTF8')), 'hex') as digest
      from (
        select devices.id from devices
        where ${inOrganization('devices', stream.organizationId)} and devices.signalled_status = 'not-compliant'
        union all
        select ssf_purged_devices.device_id from ssf_purged_devices
        where ${inOrganization('ssf_purged_devices', stream.organizationId)}
      ) as device
    ) as blocked`,
  )

/**
 * Reads beside the number of the last event that what is read contains. Numbering and reading are one statement, so
 * they see the same moment, and it begins once the lock is held, so it sees all that was numbered: exact without the
 * serialization failures that a longer snapshot has under load.
 */
async function readAtPlace<Row extends { sequence: string }>(
  db: Db,
  stream: StreamKey,
  columns: RawBuilder<unknown>,
  tables: RawBuilder<unknown> = sql``,
): Promise<Row | undefined> {
  return transact(db, async (tx) => {
    const locked = await lockHeads(tx, [stream])
    if (locked.length === 0) return undefined
    const { rows } = await sql<Row>`
      with ${numbering(locked)}
      select head.last_sequence + (select count(*) from fresh) as sequence, ${columns}
      from ssf_stream_deliveries as head ${tables}
      where head.organization_id = ${stream.organizationId}::bigint and head.stream_id = ${stream.streamId}::bigint
    `.execute(tx)
    return rows[0]
  })
}
