import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { testApp } from '../../../../test/support/app.ts'
import { inwardNames } from '../../../../test/support/inward-names.ts'
import { until } from '../../../../test/support/muster-process.ts'
import type { Zone } from '../../../../test/support/name-server.ts'
import { authorityOfReceivers, openReceiverOf } from '../../../../test/support/receivers.ts'
import { systemClock } from '../../../base/clock.ts'
import { openOutbound } from '../../../base/outbound/outbound.ts'
import { startPush } from './start-push.ts'

// What names of receivers resolve to, from a name server to the ledger. The deliverers here may dial public addresses
// only, so any connection to this machine is a defect.

const names = await inwardNames()
const { nameServer, port, refused, accepted, resolve, inward, publicly, tricks } = names

const deadlineMs = 4_000
const app = testApp({ outbound: openOutbound({ allowPrivate: false, deadlineMs, resolve }) })
let ticking: NodeJS.Timeout
before(() => {
  ticking = setInterval(() => app.setNow(systemClock()), 20)
})
after(() => clearInterval(ticking))
beforeEach(async () => {
  await app.reset()
  names.reset()
})

async function delivering<Result>(work: () => Promise<Result>): Promise<Result> {
  const push = startPush(app.streams)
  try {
    return await work()
  } finally {
    await push.stop()
  }
}

/** A stream to a host of this name, about which the name server says this. */
async function streamTo(name: string, zone?: Zone): Promise<string> {
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: names.urlOf(name, zone) }
  const { status, body } = await app.ask('POST', '/ssf_streams', { body: { name, delivery } })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

async function verify(id: string): Promise<void> {
  const { status } = await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: id } })
  assert.equal(status, 204)
}

type Attempt = { status: number | null; error: string | null }
const attemptsOf = async (id: string): Promise<{ state: string; attempts: Attempt[] }> => {
  const { body } = await app.ask('GET', `/ssf_streams/${id}/history`)
  // It is listed from when it has a number.
  const [{ state, attempts } = { state: 'pending', attempts: [] }] = body.data
  return { state, attempts }
}
/** What the event of a stream has been through after its first attempt and its first repetition. */
async function afterRetry(id: string): Promise<string[]> {
  await until(30_000, async () => (await attemptsOf(id)).attempts.length >= 2, 200)
  const { state, attempts } = await attemptsOf(id)
  assert.equal(state, 'pending', 'held, not lost')
  return [...new Set(attempts.map(({ status, error }) => `${status} ${error}`))]
}

test('every inward address is refused as an answer: at a first sending, and when it is repeated', {
  timeout: 200_000,
}, async () => {
  assert.ok(refused.length > 200)
  const ids: string[] = []
  for (const [index, address] of refused.entries()) ids.push(await streamTo(`r${index}`, { addresses: [address] }))
  assert.deepEqual(nameServer.asked, [], 'creating a stream reveals nothing about names')
  for (const id of ids) await verify(id)
  await delivering(async () => {
    const repeated = async () => {
      const { count } = await app.db
        .selectFrom('ssf_stream_events')
        .select((query) => query.fn.countAll<string>().as('count'))
        .where('attempts', '>=', 2)
        .executeTakeFirstOrThrow()
      return Number(count) === refused.length
    }
    await until(90_000, repeated, 250)
  })
  const attempts = await app.db.selectFrom('ssf_attempts').select(['status', 'error']).distinct().execute()
  assert.deepEqual(attempts, [{ status: null, error: 'The host could not be looked up, or has no public address' }])
  const states = await app.db.selectFrom('ssf_stream_events').select('state').distinct().execute()
  assert.deepEqual(states, [{ state: 'pending' }])
  assert.equal(names.connections(), 0)
})

/** What a test of a stream says, and after how long. */
async function tryStream(id: string) {
  const startedAt = performance.now()
  const { status, body } = await app.ask('POST', `/ssf_streams/${id}/test`, { body: { email: 'a@acme.example' } })
  const { ssf_stream_event_id: _id, hint: _hint, ...rest } = body
  return { status, rest, tookMs: performance.now() - startedAt }
}

/** So many at once find a connection to the database in time, also on a busy machine. */
const triedAtOnce = 60

