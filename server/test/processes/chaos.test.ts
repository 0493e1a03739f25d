import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { extent, isSoak } from '../support/soak.ts'
import { checkLogs } from './chaos/check-logs.ts'
import { changeDevices, createHistories, readHistories } from './chaos/device-histories.ts'
import { openFaultyHookReceiver, openFaultyReceiver } from './chaos/faulty-receiver.ts'
import { openHookOperator } from './chaos/hook-operator.ts'
import { openPollReceiver } from './chaos/poll-receiver.ts'
import { openRestarting } from './chaos/restarting.ts'
import { seeded } from './chaos/seeded.ts'
import { type HookPlace, hooksIn } from './hook-place.ts'
import { openOwnCluster } from './own-cluster.ts'
import { openStreamPlace, type StreamPlace } from './stream-place.ts'

const seconds = Number(process.env['MUSTER_CHAOS_SECONDS'] ?? extent(10, 120))
const seed = Number(process.env['MUSTER_CHAOS_SEED'] ?? randomInt(2 ** 31))
const chance = seeded(seed)
/** In a few seconds as much goes wrong as else in half a minute. */
const smokePace = 0.25
/** A few seconds suffice, unless others load the machine. */
const drainLimitMs = 240_000
const pushStreams = 12
const pollStreams = 8
const endpoints = 6
/** Longer than a request is waited for. */
const attemptMs = 16_000
/** Requests of one stream or endpoint that are under way at a time, and events sent while the database can not be told. */
const maxUnderWay = 8
const maxUnwritten = 128
const specVersionOf = (index: number) => (index % 2 === 0 ? 'v1_0' : 'draft')

