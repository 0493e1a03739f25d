import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionMachines } from '../../../test/support/companion-machine.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { addWaitingKeys, newestSecretId } from '../../../test/support/waiting-keys.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { dropUnlinkedKeys } from '../companion-keys/drop-unlinked-keys.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)
const { newCompanion, linkedMachine } = companionMachines(agents)
const warning = 'too many companion keys of a secret wait for their link'

beforeEach(() => agents.reset())

/** A secret, and keys of it that wait. */
async function secretWith(count: number, organizationId?: string) {
  const id = organizationId ?? (await make.organization()).id
  const secret = await agents.enrollmentSecret(id)
  const place = { organizationId: id, enrollmentSecretId: await newestSecretId(database.db) }
  if (count > 0) await addWaitingKeys(database.db, { ...place, count, enrolledAt: agents.now() })
  return { ...place, secret }
}

/** What a companion of a machine that nobody knows is answered. */
async function enrollStranger(secret: string) {
  const companion = await newCompanion()
  const { status, body } = await companion.enroll(secret, { hardware_uuid: randomUUID(), hardware_serial: '' })
  return { companion, status, code: body.error?.code }
}

const kids = async () => {
  const keys = await database.db.selectFrom('companion_keys').select('kid').orderBy('kid').execute()
  return keys.map(({ kid }) => kid)
}

const lookups = async () => {
  const rows = await database.db.selectFrom('companion_key_lookups').select('kid').orderBy('kid').execute()
  return rows.map(({ kid }) => kid)
}

test('of one secret a thousand keys of an hour wait for their link, also of companions that come at the same time', async () => {
  const { secret, organizationId } = await secretWith(985)
  const before = agents.server.logged.length
  const answers = await Promise.all(Array.from({ length: 30 }, () => enrollStranger(secret)))
  const refused = answers.filter(({ status }) => status !== 200)
  assert.deepEqual(
    refused.map(({ status, code }) => [status, code]),
    Array.from({ length: 15 }, () => [429, 'too_many_requests']),
  )
  assert.equal((await kids()).length, 1_000)
  const logged = () => agents.server.logged.slice(before).filter(({ message }) => message === warning)
  assert.deepEqual(
    logged().map(({ fields }) => fields),
    [{ organizationId, enrollmentSecretId: await newestSecretId(database.db), ip: '127.0.0.1' }],
  )
  const { secret: another } = await secretWith(0, organizationId)
  assert.equal((await enrollStranger(another)).status, 200, 'other secrets are not counted')
  const { companion } = answers.find(({ status }) => status === 200) ?? assert.fail()
  agents.pass(1)
  assert.equal((await companion.enroll(secret)).status, 200, 'one that waits already takes no more')
  agents.pass(1_800)
  assert.equal((await enrollStranger(secret)).status, 429)
  assert.equal(logged().length, 1, 'once an hour')
  agents.pass(1_801)
  assert.equal((await enrollStranger(secret)).status, 200)
})

test('keys that were linked are not counted, and enroll again where too many wait', async () => {
  const { secret, organizationId, companion, client } = await linkedMachine()
  const place = { organizationId, enrollmentSecretId: await newestSecretId(database.db) }
  await addWaitingKeys(database.db, { ...place, count: 1_000, enrolledAt: agents.now() })
  assert.equal((await enrollStranger(secret)).status, 429)
  agents.pass(1)
  assert.equal((await companion.enroll(secret)).status, 200)
  assert.equal((await client.config()).accepted, true)
  const linked = { status: 'linked', linked_at: agents.now(), linked_by: 'file' } as const
  await database.db.updateTable('companion_keys').set(linked).where('kid', 'like', '%-1').execute()
  assert.equal((await enrollStranger(secret)).status, 200)
})

