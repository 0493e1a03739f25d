import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { findStream } from './queries.ts'

const database = testDatabase()
const make = makeIn(database)

test('a stream is found by either of its names, in its organization, until it is deleted', async () => {
  await database.ready
  const [own, other] = [await make.organization(), await make.organization()]
  const stream = await make.stream(own.id)
  const find = (organizationId: string, reference: string) => findStream(database.db, organizationId, reference)
  for (const reference of [stream.id, stream.stream_id, stream.stream_id.toUpperCase()]) {
    assert.deepEqual(await find(own.id, reference), stream)
    assert.equal(await find(other.id, reference), undefined)
  }
  for (const reference of [
    '0',
    '99999999999999999999',
    '9223372036854775808',
    randomUUID(),
    'status',
    '',
    '-1',
    '1e3',
  ]) {
    assert.equal(await find(own.id, reference), undefined, reference)
  }
  await database.db.updateTable('ssf_streams').set({ deleted_at: startOfTests }).execute()
  assert.equal(await find(own.id, stream.id), undefined)
})
