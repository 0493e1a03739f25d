import assert from 'node:assert/strict'
import { afterEach, beforeEach } from 'node:test'
import { sql } from 'kysely'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { unregisterDevice } from '../../src/administration/registrations/unregister-device.ts'
import { decideExemptionRequest } from '../../src/administration/requests/decide-exemption-request.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { plusMs } from '../../src/base/time.ts'
import { updateConfiguration } from '../../src/checks/configuration/update-configuration.ts'
import { adjustTallies } from '../../src/compliance/standing/adjust-tallies.ts'
import { recomputeCheck } from '../../src/compliance/targeting/recompute-check.ts'
import { lockDevice } from '../../src/inventory/devices/lock-device.ts'
import { lockPerson } from '../../src/inventory/people/lock-person.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { contextAt, makeIn, startOfTests } from '../support/make.ts'
import { until } from '../support/muster-process.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const kept: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const letGo of kept.splice(0)) await letGo()
})

/** A transaction that keeps what it has locked until it is let go. */
async function keeping(work: Parameters<typeof transact<void>>[1]) {
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = transact(database.db, async (tx) => {
    await work(tx)
    locked.resolve()
    await release.promise
  })
  await Promise.race([locked.promise, done])
  const letGo = () => {
    release.resolve()
    return done
  }
  kept.push(letGo)
  return { letGo }
}

/** Resolves when so many sessions of this database wait for a lock. */
async function waiting(count: number): Promise<void> {
  const isSo = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    return (rows[0]?.waiting ?? 0) >= count
  }
  await until(120_000, isSo, 5)
}

const stateOf = async (deviceId: string) =>
  (await database.db.selectFrom('devices').select('auth_state').where('id', '=', deviceId).executeTakeFirstOrThrow())
    .auth_state

async function failingFleet(strategy: 'notify_only' | 'block_immediately', groupIds: readonly string[] = []) {
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id, groupIds })
  const check = await make.check(organizationId, { configuration: { remediation_strategy: strategy } })
  return { owner, device, check }
}

testOnPostgres('an issue that opens while the strategy changes falls under the new one', async () => {
  const { device, check } = await failingFleet('notify_only')
  await make.result({ device, check, rows: 'PASS', at: startOfTests })
  const tallies = await keeping((tx) =>
    adjustTallies(tx, organizationId, [{ checkId: check.id, deviceId: device.id, from: null, to: 'passing' }]),
  )
  const reported = make.result({ device, check, rows: 'FAIL', at: minute(1) })
  await waiting(1)
  const update = transact(database.db, (tx) =>
    updateConfiguration(
      tx,
      { checkId: check.id, request: { remediation_strategy: 'block_immediately' } },
      systemChange(organizationId, minute(2)),
    ),
  )
  const recomputed = update.then(() =>
    recomputeCheck(
      database.db,
      { organizationId, checkId: check.id },
      () => contextAt(minute(3)),
      new AbortController().signal,
    ),
  )
  await Promise.race([recomputed, waiting(2).catch(() => {})])
  await tallies.letGo()
  await Promise.all([reported, recomputed])
  assert.equal(await stateOf(device.id), 'blocked')
})

testOnPostgres('a result that waits for a change of groups is judged by the new groups', async () => {
  const spared = await make.deviceGroup(organizationId)
  const { device, check } = await failingFleet('block_immediately')
  await database.db
    .updateTable('check_configurations')
    .set({ blocking_excluded_groups: [spared.id] })
    .execute()
  const joining = await keeping(async (tx) => {
    await lockDevice(tx, organizationId, device.id)
    await tx
      .insertInto('device_group_members')
      .values({ organization_id: organizationId, device_group_id: spared.id, device_id: device.id })
      .execute()
  })
  const reported = make.result({ device, check, rows: 'FAIL', at: minute(1) })
  await waiting(1)
  await joining.letGo()
  await reported
  assert.equal(await stateOf(device.id), 'notified')
})

testOnPostgres('of several decisions about one request that meet, one counts', async () => {
  const { owner, device, check } = await failingFleet('block_immediately')
  for (let round = 0; round < 8; round += 1) {
    const issue = await make.issue({ device, check, at: minute(2 * round) })
    const { id: requestId } = await make.exemptionRequest({ device, person: owner, issues: [issue] })
    const decisions = (['approved', 'denied', 'approved', 'denied'] as const).map((status) => ({
      requestId,
      decision: { status, internal_message: 'A note.', denial_explanation: 'A reason.' },
    }))
    const outcomes = await Promise.allSettled(
      decisions.map((deciding) =>
        transact(database.db, (tx) =>
          decideExemptionRequest(tx, deciding, systemChange(organizationId, minute(2 * round))),
        ),
      ),
    )
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.deepEqual(
      lost.map(({ reason }) => (reason instanceof ServiceError ? reason.code : String(reason))),
      ['request_decided', 'request_decided', 'request_decided'],
    )
    const { exempted } = await database.db
      .selectFrom('issues')
      .select('exempted')
      .where('id', '=', issue.id)
      .executeTakeFirstOrThrow()
    assert.equal(exempted, decisions[won]?.decision.status === 'approved')
    await make.result({ device, check, rows: 'PASS', at: minute(2 * round + 1) })
  }
})

testOnPostgres('of a person’s last two devices, unregistered at once, one resets the trust', async () => {
  for (let round = 0; round < 8; round += 1) {
    const owner = await make.person(organizationId, { has_used_first_trust: true })
    const devices = [
      await make.device(organizationId, { registered_owner_id: owner.id }),
      await make.device(organizationId, { registered_owner_id: owner.id }),
    ]
    await Promise.all(
      devices.map((device) =>
        transact(database.db, (tx) =>
          unregisterDevice(tx, { deviceId: device.id }, systemChange(organizationId, minute(1))),
        ),
      ),
    )
    const stored = await database.db
      .selectFrom('people')
      .select('has_used_first_trust')
      .where('id', '=', owner.id)
      .executeTakeFirstOrThrow()
    assert.equal(stored.has_used_first_trust, false, `round ${round}`)
  }
})

testOnPostgres('two devices that swap owners wait for each other and do not deadlock', async () => {
  const [first, second] = [await make.person(organizationId), await make.person(organizationId)]
  const owned = (personId: string) => make.device(organizationId, { registered_owner_id: personId })
  const swaps = [
    { deviceId: (await owned(second.id)).id, personId: first.id },
    { deviceId: (await owned(first.id)).id, personId: second.id },
  ]
  const other = await keeping(async (tx) => {
    await lockPerson(tx, organizationId, first.id)
  })
  // Not by `transact`, which repeats what has met a deadlock.
  const swapping: Promise<void>[] = []
  for (const [count, swap] of swaps.entries()) {
    const change = systemChange(organizationId, minute(1))
    swapping.push(database.db.transaction().execute((tx) => registerDevice(tx, swap, change)))
    await waiting(count + 1)
  }
  await other.letGo()
  await Promise.all(swapping)
})

testOnPostgres('nobody registers a device to a person who is being deprovisioned', async () => {
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId)
  const leaving = await keeping(async (tx) => {
    await tx
      .updateTable('people')
      .set({ deprovisioned_at: minute(1) })
      .where('id', '=', owner.id)
      .execute()
  })
  const refused = assert.rejects(
    transact(database.db, (tx) =>
      registerDevice(tx, { deviceId: device.id, personId: owner.id }, systemChange(organizationId, minute(1))),
    ),
    { code: 'not_found' },
  )
  await waiting(1)
  await leaving.letGo()
  await refused
})
