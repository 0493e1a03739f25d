import assert from 'node:assert/strict'
import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { type Hooks, type MusterPlace, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { accept, answerWith, openReceiver } from '../support/receivers.ts'

type Client = ReturnType<typeof osqueryClient>
type Served = { server: MusterProcess; key: string }

export type ToldPlace = Awaited<ReturnType<typeof openToldPlace>>

const checkId = '22'
const events = ['device_trust.status_changed', 'devices.created', 'issues.new', 'issues.resolved']

/** A stream and a webhook endpoint of an installation, whose receivers keep what they were told, and a device that is blocked and good again. */
export async function openToldPlace(hooks: Hooks, { server, key }: Served) {
  const [receiver, hook] = [await openReceiver(), await openHookReceiver()]
  hooks.after(async () => void (await Promise.all([receiver.close(), hook.close()])))
  const post = async (path: string, body: object) => {
    const answer = await server.ask('POST', path, { key, body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return String(answer.body.id)
  }
  const delivery = { method: deliveryMethods.push, endpoint_url: receiver.localUrl }
  const streamId = await post('/ssf_streams', { name: 'Told', delivery })
  const endpointId = await post('/webhook_endpoints', { url: hook.localUrl, events })
  const body = { remediation_strategy: 'block_immediately' }
  assert.equal((await server.ask('PATCH', `/checks/${checkId}/configurations`, { key, body })).status, 200)
  return {
    ...{ receiver, hook, streamId, endpointId },
    /** Receivers take nothing from now on, so that what they see stays waiting. */
    refuse() {
      receiver.answer = answerWith(503)
      hook.answer = answerWith(503)
    },
    takeAgain() {
      receiver.answer = accept
      hook.answer = accept
    },
  }
}

export async function enrolledAt(hooks: Hooks, server: MusterProcess, secret: string, serial: string): Promise<Client> {
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  hooks.after(async () => client.close())
  assert.ok((await client.enroll(secret, { serial, uuid: `uuid-${serial}`, hostIdentifier: serial })).accepted)
  await client.answerAll(answering(true))
  return client
}

/** To checks; the tables that it reports are empty. */
const answering = (isPassing: boolean) => (sql: string) => ({
  rows: sql.includes('KOLIDE_CHECK_STATUS')
    ? [{ KOLIDE_CHECK_STATUS: isPassing ? 'PASS' : 'FAIL', mount_path: '/' }]
    : [],
})

/** Blocks the device and ends that, so many times: two events of its stream each. */
export async function change({ server, key }: Served, client: Client, deviceId: string, times: number): Promise<void> {
  for (let turn = 0; turn < 2 * times; turn += 1) {
    const body = { check_id: checkId }
    const refresh = await server.ask('POST', `/devices/${deviceId}/check_refreshes`, { key, body })
    assert.equal(refresh.status, 200)
    await client.answerAll(answering(turn % 2 === 1))
  }
}

type Entry = { jti: string; state: string; token: string }
type Delivery = { message_id: string; state: string }

async function listOf<Row>({ server, key }: Served, path: string): Promise<Row[]> {
  const { status, body } = await server.ask('GET', `${path}?per_page=100`, { key })
  assert.equal(status, 200, path)
  return body.data
}

export const historyOf = (served: Served, { streamId }: ToldPlace) =>
  listOf<Entry>(served, `/ssf_streams/${streamId}/history`)

/** Resolves once nothing waits for the receivers anymore. */
export async function untilTold(served: Served, told: ToldPlace): Promise<void> {
  const deliveries = () => listOf<Delivery>(served, `/webhook_endpoints/${told.endpointId}/deliveries`)
  const waits = (rows: readonly { state: string }[]) => rows.some(({ state }) => state === 'pending')
  // A message that was refused twice before a slow backup ended is tried again after five minutes, give or take a fifth.
  await until(420_000, async () => !waits(await historyOf(served, told)) && !waits(await deliveries()), 100)
}

/** What settled in the ledgers is what the receivers have, to the byte. */
export async function assertLedgersAgree(served: Served, told: ToldPlace): Promise<void> {
  const tokens = new Map(told.receiver.received.map(({ jti, token }) => [jti, token]))
  const entries = (await historyOf(served, told)).filter(({ state }) => state === 'delivered')
  assert.ok(entries.length > 0, 'the ledger has events')
  for (const { jti, token } of entries) assert.equal(tokens.get(jti), token, `${jti} is as the receiver has it`)
  const messages = new Set(told.hook.received.map(({ id }) => id))
  for (const { message_id: id } of await listOf<Delivery>(served, `/webhook_endpoints/${told.endpointId}/deliveries`)) {
    assert.ok(messages.has(id), `the receiver has ${id}`)
  }
}

/** No name ever came with other bytes. */
export function assertOneFormEach({ receiver, hook }: ToldPlace): void {
  const seen = new Map<string, string>()
  const forms = [
    ...receiver.received.map(({ jti, token }) => [jti, token] as const),
    ...hook.received.map(({ id, body }) => [id, body] as const),
  ]
  for (const [name, bytes] of forms) {
    assert.equal(seen.get(name) ?? bytes, bytes, `${name} came with other bytes`)
    seen.set(name, bytes)
  }
}

/** The audit log is intact, and nothing that concerns the database is wrong. */
export async function assertSound(place: MusterPlace, settings: Record<string, string> = {}): Promise<void> {
  const verified = await place.run(['audit', 'verify'], settings)
  assert.equal(verified.exit, 0, verified.out + verified.err)
  const { out } = await place.run(['doctor', '--json'], settings)
  const { findings } = JSON.parse(out) as { findings: { name: string; state: string }[] }
  // Whether the console is built is no matter here.
  assert.deepEqual(
    findings.filter(({ state, name }) => state === 'failed' && name !== 'console'),
    [],
  )
}