test('a test of a stream says the same after the same time, whatever its name resolves to', async () => {
  const zones: [name: string, zone: Zone | undefined][] = [
    ...refused.map((address, index): [string, Zone] => [`t${index}`, { addresses: [address] }]),
    ['nxdomain', undefined],
    ['servfail', { fault: 'SERVFAIL' }],
    ['silent', { isSilent: true }],
    ['empty', { addresses: [] }],
  ]
  const ids: string[] = []
  for (const [name, zone] of zones) ids.push(await streamTo(name, zone))
  const answers: Awaited<ReturnType<typeof tryStream>>[] = []
  for (let place = 0; place < ids.length; place += triedAtOnce) {
    answers.push(...(await Promise.all(ids.slice(place, place + triedAtOnce).map(tryStream))))
  }
  for (const { status, rest, tookMs } of answers) {
    assert.deepEqual([status, rest], [200, { success: false, response_code: 'no_response' }])
    assert.ok(tookMs >= 4_990, `${tookMs} ms`)
  }
  assert.equal(names.connections(), 0)
})

test('a name that resolves to anything else than public addresses is not dialled, and its events are kept', async () => {
  await delivering(async () => {
    const work = tricks.map(async ([title, zone, expected], index) => {
      const id = await streamTo(`trick${index}`, zone)
      await verify(id)
      assert.deepEqual(await afterRetry(id), [expected], title)
    })
    names.addAlias()
    await Promise.all(work)
  })
  assert.equal(names.connections(), 0)
})

test('a name that becomes an inward one later is refused then, also between two attempts', async () => {
  const id = await streamTo('rebound', { addresses: [publicly(1)], ttl: 0 })
  assert.equal(nameServer.asked.length, 0)
  await verify(id)
  await delivering(async () => {
    // Nobody answers there as this receiver, whether the network is there or not.
    await until(20_000, async () => (await attemptsOf(id)).attempts.length >= 1, 50)
    nameServer.zones.set('rebound.receivers.example', { addresses: [inward], ttl: 0 })
    await until(20_000, async () => (await attemptsOf(id)).attempts.length >= 3, 50)
  })
  const { state, attempts } = await attemptsOf(id)
  const errors = attempts.map(({ error }) => error).toReversed()
  assert.deepEqual(
    [state, errors.at(-1), names.connections()],
    ['pending', 'The host could not be looked up, or has no public address', 0],
  )
  assert.notEqual(errors[0], 'The host could not be looked up, or has no public address')
  assert.ok(nameServer.asked.length >= 2 * attempts.length, 'it is resolved again for each attempt')
})

test('public addresses are dialled', async () => {
  const some = accepted.filter((_address, index) => index % 12 === 0)
  assert.ok(some.length > 2)
  const outbound = openOutbound({ allowPrivate: false, deadlineMs: 300, resolve })
  const outcomes = await Promise.all(
    some.map((address, index) => {
      nameServer.zones.set(`p${index}.receivers.example`, { addresses: [address] })
      return outbound.post({ url: `https://p${index}.receivers.example:${port}/`, headers: {}, body: '' })
    }),
  )
  await outbound.close()
  for (const [index, outcome] of outcomes.entries()) {
    assert.ok(outcome.kind === 'failed' && ['connection', 'timeout', 'tls'].includes(outcome.fault), some[index])
  }
})

test('names that nobody answers keep no other name waiting', async () => {
  const receiver = await openReceiverOf('/events', (body) => body)
  const outbound = openOutbound({ allowPrivate: true, extraAuthorities: [authorityOfReceivers], resolve })
  const silent = Array.from({ length: 40 }, (_, index) => `https://silent${index}.receivers.example/`)
  for (const url of silent) nameServer.zones.set(new URL(url).hostname, { isSilent: true })
  nameServer.zones.set('receiver.test', { addresses: [inward] })
  const waiting = silent.map((url) => outbound.post({ url, headers: {}, body: '' }))
  await pause(50)
  let isOneOver = false
  void Promise.race(waiting).then(() => {
    isOneOver = true
  })
  const healthy = await outbound.post({ url: receiver.url, headers: {}, body: 'signed' })
  assert.equal(isOneOver, false, 'it is answered before the first of the others is given up')
  assert.deepEqual([healthy.kind, receiver.received], ['answered', ['signed']])
  for (const outcome of await Promise.all(waiting)) {
    assert.deepEqual(outcome.kind === 'failed' && [outcome.fault, outcome.mayHaveArrived], ['unreachable', false])
  }
  await outbound.close()
  await receiver.close()
})
