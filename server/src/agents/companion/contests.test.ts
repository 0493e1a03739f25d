import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionMachines } from '../../../test/support/companion-machine.ts'
import { linkNameIn, reportLinkFiles } from '../../../test/support/link-report.ts'
import { transact } from '../../base/db/transact.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'

const agents = testAgents()
const { database } = agents
const { newCompanion, linkedMachine } = companionMachines(agents)

beforeEach(() => agents.reset())

type Machine = Awaited<ReturnType<typeof linkedMachine>>
type Companion = Machine['companion']

const keyOf = () => database.db.selectFrom('companion_keys').selectAll().executeTakeFirstOrThrow()

/** The companion of another machine, to which the state folder was copied. */
async function copyOf({ companion }: Machine) {
  const copy = await newCompanion(agents.server, companion.keys)
  copy.holdEpoch(companion.epoch())
  return copy
}

/** Both check in until the copy is noticed: the first one that does goes on as if it were alone. */
async function contest(first: Companion, second: Companion) {
  for (const one of [first, second, first]) {
    agents.pass(130)
    await one.checkIn()
  }
  assert.notEqual((await keyOf()).contest_ends_at, null)
}

test('a copied key is noticed once both machines have checked in, and once a day at most', async () => {
  const machine = await linkedMachine()
  const copy = await copyOf(machine)
  await contest(machine.companion, copy)
  const key = await keyOf()
  assert.deepEqual([key.seen_twice_at, key.status], [agents.now(), 'linked'])
  for (const one of [copy, machine.companion, copy]) await one.checkIn()
  const audits = await database.db
    .selectFrom('audit_logs')
    .select('id')
    .where('action', '=', 'device.companion_key_seen_twice')
    .execute()
  assert.equal(audits.length, 1)
})

test('each of two companions is asked for a file of its own, and the one whose file the node reports continues', async () => {
  for (const isCopyFirst of [false, true]) {
    await agents.reset()
    const machine = await linkedMachine()
    const copy = await copyOf(machine)
    const [first, second] = isCopyFirst ? [copy, machine.companion] : [machine.companion, copy]
    await contest(first, second)
    const [mine, theirs] = [(await machine.companion.checkIn()).body, (await copy.checkIn()).body]
    assert.ok(mine.link?.name && theirs.link?.name && mine.link.name !== theirs.link.name)
    assert.deepEqual([mine.next_check_in_seconds, theirs.next_check_in_seconds], [15, 15])
    agents.pass(20)
    assert.ok(await reportLinkFiles(machine.client, [mine.link.name]))
    agents.pass(20)
    const settled = (await machine.companion.checkIn()).body
    assert.deepEqual([settled.status, settled.link, settled.next_check_in_seconds], ['linked', null, 300])
    assert.equal((await copy.checkIn()).body.status, 'linking')
    const { contest_ends_at: contestEndsAt, epoch } = await keyOf()
    assert.deepEqual([contestEndsAt, epoch], [null, machine.companion.epoch()])
  }
})

test('the copy stays out for good, however often it comes, and asks nothing of the companion that continues', async () => {
  const machine = await linkedMachine()
  const copy = await copyOf(machine)
  await contest(machine.companion, copy)
  agents.pass(20)
  const { body } = await machine.companion.checkIn()
  assert.ok(await reportLinkFiles(machine.client, [body.link?.name ?? '']))
  for (let times = 0; times < 20; times += 1) {
    agents.pass(60)
    const { body: answer } = await copy.checkIn()
    assert.equal(answer.status, 'linking')
    assert.equal(answer.link === null, times >= 15, 'asked for during the first 15 minutes')
    assert.notEqual(answer.epoch, machine.companion.epoch())
  }
  assert.equal(linkNameIn((await machine.client.read()).queries), undefined, 'the node is left in peace')
  assert.deepEqual((await machine.companion.checkIn()).body.link, null)
  agents.pass(2_500)
  assert.notEqual((await copy.checkIn()).body.link, null, 'and again in an hour')
})

test('a machine that was put back to an earlier state proves its link, and continues', async () => {
  const machine = await linkedMachine()
  const before = machine.companion.epoch()
  for (let times = 0; times < 3; times += 1) {
    agents.pass(300)
    await machine.companion.checkIn()
  }
  for (let times = 0; times < 2; times += 1) {
    machine.companion.holdEpoch(before)
    const { body } = await machine.companion.checkIn({ is_start: true })
    agents.pass(20)
    assert.ok(await reportLinkFiles(machine.client, [body.link?.name ?? '']))
    assert.equal((await machine.companion.checkIn()).body.status, 'linked')
  }
})

test('while two companions contend neither runs checks nor brings results', async () => {
  const machine = await linkedMachine()
  const { organizationId, deviceId, check } = machine
  const refresh = () =>
    transact(database.db, (tx) =>
      requestRefresh(tx, { organizationId, deviceId, checkId: check.id, now: agents.now() }),
    )
  await refresh()
  const [due] = (await machine.companion.checkIn()).body.queries
  assert.ok(due)
  const copy = await copyOf(machine)
  await contest(machine.companion, copy)
  agents.pass(60)
  await refresh()
  for (const one of [copy, machine.companion]) assert.deepEqual((await one.checkIn()).body.queries, [])
  const rows = [{ KOLIDE_CHECK_STATUS: 'PASS' }]
  assert.equal((await copy.results([{ name: due.name, rows }])).status, 403)
  const results = await database.db.selectFrom('check_results').select('ran_at').execute()
  assert.deepEqual(results, [{ ran_at: null }])
})

test('a companion that starts proves its link', async () => {
  const { client, companion } = await linkedMachine()
  agents.pass(300)
  assert.equal((await companion.checkIn()).body.link, null)
  const { body } = await companion.checkIn({ is_start: true })
  assert.deepEqual([body.status, body.link?.by], ['linked', 'file'])
  agents.pass(20)
  assert.ok(await reportLinkFiles(client, [body.link?.name ?? '']))
  const key = await keyOf()
  assert.equal(key.confirmed_at, agents.now())
  assert.ok((key.linked_at ?? '') < agents.now(), 'it is linked since before')
})

test('a link ends that the node has denied for ten minutes, and comes back once the node reports the file', async () => {
  const { client, companion } = await linkedMachine()
  agents.pass(300)
  const { body } = await companion.checkIn({ is_start: true })
  for (let minutes = 0; minutes < 9; minutes += 1) {
    agents.pass(60)
    assert.ok(await reportLinkFiles(client, []))
    assert.equal((await companion.checkIn()).body.status, 'linked')
  }
  agents.pass(61)
  assert.ok(await reportLinkFiles(client, ['a-file-of-somebody-else']))
  assert.equal((await companion.checkIn()).body.status, 'linking')
  const audits = await database.db
    .selectFrom('audit_logs')
    .select('description')
    .where('action', '=', 'device.companion_unlinked')
    .execute()
  assert.equal(audits.length, 1)
  agents.pass(20)
  assert.ok(await reportLinkFiles(client, [body.link?.name ?? '']))
  assert.equal((await companion.checkIn()).body.status, 'linked')
})
