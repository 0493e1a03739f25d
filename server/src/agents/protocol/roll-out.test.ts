import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'

const agents = testAgents()
const { database, enrollmentSecret } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const namesOfDevices = async () =>
  (await database.db.selectFrom('devices').select('name').orderBy('id').execute()).map(({ name }) => name)

const outcomes = async () => {
  const { values } = await agents.context.metrics.enrollments.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))
}

/** Takes all turns; the answer gives them back. */
function holdTurns(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let held = 0; held < 3; held += 1) {
    void agents.context.enrolling.take({ organizationId: 'held', isGone: () => false }, () => promise)
  }
  return resolve
}

test('an agent that hangs up while it waits to enroll becomes no device, and the next one does', async () => {
  const secret = await enrollmentSecret((await make.organization()).id)
  const gone = (await outcomes())['gone'] ?? 0
  const release = holdTurns()
  const [first, second] = [agents.client(), agents.client()]
  const lost = first.enroll(secret, { hostname: 'hung-up', uuid: '', serial: 'ONE' })
  const lostOutcome = lost.catch(() => 'gone')
  await until(60_000, async () => agents.context.enrolling.waiting() === 1)
  first.close()
  assert.equal(await lostOutcome, 'gone')
  const kept = second.enroll(secret, { hostname: 'patient', uuid: '', serial: 'TWO' })
  await until(60_000, async () => agents.context.enrolling.waiting() === 2)
  // The server hears of the end of the connection some time after the agent.
  await until(60_000, async () => (await agents.openConnections()) === 1)
  release()
  assert.ok((await kept).accepted)
  assert.deepEqual(await namesOfDevices(), ['patient'])
  assert.equal((await outcomes())['gone'], gone + 1)
})

test('a server that stops refuses those who wait to enroll, who keep what they have', async () => {
  const secret = await enrollmentSecret((await make.organization()).id)
  const other = await agents.another()
  const { promise, resolve } = Promise.withResolvers<void>()
  const { enrolling } = other.agents.context
  for (let held = 0; held < 3; held += 1) {
    void enrolling.take({ organizationId: 'held', isGone: () => false }, () => promise)
  }
  const verdict = other.client().enroll(secret)
  await until(60_000, async () => enrolling.waiting() === 1)
  const stopped = enrolling.stop()
  assert.deepEqual([(await verdict).accepted, (await verdict).status], [false, 503])
  const { node_invalid: isInvalid, error } = JSON.parse((await verdict).text)
  assert.deepEqual([isInvalid, error], [false, 'Too many machines enroll at the same time. Try again later.'])
  resolve()
  await stopped
  assert.deepEqual(await namesOfDevices(), [])
})
