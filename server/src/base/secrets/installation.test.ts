import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { transact } from '../db/transact.ts'
import { claimInstallation, forgetInstallation } from './installation.ts'

const database = testDatabase()
const now = '2026-11-20T10:00:00.000Z'

beforeEach(() => database.reset())

test('the first master key claims a database, and later ones are told so', async () => {
  assert.equal(await claimInstallation(database.db, 'first', now), 'first')
  assert.equal(await claimInstallation(database.db, 'second', now), 'first')
  assert.equal(await claimInstallation(database.db, 'first', now), 'first')
})

test('of claims at the same time one wins for all', async () => {
  const claims = ['a', 'b', 'c', 'd'].map((fingerprint) => claimInstallation(database.db, fingerprint, now))
  assert.equal(new Set(await Promise.all(claims)).size, 1)
})

test('a forgotten installation can be claimed again', async () => {
  await claimInstallation(database.db, 'first', now)
  await transact(database.db, forgetInstallation)
  assert.equal(await claimInstallation(database.db, 'second', now), 'second')
})
