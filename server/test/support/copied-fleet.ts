import { sql } from 'kysely'
import type { Database } from '../../src/base/db/schema.ts'
import type { Db } from '../../src/base/db/transact.ts'

/** What a copy says of itself, by columns, as SQL over `number`: from 1 on, other in each organization. */
type Own = Record<string, string>

const key = `right(repeat('0', 43) || number, 43)`
const ofDevice = { device_id: 'number' }
const copied: readonly [table: keyof Database, own: Own][] = [
  ['people', { id: 'number', name: `'Person ' || number`, email: `number || '@copies.example'` }],
  [
    'devices',
    {
      ...{ id: 'number', name: `'Laptop ' || number`, serial: `'C02' || number`, registered_owner_id: 'number' },
      ...{ hardware_uuid: 'md5(number::text)::uuid::text', host_identifier: 'number::text' },
    },
  ],
  ['node_key_lookups', { ...ofDevice, lookup_hash: 'sha256(number::text::bytea)' }],
  ['device_presence', ofDevice],
  ['device_check_runs', ofDevice],
  ['check_results', ofDevice],
  ['issues', { ...ofDevice, id: 'number' }],
  ['companion_keys', { ...ofDevice, kid: key, serial: `'C02' || number` }],
  ['companion_key_lookups', { kid: key }],
  ['auth_logs', { ...ofDevice, id: 'number', person_id: 'number' }],
  ['auth_log_events', { auth_log_id: 'number' }],
  ['signin_sessions', { ...ofDevice, id: key, interaction_uid: key, person_id: 'number', auth_log_id: 'number' }],
  ['oidc_records', { id: key, grant_id: key }],
  ['signin_requests_seen', { request_hash: 'sha256(number::text::bytea)' }],
  ['person_identities', { subject: key, person_id: 'number' }],
  ['ssf_signals', { ...ofDevice, id: 'number' }],
  [
    'ssf_stream_events',
    {
      ...{ ...ofDevice, id: 'number', signal_id: 'number', jti: key, sequence: 'number' },
      stream_id: `(select (array_agg(id))[1 + number % count(*)] from ssf_streams as s where s.organization_id = one.organization_id)`,
    },
  ],
  ['webhook_messages', { ...ofDevice, id: 'number', message_id: key }],
  ['webhook_deliveries', { ...ofDevice, id: 'number', message_id: 'number', ordered_by: 'number' }],
  ['events', { id: 'number' }],
]

/** Where the identifiers of an organization's copies begin. */
export const firstCopyOf = (organizationId: string): number => Number(organizationId) * 1_000_000

type Copying = { from: string; to: string; copies: number }

/** So many copies of one record of each table of an organization, in it or in another. */
export async function copyFleet(db: Db, { from, to, copies }: Copying): Promise<void> {
  const first = firstCopyOf(to)
  await db.connection().execute(async (session) => {
    // The copies refer to one another, and triggers would look at each of them.
    await sql`set session_replication_role = replica`.execute(session)
    for (const [table, own] of copied) {
      const said: Own = { organization_id: to, ...own }
      const columns = await columnsOf(session, table)
      const values = columns.map((column) => said[column] ?? `one.${column}`)
      const one = `select * from ${table} where organization_id = ${from} limit ${table === 'check_results' ? 3 : 1}`
      await sql
        .raw(`insert into ${table} (${columns.join()}) select ${values.join()}
          from (${one}) as one, generate_series(${first + 1}, ${first + copies}) as number`)
        .execute(session)
    }
    await sql`reset session_replication_role`.execute(session)
  })
}

async function columnsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname::text as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** As a database is after `pg_restore`, and for as long as no autovacuum has come by. */
export async function neverAnalyze(db: Db): Promise<void> {
  await sql`do $$ declare name text; begin
    for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = false)', name);
    end loop;
  end $$`.execute(db)
}

/** The tables of which the planner knows more than their size, but for the one that new databases are copied with. */
export async function analyzed(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class as c
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname <> 'schema_migrations' and (reltuples >= 0 or exists (select from pg_statistic where starelid = c.oid))
  `.execute(db)
  return rows.map(({ name }) => name)
}
