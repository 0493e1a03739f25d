import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { transact } from '../../src/base/db/transact.ts'
import { lockDevices } from '../../src/inventory/devices/lock-device.ts'
import { settleAuthStates } from '../../src/inventory/devices/settle-auth-state.ts'
import { testDatabase } from '../support/database.ts'
import { contextAt } from '../support/make.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('blocks_by_owner'))
const now = '2026-11-20T10:00:00.000Z'

test('what is held at the upgrade stays as it is: some devices of one hold Notified and others Good, and nothing is signaled', async () => {
  const { connection } = old
  const { db } = connection
  await sql`insert into organizations (name, created_at) values ('Acme', ${now})`.execute(db)
  await sql`insert into people (organization_id, id, name, email, created_at) values (1, 1, 'Ada', 'ada@acme.test', ${now})`.execute(
    db,
  )
  await sql`
    insert into checks (organization_id, id, slug, name, type, is_provided, platforms, description, issue_title,
      rationale_template, fix_instructions_template, created_at)
    values (1, 1, 'firewall', 'Firewall', 'external', false, '{}', '', 'Off', '', '', ${now})`.execute(db)
  await sql`
    insert into check_configurations (organization_id, check_id, remediation_strategy, updated_at)
    values (1, 1, 'block_immediately', ${now})`.execute(db)
  await sql`
    insert into block_holds (organization_id, id, check_id, began_at, device_limit) values (1, 1, 1, ${now}, 10)`.execute(
    db,
  )
  for (const [id, state] of ['notified', 'good'].entries()) {
    await sql`
      insert into devices (organization_id, id, name, device_type, form_factor, created_at, registered_owner_id, registered_at,
        auth_state, signalled_status)
      values (1, ${id + 1}, 'Laptop', 'Mac', 'computer', ${now}, 1, ${now}, ${state}, 'compliant')`.execute(db)
    await sql`
      insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at, hold_id)
      values (1, ${id + 1}, 1, 'Off', '{}', ${now}, ${now}, 1)`.execute(db)
  }
  await migrate(connection)
  await transact(db, async (tx) =>
    settleAuthStates(tx, await lockDevices(tx, '1', ['1', '2']), contextAt('2026-11-20T11:00:00.000Z')),
  )
  const states = await db.selectFrom('devices').select('auth_state').orderBy('id').execute()
  assert.deepEqual(
    states.map((row) => row.auth_state),
    ['notified', 'good'],
  )
  assert.deepEqual(await db.selectFrom('events').select('id').execute(), [])
  const holds = await db.selectFrom('block_holds').select(['decision', 'owner_limit', 'taken_back']).execute()
  assert.deepEqual(holds, [{ decision: null, owner_limit: null, taken_back: 0 }])
})
