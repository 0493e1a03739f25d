import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('key_reviews'))
const at = '2026-11-20T10:00:00.000Z'

test('an upgrade has those keys reviewed that administrators without full access made or granted something', async () => {
  await old.ready
  const { db } = old
  for (const name of ['Halden', 'Orrin']) {
    await sql`insert into organizations (name, created_at) values (${name}, ${at})`.execute(db)
  }
  // The third has left.
  for (const [name, access] of [
    ['Full', 'full'],
    ['Limited', 'limited'],
  ]) {
    await sql`
      insert into admin_users (organization_id, first_name, last_name, email, access, created_at)
      values (1, ${name}, 'Admin', ${`${name}@halden.example`}, ${access}, ${at})`.execute(db)
  }
  const keys = ['by full', 'by limited', 'granted', 'of one who left', 'by the terminal', 'revoked', 'renamed', 'old']
  for (const organization of [1, 2]) {
    for (const name of keys) {
      await sql`
        insert into api_keys (organization_id, name, responsible_administrator, sealed_key, created_at, revoked_at)
        values (${organization}, ${name}, 'Ada', '\\x00', ${at}, ${name === 'revoked' ? at : null})`.execute(db)
    }
  }
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from api_keys where organization_id = 1`.execute(db)
  const idOf = new Map(rows.map(({ id, name }) => [name, id]))
  const audit = (actor: { type: string; id: number | null }, name: string, what: string, isAbout = true) =>
    sql`
    insert into audit_logs (organization_id, timestamp, actor_type, actor_id, actor_name, description, about, previous_hash, hash)
    values (1, ${at}, ${actor.type}, ${actor.id}, 'Someone', ${`${what} the API key "${name}".`},
      ${isAbout ? [`api_key:${idOf.get(name)}`] : null}::text[], '\\x00', '\\x00')`.execute(db)
  const user = (id: number) => ({ type: 'User', id })
  await audit(user(1), 'by full', 'Created')
  await audit(user(2), 'by limited', 'Created')
  await audit(user(1), 'granted', 'Created')
  await audit(user(2), 'granted', 'Granted')
  await audit(user(99), 'of one who left', 'Created')
  await audit({ type: 'System', id: null }, 'by the terminal', 'Created')
  await audit(user(2), 'revoked', 'Created')
  await audit(user(2), 'renamed', 'Renamed')
  // From before entries said what they are about.
  await audit(user(2), 'old', 'Created', false)
  await migrate(old.connection)
  const found = await db
    .selectFrom('api_keys')
    .select(['organization_id', 'name'])
    .where('needs_review_since', 'is not', null)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    found.map(({ organization_id, name }) => `${organization_id} ${name}`),
    ['1 by limited', '1 granted', '1 of one who left', '1 old'],
  )
})