testOnPostgres('whatever is killed, restarted or in trouble, every change arrives, and in order', async (t) => {
  t.diagnostic(`MUSTER_CHAOS_SECONDS=${seconds} MUSTER_CHAOS_SEED=${seed}`)
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const streamPlace = await openStreamPlace(t, { url: cluster.url, db }, 2_000)
  const hookPlace = hooksIn(streamPlace)
  const { organizationId, deviceIds, countPending } = streamPlace
  await createHistories(db)
  const restarting = openRestarting(streamPlace.place, cluster, chance, isSoak ? 1 : smokePace)
  const pushed = await Promise.all(Array.from({ length: pushStreams }, (_, index) => addPushed(streamPlace, index)))
  const polled = await Promise.all(
    Array.from({ length: pollStreams }, (_, index) => addPolled(streamPlace, index, restarting.servers)),
  )
  const { key } = await streamPlace.place.addKey()
  const operating = { chance, servers: restarting.servers, key }
  const hooked = await Promise.all(Array.from({ length: endpoints }, () => addHooked(hookPlace, operating)))
  assert.equal(await streamPlace.server.stop(), 0)

  const endsAt = Date.now() + seconds * 1_000
  const isOver = () => Date.now() > endsAt
  let isDrained = false
  const polling = polled.map((receiver) => receiver.run(isOver, () => isDrained))
  const [{ failed }] = await Promise.all([
    changeDevices({ db, organizationId, chance, isOver }, deviceIds),
    restarting.run(isOver),
    ...[...pushed, ...hooked.flatMap((both) => [both.receiver, both.operator])].map((one) => one.run(isOver)),
  ])
  const drained = async (count: () => Promise<number>) => {
    const isSo = async () => (await count().catch(() => Number.NaN)) === 0
    return Math.round((await until(drainLimitMs, isSo, 250)) / 1_000)
  }
  const drainedHooks = async () => {
    let isDone = false
    // What was refused a few times waits for hours; a change of the endpoint has it tried at once.
    const changing = (async () => {
      while (!isDone) {
        await pause(attemptMs)
        await Promise.all(hooked.map(({ operator }) => operator.change()))
      }
    })()
    const tookSeconds = await drained(hookPlace.countPending).finally(() => {
      isDone = true
    })
    await changing
    return tookSeconds
  }
  const [pushSeconds, pollSeconds, hookSeconds] = await Promise.all([
    drained(() => countPending(['push'])),
    drained(() => countPending(['poll'])),
    drainedHooks(),
  ]).finally(() => {
    isDrained = true
  })
  await Promise.all(polling)

  const logs = [...pushed, ...polled, ...hooked.map(({ receiver }) => receiver)].map(({ log }) => log)
  const { faults, counts } = await checkLogs(
    { db, organizationId, secrets: streamPlace.place.secrets },
    logs,
    await readHistories(db),
  )
  t.diagnostic(JSON.stringify(counts))
  t.diagnostic(
    JSON.stringify({ ...restarting.counts, failedChanges: failed, drained: { pushSeconds, pollSeconds, hookSeconds } }),
  )
  t.diagnostic(JSON.stringify({ hooks: { attempts: await countAttempts(), ...sumOfOperators(hooked) } }))
  t.diagnostic(JSON.stringify({ holds: await countHolds(), ...sumOfPolls(polled) }))
  assert.deepEqual(faults.slice(0, 20), [])
  const { workerKills, restarts, crashes } = restarting.counts
  // A long run in which nothing went wrong shows nothing; a short one may be over before.
  const trouble = { pushes: counts.push.refused, webhooks: counts.hook.refused, workerKills, restarts }
  for (const [what, count] of Object.entries(trouble)) assert.ok(count > 0 || !isSoak, `no trouble by ${what}`)
  for (const [{ afterAnswer }, receivers] of [
    [counts.push, pushStreams],
    [counts.hook, endpoints],
  ] as const) {
    const cut = receivers * (workerKills * maxUnderWay + (restarts + crashes) * maxUnwritten)
    assert.ok(afterAnswer <= cut, `${afterAnswer} repeats of what was answered`)
  }

  async function countAttempts(): Promise<number> {
    const { count } = await db
      .selectFrom('webhook_attempt_log')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  async function countHolds(): Promise<number> {
    const { count } = await db
      .selectFrom('ssf_attempts')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('error', 'is not', null)
      .executeTakeFirstOrThrow()
    return Number(count)
  }
})

type Operating = Parameters<typeof openHookOperator>[2]

async function addHooked(hookPlace: HookPlace, operating: Operating) {
  const { receiver, endpointId, secret } = await hookPlace.addEndpoint()
  const operator = openHookOperator(endpointId, secret, operating)
  return { operator, receiver: openFaultyHookReceiver(receiver, endpointId, chance, operator.judge) }
}

async function addPushed(streamPlace: StreamPlace, index: number) {
  const { receiver, streamId } = await streamPlace.addPushStream(specVersionOf(index))
  return openFaultyReceiver(receiver, streamId, chance)
}

type Servers = ReturnType<typeof openRestarting>['servers']

async function addPolled({ place, server }: StreamPlace, index: number, servers: Servers) {
  const { key } = await place.addKey()
  const body = { name: `Polled ${index}`, spec_version: specVersionOf(index) }
  const made = await server.ask('POST', '/ssf_streams', { key, body })
  assert.ok(made.status < 300, JSON.stringify(made.body))
  const { id, stream_id: uuid, poll_bearer_token: pollToken } = made.body
  return openPollReceiver(id, uuid, { chance, servers, key, pollToken })
}

function sumOfPolls(polled: readonly ReturnType<typeof openPollReceiver>[]) {
  const total = { polls: 0, held: 0, crashed: 0, unanswered: 0, statuses: {} as Record<string, number> }
  for (const { counts } of polled) {
    total.polls += counts.polls
    total.held += counts.held
    total.crashed += counts.crashes
    total.unanswered += counts.unanswered
    for (const [status, count] of counts.statuses) total.statuses[status] = (total.statuses[status] ?? 0) + count
  }
  return total
}

function sumOfOperators(hooked: readonly Awaited<ReturnType<typeof addHooked>>[]) {
  const total = { changes: 0, rolls: 0, early: 0 }
  for (const { operator } of hooked) {
    total.changes += operator.counts.changes
    total.rolls += operator.counts.rolls
    total.early += operator.counts.early
  }
  return total
}
