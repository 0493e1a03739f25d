import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { hardwareUuidOf } from '../../src/inventory/devices/osquery-fact-rules.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('host_identifiers'))

test('an upgrade forgets the UUIDs of computers that enrollments no longer take, and no other', async () => {
  await old.ready
  const { db } = old
  const now = '2026-11-20T10:00:00.000Z'
  await sql`insert into organizations (name, created_at) values ('Halden', ${now})`.execute(db)
  const uuids = [
    '4C4C4544-0042-3510-8056-B4C04F4D4E32',
    '00000000-0000-0000-0000-0000000001FF',
    'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE',
    '00020003-0004-0005-0006-000700080009',
    '03020100-0504-0706-0809-0a0b0c0d0e0f',
    '78563412-3412-7856-90AB-CDDEEFAABBCC',
    '10000000-0000-8000-0040-000000000000',
    'NOT SETTABLE',
    '2',
  ]
  for (const [index, uuid] of uuids.entries()) {
    await sql`insert into devices (organization_id, id, name, device_type, form_factor, created_at, hardware_uuid)
      values (1, ${index}, 'Laptop', 'Linux', 'computer', ${now}, ${uuid})`.execute(db)
  }
  await sql`insert into devices (organization_id, id, name, device_type, form_factor, created_at, hardware_uuid)
    values (1, 100, 'Phone', 'iOS', 'phone', ${now}, 'of its own form')`.execute(db)
  await migrate(old.connection)
  const kept = await db.selectFrom('devices').select('hardware_uuid').orderBy('id').execute()
  assert.deepEqual(
    kept.map((device) => device.hardware_uuid),
    [...uuids.map(hardwareUuidOf), 'of its own form'],
  )
})