test('keys that were never linked go after three days with their look-ups, and no other does', async () => {
  const { companion, organizationId } = await linkedMachine()
  const enrolledAt = agents.now()
  const place = { organizationId, enrollmentSecretId: await newestSecretId(database.db) }
  await addWaitingKeys(database.db, { ...place, count: 2_100, enrolledAt })
  // The link of one has ended since, as its osquery node has not confirmed it.
  const ended = `${place.enrollmentSecretId}-${enrolledAt}-7`
  await database.db.updateTable('companion_keys').set({ linked_at: enrolledAt }).where('kid', '=', ended).execute()
  agents.pass(1)
  const later = (await enrollStranger((await secretWith(0)).secret)).companion
  assert.equal(await dropUnlinkedKeys(database.db, plusMs(enrolledAt, 3 * dayMs)), 0)
  assert.equal(await dropUnlinkedKeys(database.db, plusMs(enrolledAt, 3 * dayMs + 1)), 2_099)
  const kept = [companion.kid, ended, later.kid].toSorted()
  assert.deepEqual([(await kids()).toSorted(), (await lookups()).toSorted()], [kept, kept])
  assert.equal((await companion.checkIn()).body.status, 'linked')
})

/** Does something in a transaction that stays open while `meanwhile` runs. */
async function whileOpen<Result>(
  work: (tx: Tx) => Promise<unknown>,
  meanwhile: () => Promise<Result>,
): Promise<Result> {
  const [isDone, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = transact(database.db, async (tx) => {
    await work(tx)
    isDone.resolve()
    await mayEnd.promise
  })
  await Promise.race([isDone.promise, open])
  try {
    return await meanwhile()
  } finally {
    mayEnd.resolve()
    await open
  }
}

testOnPostgres('a key that is linked while old ones are dropped stays', async () => {
  await secretWith(3)
  const [kid = ''] = await kids()
  const linked = { status: 'linked', linked_at: agents.now() } as const
  const drop = () => dropUnlinkedKeys(database.db, plusMs(agents.now(), 4 * dayMs))
  const link = (tx: Tx) => tx.updateTable('companion_keys').set(linked).where('kid', '=', kid).execute()
  assert.equal(await whileOpen(link, drop), 2)
  assert.equal(await drop(), 0)
  assert.deepEqual(await kids(), [kid])
})

testOnPostgres('a key that enrolls again while it is dropped is found by its next request', async () => {
  const { secret } = await secretWith(0)
  const { companion } = await enrollStranger(secret)
  agents.pass(60)
  const isWaiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    return rows.length > 0
  }
  const { enrolling } = await whileOpen(
    (tx) => tx.deleteFrom('companion_keys').execute(),
    async () => {
      const enrolling = companion.enroll(secret)
      await until(30_000, isWaiting)
      return { enrolling }
    },
  )
  assert.equal((await enrolling).status, 200)
  assert.equal((await companion.checkIn()).status, 200)
})

testOnPostgres('keys that wait are counted, and dropped, by their index', async () => {
  const { organizationId, secret } = await secretWith(500)
  // Linked keys of the same secret, and others that wait, of another one.
  const enrolledAt = plusMs(agents.now(), -dayMs)
  const place = { organizationId, enrollmentSecretId: await newestSecretId(database.db) }
  await addWaitingKeys(database.db, { ...place, enrolledAt, count: 20_000 })
  const linked = { status: 'linked', linked_at: enrolledAt } as const
  await database.db.updateTable('companion_keys').set(linked).where('enrolled_at', '=', enrolledAt).execute()
  await secretWith(2_000, organizationId)
  await sql`vacuum analyze companion_keys`.execute(database.db)
  const scans = async () => {
    const { rows } = await sql<{ scans: number }>`
      select idx_scan::integer as scans from pg_stat_user_indexes
      where indexrelname = 'companion_keys_waiting'`.execute(database.db)
    return rows[0]?.scans ?? 0
  }
  for (const read of [() => enrollStranger(secret), () => dropUnlinkedKeys(database.db, plusMs(agents.now(), dayMs))]) {
    const before = await scans()
    await read()
    // Sessions tell their counts up to ten seconds later.
    await until(30_000, async () => (await scans()) > before)
  }
})
