import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { beforeEach, test } from 'node:test'
import { generate } from 'selfsigned'
import { testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { freePort, until } from '../../../test/support/muster-process.ts'
import { transact } from '../../base/db/transact.ts'
import { notifyStreams } from '../../signals/streams/notify-streams.ts'
import { queueComplianceChanges } from '../../signals/streams/queue-signals.ts'
import { CommandError } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import type { PollPlan } from './plan-receiver.ts'
import { runReceiver } from './run-receiver.ts'

const port = await freePort()
const server = `http://127.0.0.1:${port}`
const trial = testApp({ env: { MUSTER_BASE_URL: server } })
const make = makeIn(trial)
beforeEach(async () => {
  if (!trial.app.server.listening) await trial.app.listen({ host: '127.0.0.1', port })
  await trial.reset()
})

type Seen = { lines: Record<string, unknown>[]; said: string[] }

function ioOfTest(signal: AbortSignal): Seen & { io: CommandIo } {
  const seen: Seen = { lines: [], said: [] }
  const io: CommandIo = {
    write: async () => {},
    line: async (text) => void seen.lines.push(JSON.parse(text)),
    error: async (text) => void seen.said.push(text),
    input: (async function* () {})(),
    signal,
  }
  return { ...seen, io }
}

/** Receives until `work` is done. */
async function receiving(plan: Partial<PollPlan>, work: (seen: Seen) => Promise<unknown>): Promise<Seen> {
  const end = new AbortController()
  const { io, ...seen } = ioOfTest(end.signal)
  const whole = { how: 'poll', server, apiKey: trial.tenant.key, pollToken: undefined, ...plan } as const
  const running = runReceiver(whole, { dataDir: tmpdir(), isJson: true, io })
  try {
    await Promise.race([work(seen), running])
  } finally {
    end.abort()
  }
  await running
  return seen
}

const has = (seen: Seen, count: number) => until(20_000, async () => seen.lines.length >= count)
const statesOf = async () =>
  (await trial.db.selectFrom('ssf_stream_events').select('state').orderBy('id').execute()).map(({ state }) => state)

async function block(deviceId: string): Promise<void> {
  const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const changes = [{ deviceId, occurredAt: startOfTests, ...change }]
  await transact(trial.db, (tx) => queueComplianceChanges(tx, trial.tenant.organizationId, changes))
}

test('a stream is made, shows what happens, has it acknowledged, and is deleted at the end', async () => {
  const device = await make.device(trial.tenant.organizationId)
  const seen = await receiving({}, async (shown) => {
    await has(shown, 1)
    await block(device.id)
    await has(shown, 2)
  })
  const types = seen.lines.map(({ outcome, claims }) => [
    outcome,
    Object.keys((claims as { events: object }).events).map((type) => type.split('/').at(-1)),
  ])
  assert.deepEqual(types, [
    ['accepted', ['verification']],
    ['accepted', ['device-compliance-change']],
  ])
  assert.deepEqual(await statesOf(), ['acknowledged', 'acknowledged'])
  assert.match(seen.said.join('\n'), /^Made the stream (\S+), which.*\nPolling; .*\nDeleted the stream \1$/)
  assert.deepEqual((await trial.ask('GET', '/ssf_streams')).body.data, [])
})

test('a stream that is there stays there, and gives nothing twice', async () => {
  const { body: stream } = await trial.ask('POST', '/ssf_streams', { body: { name: 'Theirs' } })
  const device = await make.device(trial.tenant.organizationId)
  const given = { stream: stream.id, pollToken: stream.poll_bearer_token }
  await block(device.id)
  const first = await receiving(given, (shown) => has(shown, 1))
  await block(device.id)
  const second = await receiving(given, (shown) => has(shown, 1))
  const jtis = [...first.lines, ...second.lines].map(({ claims }) => (claims as { jti: string }).jti)
  assert.equal(new Set(jtis).size, 2)
  assert.equal(jtis.length, 2)
  assert.deepEqual(await statesOf(), ['acknowledged', 'acknowledged'])
  assert.equal((await trial.ask('GET', '/ssf_streams')).body.data.length, 1)
})

test('an event that it must not believe is rejected, and the others continue', async () => {
  const { body: stream } = await trial.ask('POST', '/ssf_streams', { body: { name: 'Theirs' } })
  const devices = [await make.device(trial.tenant.organizationId), await make.device(trial.tenant.organizationId)]
  await block(devices[0]?.id ?? '')
  const poll = () =>
    trial.ask('GET', `/ssf_streams/${stream.id}/events`, {
      headers: { 'x-service-poll-bearer-token': stream.poll_bearer_token },
    })
  const [token] = Object.values<string>((await poll()).body.sets)
  // As someone would who can write into the database, but has no key.
  const [head, , signature] = (token ?? '').split('.')
  const { iss, aud } = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ iss, aud, iat: 1, jti: 'x', events: {} })).toString('base64url')
  await trial.db
    .updateTable('ssf_stream_events')
    .set({ token: `${head}.${forged}.${signature}` })
    .execute()
  await block(devices[1]?.id ?? '')
  const given = { stream: stream.stream_id, pollToken: stream.poll_bearer_token }
  const { lines } = await receiving(given, (shown) => has(shown, 2))
  assert.deepEqual(
    lines.map(({ outcome, detail }) => [outcome, detail]),
    [
      ['refused', 'invalid_key: signature verification failed'],
      ['accepted', null],
    ],
  )
  assert.deepEqual(await statesOf(), ['rejected', 'acknowledged'])
})

