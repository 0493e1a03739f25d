import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('manage_people'))
const now = '2026-11-20T10:00:00.000Z'

test('administrators who could not add people do not manage them by an upgrade, and the others do', async () => {
  const { connection } = old
  const { db } = connection
  await sql`insert into organizations (name, created_at) values ('Acme', ${now})`.execute(db)
  const before = {
    auditor: ['limited', ['remove_devices', 'manage_settings']],
    settings: ['limited', ['remove_devices']],
    full: ['full', ['manage_settings']],
  } as const
  for (const [name, [access, restrictions]] of Object.entries(before)) {
    await sql`
      insert into admin_users (organization_id, first_name, last_name, email, access, restrictions, created_at)
      select id, ${name}, '', ${`${name}@acme.example`}, ${access}, ${restrictions}::text[], ${now} from organizations
    `.execute(db)
  }
  await migrate(connection)
  const admins = await db.selectFrom('admin_users').select(['first_name', 'restrictions']).orderBy('id').execute()
  assert.deepEqual(
    admins.map(({ first_name: name, restrictions }) => [name, restrictions]),
    [
      ['auditor', ['remove_devices', 'manage_settings', 'manage_people']],
      ['settings', ['remove_devices']],
      ['full', ['manage_settings']],
    ],
  )
})
