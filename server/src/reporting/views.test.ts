import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inventoryViewSql } from '../../test/support/inventory-view.ts'
import { makeIn } from '../../test/support/make.ts'
import { type Tx, transact } from '../base/db/transact.ts'
import { inventoryTables } from './catalogue/catalogue.ts'
import { readSnapshot } from './read-snapshot.ts'
import { recordSnapshots } from './record-snapshots.ts'
import { columnsOf } from './reporting-table.ts'
import { rememberSnapshotTimes } from './snapshot-times.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(() => database.reset())

const table = (name: string) => inventoryTables.find((one) => one.name === name) ?? assert.fail(name)
const takenAt = '2026-11-20T09:00:00.000Z'

async function report(device: { organization_id: string; id: string }, name: string, rows: unknown): Promise<void> {
  const snapshot = await readSnapshot({ table: table(name), rows, takenAt, isScheduled: true })
  const place = { organizationId: device.organization_id, deviceId: device.id }
  await recordSnapshots(database.db, rememberSnapshotTimes(), place, [snapshot], takenAt)
}

async function seenBy(organizationId: string | undefined, view: string) {
  return transact(database.db, async (tx: Tx) => {
    if (organizationId !== undefined) {
      await sql`select set_config('muster.organization_id', ${organizationId}, true)`.execute(tx)
    }
    return (await sql<Record<string, unknown>>`select * from ${sql.table(`reporting.${view}`)} order by 1`.execute(tx))
      .rows
  })
}

async function definitions(schema: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; definition: string; options: string[] | null }>`
    select relname as name, pg_get_viewdef(pg_class.oid) as definition, reloptions as options from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace where relkind = 'v' and nspname = ${schema}`.execute(
    database.db,
  )
  return new Map(rows.map(({ name, definition, options }) => [name, `${options} ${definition}`]))
}

test('the database has for every inventory table the view that the catalogue asks for', async () => {
  const expected = inventoryTables.map((one) => inventoryViewSql(one, 'expected'))
  await database.connection.executeScript(`create schema expected; ${expected.join('\n')}`)
  try {
    const [made, wanted] = [await definitions('reporting'), await definitions('expected')]
    assert.equal(wanted.size, inventoryTables.length)
    for (const one of inventoryTables) {
      const hint = `a migration is to make it again:\n${inventoryViewSql(one)}`
      assert.equal(made.get(one.name), wanted.get(one.name), hint)
    }
    const surplus = [...made.keys()].filter((name) => name.startsWith('device_') && !wanted.has(name))
    assert.deepEqual(surplus, [])
  } finally {
    await database.connection.executeScript('drop schema expected cascade')
  }
})

test('every view of the schema is a security barrier', async () => {
  for (const [name, definition] of await definitions('reporting')) {
    assert.match(definition, /^security_barrier=true/, name)
  }
})

test('a view has the columns that the API tells', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text || ' ' || data_type order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'reporting' group by 1`.execute(database.db)
  const types = { text: 'text', integer: 'bigint', time: 'timestamp with time zone' }
  const columns = new Map(rows.map((row) => [row.name, row.columns]))
  for (const one of inventoryTables) {
    assert.deepEqual(
      columns.get(one.name),
      columnsOf(one).map(({ name, type }) => `${name} ${types[type]}`),
    )
  }
})

test('a view shows the organization of the setting and no other, and nothing without it', async () => {
  const ours = await make.organization()
  const theirs = await make.organization()
  const [mine, foreign] = [await make.device(ours.id), await make.device(theirs.id)]
  await report(mine, 'device_uptime', [{ days: '12' }])
  await report(foreign, 'device_uptime', [{ days: '7' }])
  const row = { device_id: mine.id, device_name: mine.name, taken_at: takenAt, days: '12' }
  assert.deepEqual(await seenBy(ours.id, 'device_uptime'), [row])
  assert.deepEqual(await seenBy(undefined, 'device_uptime'), [])
  assert.deepEqual(await seenBy('', 'device_uptime'), [])
  assert.deepEqual(await seenBy('900000000000000001', 'device_uptime'), [])
})

test('a deleted device is seen no more, and a purged one leaves no row behind', async () => {
  const { id: organizationId } = await make.organization()
  const device = await make.device(organizationId)
  await report(device, 'device_uptime', [{ days: '12' }])
  await database.db.updateTable('devices').set({ deleted_at: takenAt }).where('id', '=', device.id).execute()
  assert.deepEqual(await seenBy(organizationId, 'device_uptime'), [])
  await database.db.deleteFrom('devices').where('id', '=', device.id).execute()
  assert.deepEqual(await database.db.selectFrom('device_snapshots').selectAll().execute(), [])
  assert.deepEqual(await database.db.selectFrom('device_snapshot_rows').selectAll().execute(), [])
})

test('what is no whole number is null in a column of numbers', async () => {
  const { id: organizationId } = await make.organization()
  const device = await make.device(organizationId)
  const values = ['4294967294', '-2', '', '1.5', '1e3', "1'; drop table devices; --", '9'.repeat(19), '９', ' 7', '-']
  await report(
    device,
    'device_users',
    values.map((uid, index) => ({ uid, username: String(index) })),
  )
  const rows = await seenBy(organizationId, 'device_users')
  const byName = new Map(rows.map((row) => [row['username'], row['uid']]))
  assert.deepEqual(
    values.map((_, index) => byName.get(String(index))),
    ['4294967294', '-2', null, null, null, null, null, null, null, null],
  )
})
