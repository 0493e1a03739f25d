import type pg from 'pg'
import type { Trial } from './open-trial.ts'

/** A change of each of some devices for every stream, as the product queues them. */
export async function queueChanges(
  { trial, database }: { trial: Trial; database: pg.Client },
  most: number,
  from = 0,
): Promise<void> {
  await database.query('begin')
  await database.query(
    `with said as (
       insert into ssf_signals (organization_id, kind, device_id, user_email, event, txn, occurred_at)
       select $1, 'compliance_change', id, 'person' || id || '@acme.example', jsonb_build_object(
         'previous_status', 'compliant', 'current_status', 'not-compliant', 'event_timestamp', 1784000001,
         'initiating_entity', 'policy', 'reason_admin', jsonb_build_object('en', 'Blocked by: Disk is not encrypted')),
         gen_random_uuid(), now()
       from (select id from devices where organization_id = $1 order by id offset $3 limit $2) as device
       returning id, device_id
     )
     insert into ssf_stream_events (organization_id, stream_id, signal_id, device_id, queued_at)
     select $1, ssf_streams.id, said.id, said.device_id, now() from said cross join ssf_streams
     where ssf_streams.organization_id = $1 and ssf_streams.status <> 'disabled' and ssf_streams.deleted_at is null`,
    [trial.organizationId, most, from],
  )
  await database.query(`select pg_notify('ssf_signals', $1)`, [trial.organizationId])
  await database.query('commit')
}
