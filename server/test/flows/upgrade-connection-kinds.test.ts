import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('connection_kinds'))
const now = '2026-11-20T10:00:00.000Z'

const rsa = { kty: 'RSA', n: 'n', e: 'AQAB' }
const ec = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }
const before: [name: string, keys: object[] | null, upstreamId: number | null][] = [
  ['rsa', [rsa], null],
  ['pss', [{ ...rsa, alg: 'PS256' }], null],
  ['ec', [ec], null],
  ['edwards', [{ kty: 'OKP', crv: 'Ed25519', x: 'x' }], null],
  ['upstream', null, 1],
  ['both', [ec], 1],
  ['neither', null, null],
]

test('connections of before learn their kind, and one that nothing says the person of is disabled', async () => {
  const { connection } = old
  const { db } = connection
  await sql`insert into organizations (name, created_at) values ('Acme', ${now})`.execute(db)
  await sql`
    insert into signin_upstreams (organization_id, id, name, provider, issuer, client_id, sealed_client_secret,
      authorization_endpoint, created_at)
    values (1, 1, 'Example ID', 'oidc', 'https://id.example.com', 'muster', 'x', 'https://id.example.com/authorize', ${now})`.execute(
    db,
  )
  for (const [name, keys, upstreamId] of before) {
    await sql`
      insert into signin_connections (organization_id, name, client_id, redirect_uris, request_keys, upstream_id,
        is_hint_trusted, created_at)
      values (1, ${name}, ${name}, '{}', ${keys && JSON.stringify(keys)}::jsonb, ${upstreamId}, ${keys === null}, ${now})`.execute(
      db,
    )
  }
  await sql`
    insert into signin_connections (organization_id, name, client_id, redirect_uris, kind, entra_cloud, entra_tenant_ids,
      entra_app_id, created_at)
    values (1, 'entra', 'entra', '{}', 'entra', 'global', '{t}', 'a', ${now})`.execute(db)
  await sql`
    insert into signin_sessions (organization_id, id, connection_id, interaction_uid, cookie_hash, network, ip_address,
      user_agent, evidence, state, started_at, last_event_at, waits_until)
    select 1, 's', id, 'u', 'x', 'n', '127.0.0.1', 'a', 'hinted', 'looking', ${now}, ${now}, ${now}
    from signin_connections where name = 'neither'`.execute(db)
  await migrate(connection)
  const rows = await db
    .selectFrom('signin_connections')
    .select(['name', 'kind', 'request_algorithm', 'mode'])
    .select(sql<boolean>`request_keys is not null`.as('has_keys'))
    .orderBy('id')
    .execute()
  assert.deepEqual(
    rows.map((row) => [row.name, row.kind, row.request_algorithm, row.has_keys, row.mode]),
    [
      ['rsa', 'second_step', 'RS256', true, 'enforce'],
      ['pss', 'second_step', 'PS256', true, 'enforce'],
      ['ec', 'second_step', 'ES256', true, 'enforce'],
      ['edwards', 'second_step', null, false, 'disabled'],
      ['upstream', 'application', null, false, 'enforce'],
      ['both', 'application', 'ES256', true, 'enforce'],
      ['neither', 'second_step', null, false, 'disabled'],
      ['entra', 'entra', null, false, 'enforce'],
    ],
  )
  assert.deepEqual(await db.selectFrom('signin_sessions').select('id').execute(), [])
})
