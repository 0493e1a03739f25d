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
     insert into ssf_stream_events (organization_id, stream_id, signal_id, device_id, queued_at, token_settings_id, kid)
     select $1, ssf_streams.id, said.id, said.device_id, now(), ssf_streams.token_settings_id, (
       select key.kid from signing_keys as key
       where key.purpose = 'signals' and key.organization_id = ssf_streams.organization_id
         and key.withdrawn_at is null and key.active_from <= now() and (key.retired_at is null or key.retired_at > now())
       order by key.active_from desc limit 1
     )
     from said cross join ssf_streams
     where ssf_streams.organization_id = $1 and ssf_streams.status <> 'disabled' and ssf_streams.deleted_at is null`,
    [trial.organizationId, most, from],
  )
  await database.query(`select pg_notify('ssf_signals', $1)`, [trial.organizationId])
  await database.query('commit')
}

/** What tokens of streams that were written by hand say, as the product notes it of its own. */
export async function noteTokenSettings({ trial, database }: { trial: Trial; database: pg.Client }): Promise<void> {
  await database.query(
    `with added as (
       insert into ssf_token_settings (organization_id, stream_id, id, issuer, audience, spec_version, device_subject_format)
       select organization_id, id, 1, 'https://trust.example.test', coalesce(audience, stream_id::text), spec_version,
         device_subject_format
       from ssf_streams where organization_id = $1 and token_settings_id is null
       returning stream_id
     )
     update ssf_streams set token_settings_id = 1 from added
     where ssf_streams.organization_id = $1 and ssf_streams.id = added.stream_id`,
    [trial.organizationId],
  )
}
