import type pg from 'pg'
import type { Trial } from './open-trial.ts'

type Queued = { most: number; from?: number /** Else every enabled one. */; endpointId?: string }

/** A change of each of some devices for endpoints, as the product queues them. */
export async function queueHooks(
  { trial, database }: { trial: Trial; database: pg.Client },
  { most, from = 0, endpointId }: Queued,
): Promise<void> {
  await database.query('begin')
  await database.query(
    `with message as (
       insert into webhook_messages (organization_id, message_id, event, body, device_id, occurred_at)
       select $1::bigint, told.id, 'device_trust.status_changed', json_build_object('event', 'device_trust.status_changed',
         'id', told.id, 'timestamp', '2026-11-20T10:00:00.000Z', 'data', json_build_object('device_id', device.id,
         'device_name', device.name, 'device_status', 'blocked', 'device_url', 'https://trust.example.test/devices/1')),
         device.id, now()
       from (select id, name from devices where organization_id = $1 order by id offset $3 limit $2) as device,
         lateral (select upper(substr(md5(device.id || clock_timestamp()::text), 1, 26)) as id) as told
       returning id, device_id
     )
     insert into webhook_deliveries
       (organization_id, endpoint_id, message_id, event, device_id, ordered_by, next_attempt_at, queued_at)
     select $1, endpoint.id, message.id, 'device_trust.status_changed', message.device_id, message.device_id, now(), now()
     from message cross join webhook_endpoints as endpoint
     where endpoint.organization_id = $1
       and (endpoint.id = $4::bigint or ($4::bigint is null and endpoint.disabled_at is null))`,
    [trial.organizationId, most, from, endpointId ?? null],
  )
  await database.query(`select pg_notify('webhooks', $1)`, [trial.organizationId])
  await database.query('commit')
}
