import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('device_proofs'))
const now = '2026-11-20T10:00:00.000Z'

test('keys of before keep their links, know how they were made, and get a nonce each', async () => {
  const { connection } = old
  const { db } = connection
  await sql`insert into organizations (name, created_at) values ('Acme', ${now})`.execute(db)
  for (const [kid, status, isBundled, linkedAt] of [
    ['beside-osqueryd', 'linked', false, now],
    ['bundled', 'linked', true, now],
    ['waiting', 'linking', true, null],
  ]) {
    await sql`
      insert into companion_keys (organization_id, kid, public_jwk, status, is_bundled, hostname, platform, agent_version,
        linked_at, epoch, epoch_at, enrolled_at, last_contact_at)
      select id, ${kid}, '{}'::jsonb, ${status}, ${isBundled}, 'x', 'linux', '1', ${linkedAt}, 'e', ${now}, ${now}, ${now}
      from organizations`.execute(db)
  }
  await migrate(connection)
  const rows = await db
    .selectFrom('companion_keys')
    .select(['kid', 'status', 'linked_by', 'seen_twice_at', 'taken_ports'])
    .orderBy('kid')
    .execute()
  const common = { seen_twice_at: null, taken_ports: [] }
  assert.deepEqual(rows, [
    { kid: 'beside-osqueryd', status: 'linked', linked_by: 'file', ...common },
    { kid: 'bundled', status: 'linked', linked_by: 'node_key', ...common },
    { kid: 'waiting', status: 'linking', linked_by: null, ...common },
  ])
  const nonces = await db.selectFrom('companion_keys').select('nonce').execute()
  assert.equal(new Set(nonces.map(({ nonce }) => nonce)).size, 3)
})
