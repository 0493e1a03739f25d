import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { transact } from '../base/db/transact.ts'
import { describeRefusedWrites } from './write-access.ts'

const database = testDatabase()

test('a database that takes writes has nothing to say', async () => {
  assert.equal(await describeRefusedWrites(database.db), undefined)
})

test('a database that refuses writes says why', async () => {
  await transact(database.db, async (tx) => {
    await sql`set local transaction_read_only = on`.execute(tx)
    assert.match((await describeRefusedWrites(tx)) ?? '', /^The database refuses writes/)
  })
})