test('a refusal of the server ends it with what the server said', async () => {
  const refused = async (plan: Partial<PollPlan>, exitCode: number, message: RegExp) =>
    assert.rejects(
      receiving(plan, () => new Promise(() => {})),
      (error) => error instanceof CommandError && error.exitCode === exitCode && message.test(error.message),
    )
  const { body: stream } = await trial.ask('POST', '/ssf_streams', { body: { name: 'Theirs' } })
  await refused({ apiKey: 'mstr_v1_wrong' }, 1, /\/ssf_streams was answered 401: /)
  await refused({ apiKey: trial.tenant.readOnlyKey }, 1, /answered 403: /)
  await refused({ stream: '999' }, 5, /answered 404: /)
  await refused({ stream: stream.id }, 1, /answered 401: The poll token of the stream is needed/)
})

test('a stream that someone deletes ends it', async () => {
  const plan = { how: 'poll', server, apiKey: trial.tenant.key, pollToken: undefined } as const
  const { io, said, lines } = ioOfTest(new AbortController().signal)
  const running = runReceiver(plan, { dataDir: tmpdir(), isJson: true, io })
  running.catch(() => {})
  await until(20_000, async () => lines.length > 0)
  const [stream] = (await trial.ask('GET', '/ssf_streams')).body.data
  assert.equal((await trial.ask('DELETE', `/ssf_streams/${stream.id}`)).status, 204)
  // A poll that is held looks again when something is new.
  await transact(trial.db, (tx) => notifyStreams(tx, trial.tenant.organizationId))
  await assert.rejects(running, (error) => error instanceof CommandError && error.exitCode === 5)
  assert.equal(said.at(-1), 'The stream was deleted meanwhile')
})

test('a server whose certificate nobody vouches for is not waited for', async (t) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  const other = createServer({ key, cert }).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const url = `https://127.0.0.1:${(other.address() as AddressInfo).port}`
  const plan = { how: 'poll', server: url, apiKey: 'x', pollToken: undefined } as const
  const { io } = ioOfTest(new AbortController().signal)
  await assert.rejects(
    runReceiver(plan, { dataDir: tmpdir(), isJson: false, io }),
    (error) => error instanceof CommandError && /cannot be reached: .*with --ca$/.test(error.message),
  )
})

test('a server that is not there yet is waited for', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`
  const end = new AbortController()
  const { io, said } = ioOfTest(end.signal)
  const plan = { how: 'poll', server: nobody, apiKey: 'x', pollToken: undefined } as const
  const running = runReceiver(plan, { dataDir: tmpdir(), isJson: false, io })
  running.catch(() => {})
  await until(10_000, async () => said.length > 0)
  end.abort()
  await assert.rejects(running)
  assert.match(said.join('\n'), /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED.*Waiting for it…$/)
})
