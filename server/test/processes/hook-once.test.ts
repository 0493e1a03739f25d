import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import type { Hook } from '../support/hook-receivers.ts'
import { until } from '../support/muster-process.ts'
import { answerWith } from '../support/receivers.ts'
import { extent } from '../support/soak.ts'
import { type HookPlace, openHookPlace } from './hook-place.ts'

const database = testDatabase()
const endpoints = 10
const changes = Number(process.env['MUSTER_CHAOS_CHANGES'] ?? extent(200, 1_000))
const atOnce = 50
/** Longer than a worker keeps an endpoint that has nothing to deliver. */
const lullMs = 6_000
type Entry = Pick<WebhookDelivery, 'message_id' | 'state' | 'attempts_count' | 'last_status' | 'last_error'>
const shownNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'authorization'] as const
const statuses = [200, 201, 202, 204, 299]

type Endpoint = Awaited<ReturnType<HookPlace['addEndpoint']>>

testOnPostgres('four workers send each webhook of a fault-free run once, and the log says so', async (t) => {
  const hookPlace = await openHookPlace(t, { url: database.url, db: database.db }, 400)
  const { place, server, change, countPending, deviceIds } = hookPlace
  const isDrained = async () => (await countPending()) === 0
  const added: (Endpoint & { status: number })[] = []
  for (let index = 0; index < endpoints; index += 1) {
    const endpoint = await hookPlace.addEndpoint()
    const status = statuses[index % statuses.length] ?? 200
    endpoint.receiver.answer = answerWith(status)
    added.push({ ...endpoint, status })
  }
  const workers = await Promise.all(Array.from({ length: 4 }, () => place.startWorker()))
  const startedAt = performance.now()
  const histories = new Map<string, string[]>(deviceIds.map((id) => [id, []]))
  for (let made = 0; made < changes; made += atOnce) {
    const from = (made * 3) % deviceIds.length
    const changed = deviceIds.slice(from, from + atOnce)
    const name = randomUUID()
    await change(changed, name)
    for (const deviceId of changed) histories.get(deviceId)?.push(name)
    // One ends as a deployment ends it, and then all lie still for a while.
    if (made === Math.floor(changes / 4 / atOnce) * atOnce) assert.equal(await workers.pop()?.stop(), 0)
    if (made === Math.floor(changes / 2 / atOnce) * atOnce) await lull()
    await pause(50)
  }
  await until(600_000, isDrained, 500)
  const seconds = (performance.now() - startedAt) / 1_000
  t.diagnostic(`${changes} changes for ${endpoints} endpoints arrived in ${seconds.toFixed(1)} s, with a lull in it`)

  for (const { receiver, endpointId, status } of added) {
    const { received } = receiver
    assert.deepEqual([received.length, new Set(received.map(({ id }) => id)).size], [changes, changes])
    const arrived = Map.groupBy(received, ({ data }) => String(data.device_id))
    for (const [deviceId, names] of histories) {
      assert.deepEqual(arrived.get(deviceId)?.map(({ data }) => data.device_name) ?? [], names)
    }
    const log = await readLog(endpointId)
    const told = log.map(({ message_id, state, attempts_count, last_status, last_error }) => [
      ...[message_id, state, attempts_count, last_status, last_error],
    ])
    const arrivals = received.map(({ id }) => [id, 'delivered', 1, status, null])
    assert.deepEqual(told.toSorted(), arrivals.toSorted(), 'the log has what the receiver has')
    assert.deepEqual(await readAttempts(endpointId), received.map(attemptOf(status)).toSorted())
  }
  assert.deepEqual(await Promise.all(workers.map((worker) => worker.stop())), [0, 0, 0])

  async function lull(): Promise<void> {
    await until(600_000, isDrained, 500)
    await pause(lullMs)
  }

  /** All of an endpoint's log, as an administrator reads it. */
  async function readLog(endpointId: string): Promise<Entry[]> {
    const { key } = await place.addKey()
    const entries: Entry[] = []
    for (let cursor = ''; ; ) {
      const path = `/webhook_endpoints/${endpointId}/deliveries?per_page=100&cursor=${cursor}`
      const { status, body } = await server.ask('GET', path, { key })
      assert.equal(status, 200, JSON.stringify(body))
      entries.push(...body.data)
      cursor = encodeURIComponent(body.pagination.next_cursor)
      if (cursor === '') return entries
    }
  }
})

/** What the log says of each request. */
async function readAttempts(endpointId: string) {
  const rows = await database.db
    .selectFrom('webhook_attempt_log')
    .select(['request_headers', 'status', 'error', 'response'])
    .where('endpoint_id', '=', endpointId)
    .execute()
  return rows
    .map(({ request_headers: headers, status, error, response }) => [
      ...shownNames.map((name) => headers[name]),
      ...[status, error, response],
    ])
    .toSorted()
}

const attemptOf =
  (status: number) =>
  ({ headers }: Hook) => [...shownNames.map((name) => headers[name]), status, null, '']
