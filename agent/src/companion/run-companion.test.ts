import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopbackParts } from './answer-loopback.ts'
import type { CheckInAnswer } from './check-in-answer.ts'
import { runCompanion } from './run-companion.ts'

/** Short enough for a test, and long enough to tell a fifth of it from fifteen of it. */
const secondMs = 40

/** A server that answers each request at once in the same way, and a companion of it. */
type CheckIn = { wait_seconds: number; port: number | null; taken_ports: number[] }

async function companionAt(t: TestContext, answer: Partial<CheckInAnswer>, takenPorts: readonly number[] = []) {
  const checkIns: CheckIn[] = []
  const at = { now: '2026-11-30T12:00:00.000Z' }
  async function take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = (await json(request)) as CheckIn
    if (request.url?.endsWith('/check_in')) checkIns.push(body)
    const common = { organization: '1', origin: 'https://muster.example.com', ports: [], queries: [], link: null }
    const told = { ...common, challenge_keys: { keys: [] }, epoch: 'same', server_time: at.now, ...answer }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(told))
  }
  const server = http.createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'muster-companion-'))
  const [stateFile, stopping] = [join(folder, 'companion.json'), new AbortController()]
  const started = Promise.withResolvers<LoopbackParts>()
  const ended = runCompanion({
    ...{ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, enrollSecret: 's', stateFile, secondMs },
    ...{
      linkFolder: join(folder, 'link'),
      hardware: async () => ({ uuid: 'u', serial: 's' }),
      run: async () => undefined,
    },
    keepLoopback: async (_ports, parts) => {
      started.resolve(parts)
      return { port: null, takenPorts, close: async () => {} }
    },
    ...{ log: () => {}, signal: stopping.signal },
  })
  t.after(async () => {
    stopping.abort()
    await ended
    server.close()
    rmSync(folder, { recursive: true })
  })
  const checkedInAt = async () =>
    (JSON.parse(await readFile(stateFile, 'utf8')) as { checkedIn?: { at?: string } }).checkedIn?.at
  return { checkIns, at, checkedInAt, parts: await started.promise }
}

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await sleep(5)
}

test('a companion that finds all ports taken says so at once, and once', async (t) => {
  const { checkIns } = await companionAt(t, { status: 'linked', next_check_in_seconds: 100_000 }, [15_861, 17_443])
  await until(() => checkIns.length >= 1)
  assert.deepEqual([checkIns[0]?.port, checkIns[0]?.taken_ports], [null, [15_861, 17_443]])
  await sleep(20 * secondMs)
  assert.equal(checkIns.length, 1)
})

test('a companion that is woken waits at the server again and again where its link counts', async (t) => {
  const { checkIns, parts } = await companionAt(t, { status: 'linked', next_check_in_seconds: 300 })
  parts.wake()
  await until(() => checkIns.length >= 20)
  assert.equal(checkIns.at(-1)?.wait_seconds, 25)
})

test('one that is answered at once, since it waits for its link or contends for its key, comes when it is told', async (t) => {
  for (const status of ['linking', 'linked'] as const) {
    const { checkIns, parts } = await companionAt(t, { status, next_check_in_seconds: 15 })
    parts.wake()
    await until(() => checkIns.length >= 2)
    const before = checkIns.length
    await sleep(15 * secondMs)
    // A second one may come in at the end, and none where a fifth of a second would have brought seventy.
    assert.ok(checkIns.length - before <= 2, `${checkIns.length - before} check-ins ${status}`)
  }
})

test('the time of the last check-in is written down each minute, though nothing else has changed', async (t) => {
  const { at, checkIns, checkedInAt, parts } = await companionAt(t, { status: 'linked', next_check_in_seconds: 300 })
  parts.wake()
  await until(async () => (await checkedInAt()) === at.now)
  const first = at.now
  at.now = '2026-11-30T12:00:59.000Z'
  const before = checkIns.length
  await until(() => checkIns.length >= before + 3)
  assert.equal(await checkedInAt(), first)
  at.now = '2026-11-30T12:01:00.000Z'
  await until(async () => (await checkedInAt()) === at.now)
})
