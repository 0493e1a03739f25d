import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import type { Db } from '../../base/db/transact.ts'
import { rememberPresence } from './presence.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(() => database.reset())

const later = '2026-11-20T10:01:00.000Z'

const stored = () => database.db.selectFrom('device_presence').selectAll().orderBy('device_id').execute()

const away = (): Db =>
  database.db.withPlugin({
    transformQuery: () => {
      throw new Error('Connection terminated')
    },
    transformResult: async ({ result }) => result,
  })

test('the last contact is written once, and an earlier one never takes its place', async () => {
  const { id: organizationId } = await make.organization()
  const device = await make.device(organizationId)
  const presence = rememberPresence()
  presence.note(organizationId, device.id, startOfTests)
  presence.note(organizationId, device.id, later)
  await presence.flush(database.db)
  const row = { organization_id: organizationId, device_id: device.id, last_seen_at: later }
  assert.deepEqual(await stored(), [row])
  presence.note(organizationId, device.id, startOfTests)
  await presence.flush(database.db)
  assert.deepEqual(await stored(), [row])
  assert.equal(presence.unwritten(organizationId, device.id), undefined)
})

test('what could not be written is kept, unless something later was noted meanwhile', async () => {
  const { id: organizationId } = await make.organization()
  const [one, other] = [await make.device(organizationId), await make.device(organizationId)]
  const presence = rememberPresence()
  presence.note(organizationId, one.id, startOfTests)
  presence.note(organizationId, other.id, startOfTests)
  const failed = presence.flush(away())
  presence.note(organizationId, other.id, later)
  await assert.rejects(failed)
  assert.equal(presence.unwritten(organizationId, one.id), startOfTests)
  await presence.flush(database.db)
  assert.deepEqual(
    (await stored()).map((row) => [row.device_id, row.last_seen_at]),
    [
      [one.id, startOfTests],
      [other.id, later],
    ],
  )
})

test('a device that is gone by now is left out', async () => {
  const { id: organizationId } = await make.organization()
  const device = await make.device(organizationId)
  const presence = rememberPresence()
  presence.note(organizationId, device.id, startOfTests)
  presence.note(organizationId, '999999', startOfTests)
  await presence.flush(database.db)
  assert.deepEqual(
    (await stored()).map((row) => row.device_id),
    [device.id],
  )
})
