import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { passedIdentifiers } from '../../base/db/pass-identifiers.ts'
import { transact } from '../../base/db/transact.ts'
import { queueComplianceChanges } from '../../signals/streams/queue-signals.ts'
import { followRestore } from './follow-restore.ts'

const database = testDatabase()
const make = makeIn(database)
beforeEach(async () => {
  await database.ready
  await database.reset()
})

const readEvents = () =>
  database.db.selectFrom('ssf_stream_events').select(['id', 'jti', 'state', 'token', 'kid']).orderBy('id').execute()

test('what waits gets another name and no token that was stored; what is settled stays as it was', async () => {
  const { id: organizationId } = await make.organization()
  await make.stream(organizationId)
  const told = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const devices = [
    await make.device(organizationId),
    await make.device(organizationId),
    await make.device(organizationId),
  ]
  const changes = devices.map(({ id: deviceId }) => ({ ...told, deviceId, occurredAt: startOfTests }))
  await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, changes))
  const [settled, stored, derived] = (await readEvents()).map(({ id }) => id)
  const { db } = database
  const update = (id = '') => db.updateTable('ssf_stream_events').where('id', '=', id)
  await update(settled).set({ state: 'delivered', sequence: '1', token: 'settled', kid: 'one' }).execute()
  await update(stored).set({ token: 'stored', kid: 'one' }).execute()
  await update(derived).set({ kid: 'one' }).execute()
  await db.updateTable('ssf_stream_deliveries').set({ last_sequence: '1' }).execute()
  const before = await readEvents()

  await followRestore(database.connection)
  const after = await readEvents()
  assert.deepEqual(after[0], before[0])
  assert.deepEqual(
    after.map(({ token, kid }) => [token, kid]),
    [
      ['settled', 'one'],
      [null, null],
      [null, 'one'],
    ],
  )
  assert.equal(new Set([...before, ...after].map(({ jti }) => jti)).size, 5)
  const head = await db.selectFrom('ssf_stream_deliveries').select('last_sequence').executeTakeFirstOrThrow()
  assert.equal(head.last_sequence, String(passedIdentifiers + 1))
})

test('nothing new has an identifier that was given out before, whatever it is', async () => {
  const { id: organizationId } = await make.organization()
  const device = await make.device(organizationId)
  await followRestore(database.connection)
  const next = await make.device(organizationId)
  assert.equal(Number(next.id), Number(device.id) + passedIdentifiers + 1)
  const person = await make.person(organizationId)
  assert.ok(Number(person.id) > passedIdentifiers, 'also where there was nothing yet')
})
