import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { createApiKey } from '../../src/access/api-keys/create-api-key.ts'
import { previewOwnerList } from '../../src/administration/registrations/preview-owner-list.ts'
import { nodeKeyPurpose } from '../../src/agents/protocol/node-key.ts'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import { listPending } from '../../src/signals/streams/list-pending.ts'
import { listReceivers, streamLeases } from '../../src/signals/streams/push/list-receivers.ts'
import { writeOutcomes } from '../../src/signals/streams/push/write-outcomes.ts'
import { queueComplianceChanges } from '../../src/signals/streams/queue-signals.ts'
import { startStreams } from '../../src/signals/streams/start-streams.ts'
import { queueWebhooks } from '../../src/signals/webhook-ledger/queue-webhooks.ts'
import { writeAttempts } from '../../src/signals/webhook-ledger/write-attempts.ts'
import { listEndpoints } from '../../src/signals/webhooks/deliver/destinations.ts'
import { listWaiting } from '../../src/signals/webhooks/deliver/list-waiting.ts'
import { endpointLeases } from '../../src/signals/webhooks/deliver/standings.ts'
import { baseUrl } from '../support/app.ts'
import { companionMachines } from '../support/companion-machine.ts'
import { analyzed, copyFleet, firstCopyOf, neverAnalyze } from '../support/copied-fleet.ts'
import { testOnPostgres } from '../support/database.ts'
import { type Touched, tellPlans, touchedBy } from '../support/touched-rows.ts'
import { wholeSignIn } from '../support/whole-sign-in.ts'

const { agents, database, make, setUp, arrive, tokensOf, change } = wholeSignIn()
const { newCompanion } = companionMachines(agents)
const copies = 15_000
/** So many devices, events or deliveries are asked for at once. */
const atOnce = 30
const linesOfList = 500
const most = { rowsEach: 70, blocksEach: 60, anyway: 500 }
/** No index has user names: the person of an address is sought among all of the organization, with statistics or without. */
const seeksPerson = /^select "id" from "people" where .* any\(usernames\)/

/**
 * Of results, and written every few seconds, beside whatever runs then: it is in proportion to the devices that have answered at once,
 * not to what the step asks for in which it falls.
 */
const isOfResults = /insert into device_check_runs|update issues set last_rechecked_at = recheck\.at/

/** Written every few seconds, beside whatever runs then: by its key, a row of each device with all of its checks, which it takes apart. */
const keepsRunTimes = /insert into device_check_runs/

type Filled = Awaited<ReturnType<typeof fill>>

/** An organization of many people, devices, sign-ins and events that are alike, among others. */
async function fill() {
  const all = await setUp()
  const { organizationId } = all
  for (let made = 0; made < 3; made += 1) await make.check(organizationId)
  const receivers = await serveReceivers(organizationId)
  await make.stream(organizationId, { endpoint_url: 'https://receiver.example.com/events' })
  await make.webhookEndpoint(organizationId, { events: ['device_trust.status_changed'] })
  await queue(organizationId, [all.laptop.deviceId])
  await settleAll()
  await signIn(all)
  const others = [await make.organization(), await make.organization()]
  for (const { id } of others) await copyFleet(database.db, { from: organizationId, to: id, copies: 2_000 })
  await copyFleet(database.db, { from: organizationId, to: organizationId, copies })
  return { ...all, receivers }
}

/** An app with streams, and the tokens of one that is polled. */
async function serveReceivers(organizationId: string) {
  const { connection } = database
  const config = loadConfig({ MUSTER_BASE_URL: baseUrl, MUSTER_RATE_LIMIT_PER_MINUTE: '1000', LOG_LEVEL: 'silent' })
  const parts = { connection, secrets: agents.secrets, clock: () => agents.now(), log: createLogger('silent') }
  const streams = await startStreams({ ...config, ...parts })
  const app = buildApp({ config, ...parts, streams: streams.parts })
  const granted = { name: 'Key', responsibleAdministrator: 'Ada', permissions: { manage_ssf_streams: 'For the test.' } }
  const { key } = await transact(database.db, (tx) => createApiKey(tx, agents.secrets, granted, change(organizationId)))
  const headers = { authorization: `Bearer ${key}` }
  const made = await app.inject({ method: 'POST', url: '/ssf_streams', headers, payload: { name: 'Receiver' } })
  const stream = made.json() as { stream_id: string; poll_bearer_token: string }
  async function poll(payload: object): Promise<string[]> {
    const bearer = { authorization: `Bearer ${stream.poll_bearer_token}` }
    const url = `/ssf_streams/${stream.stream_id}/events`
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers: bearer, payload })
    assert.equal(statusCode, 200, body)
    return Object.keys(JSON.parse(body).sets)
  }
  return {
    poll,
    async stop() {
      await app.close()
      await streams.stop()
    },
  }
}

async function signIn(all: Awaited<ReturnType<typeof setUp>>): Promise<string> {
  agents.pass(60)
  const visit = await arrive(all)
  await visit.prove(await all.laptop.prove(await visit.challenge()))
  const { away } = await visit.browser.follow((await visit.finishPath()) ?? '')
  const code = new URL(away ?? '').searchParams.get('code') ?? ''
  const { status } = await tokensOf(all, code)
  assert.equal(status, 200)
  return code
}

/** What the devices' new states are told to receivers. */
async function queue(organizationId: string, deviceIds: readonly string[]) {
  const at = agents.now()
  const said = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const event = 'device_trust.status_changed'
  await transact(database.db, async (tx) => {
    const changes = deviceIds.map((deviceId) => ({ deviceId, occurredAt: at, ...said }))
    await queueComplianceChanges(tx, organizationId, changes)
    const messages = deviceIds.map(
      (id) => ({ event, deviceId: id, orderedBy: id, data: {} as never, cause: 'test', at }) as const,
    )
    await queueWebhooks(tx, organizationId, messages)
  })
}

async function settleAll() {
  await sql`update ssf_stream_events set state = 'delivered', settled_at = queued_at, sequence = id`.execute(
    database.db,
  )
  await sql`update webhook_deliveries set state = 'delivered', settled_at = queued_at`.execute(database.db)
}

const copiesOf = ({ organizationId }: Filled, from: number) =>
  Array.from({ length: atOnce }, (_, index) => String(firstCopyOf(organizationId) + 1 + from + index))

/** Copied devices, as agents of a server that has just started. */
async function returning(all: Filled) {
  const server = await agents.another()
  return Promise.all(
    copiesOf(all, 0).map(async (deviceId) => {
      const client = server.client()
      client.nodeKey = deviceId.padStart(43, '_')
      await database.db
        .updateTable('node_key_lookups')
        .set({ lookup_hash: agents.secrets.lookupHash(nodeKeyPurpose, client.nodeKey) })
        .where('organization_id', '=', all.organizationId)
        .where('device_id', '=', deviceId)
        .execute()
      return client
    }),
  )
}

async function push({ organizationId }: Filled) {
  const { db } = database
  const leases = streamLeases(db)
  const claimed = await leases.claim('pusher', [organizationId])
  assert.equal(claimed.length, 1)
  await listReceivers(db, claimed)
  const wanted = claimed.map(({ id }) => ({
    organizationId,
    streamId: id,
    limit: atOnce,
    except: [],
    exceptDevices: [],
  }))
  const pending = await listPending(db, wanted)
  assert.equal(pending.length, atOnce)
  const came = {
    state: 'delivered',
    heldUntil: null,
    errorCode: null,
    errorDescription: null,
    rejectedKid: null,
  } as const
  const attempt = { attemptedAt: agents.now(), durationMs: 1, status: 202, error: null }
  const outcomes = pending.map(({ id, streamId }) => ({ organizationId, streamId, eventId: id, ...came, ...attempt }))
  await writeOutcomes(db, 'pusher', outcomes, [])
  await leases.renew('pusher', claimed)
  await leases.release('pusher', claimed)
}

async function deliver({ organizationId }: Filled) {
  const { db } = database
  const leases = endpointLeases(db)
  const claimed = await leases.claim('deliverer', [organizationId])
  assert.equal(claimed.length, 1)
  await listEndpoints(db, claimed)
  const wanted = claimed.map((key) => ({ key, want: { room: atOnce, except: [], after: undefined } }))
  const found = [...(await listWaiting(db, agents.now(), wanted))].flatMap(([endpointId, { waiting }]) =>
    waiting.map(({ id }) => ({ organizationId, endpointId, deliveryId: id })),
  )
  assert.equal(found.length, atOnce)
  const came = {
    state: 'delivered',
    nextAttemptAt: null,
    isExtra: false,
    status: 200,
    error: null,
    response: '',
  } as const
  const times = { dnsMs: 1, connectMs: 1, tlsMs: 1, firstByteMs: 1, totalMs: 1 }
  const attempt = { attemptedAt: agents.now(), requestHeaders: {}, ...times }
  await writeAttempts(
    db,
    found.map((key) => ({ ...key, ...came, ...attempt })),
  )
  await leases.release('deliverer', claimed)
}

async function previewOwners({ organizationId }: Filled) {
  const first = firstCopyOf(organizationId) + 1
  const numbers = Array.from({ length: linesOfList }, (_, index) => first + index)
  // The half by its hardware UUID.
  const { rows: devices } = await sql<{ uuid: string }>`
    select md5(number)::uuid::text as uuid from unnest(${numbers.map(String)}::text[]) as number`.execute(database.db)
  const csv = numbers
    .map((number, index) => `${index % 2 === 0 ? `C02${number}` : devices[index]?.uuid},${number}@COPIES.example`)
    .join('\n')
  const { lines } = await previewOwnerList(database.db, organizationId, csv)
  assert.deepEqual(new Set(lines.map(({ outcome }) => outcome)), new Set(['unchanged']))
}

/** What is asked most, each with how much is asked for. */
async function steps(all: Filled): Promise<[name: string, asked: number, work: () => Promise<unknown>][]> {
  const { organizationId, laptop, receivers } = all
  const [clients, others] = [await returning(all), await returning(all)]
  const uuid = `00000000-0000-4000-8000-${agents.now().replace(/\D/g, '').slice(-12)}`
  const newcomer = agents.client()
  const answers: Record<string, { rows: Record<string, string>[] }>[] = []
  return [
    ['enrollment', 1, () => newcomer.enroll(laptop.secret, { uuid, serial: uuid })],
    ['enrollment again', 1, () => newcomer.enroll(laptop.secret, { uuid, serial: uuid })],
    [
      'first contact after a start',
      atOnce,
      async () => {
        agents.pass(86_400)
        for (const { queries } of await Promise.all(clients.map((client) => client.read()))) {
          assert.notEqual(Object.keys(queries).length, 0)
          answers.push(
            Object.fromEntries(Object.keys(queries).map((name) => [name, { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])),
          )
        }
      },
    ],
    ['results', atOnce, () => Promise.all(clients.map((client, index) => client.write(answers[index] ?? {})))],
    [
      'logs after a start',
      atOnce,
      () => Promise.all(others.map((client) => client.log('status', [{ severity: '0' }]))),
    ],
    ['check-in of a companion', 1, () => laptop.companion.checkIn()],
    [
      'enrollment of a companion',
      1,
      async () =>
        assert.equal((await (await newCompanion()).enroll(laptop.secret, { hardware_uuid: uuid })).status, 200),
    ],
    ['sign-in', 1, async () => void (await signIn(all))],
    ['a code that is used again', 1, async () => assert.equal((await tokensOf(all, await signIn(all))).status, 400)],
    ['changes', atOnce, () => queue(organizationId, copiesOf(all, 100))],
    ['push', atOnce, () => push(all)],
    ['webhooks', atOnce, () => deliver(all)],
    ['list of owners', 2 * linesOfList, () => previewOwners(all)],
    ['poll', atOnce, async () => receivers.poll({ ack: await receivers.poll({ maxEvents: atOnce }) })],
  ]
}

function isTooMuch({ text, rows, blocks }: Touched, askedInStep: number): boolean {
  const asked = isOfResults.test(text) ? Math.max(askedInStep, atOnce) : askedInStep
  return (
    (rows > most.anyway + most.rowsEach * asked && !seeksPerson.test(text) && !keepsRunTimes.test(text)) ||
    blocks > most.anyway + most.blocksEach * asked
  )
}

testOnPostgres('without statistics, what is asked most reads in proportion to what is asked', async () => {
  await neverAnalyze(database.db)
  const all = await fill()
  try {
    // Of named statements a session plans the first few anew and the others once for all values.
    for (const plan_cache_mode of ['force_custom_plan', 'force_generic_plan']) {
      await tellPlans(database.url ?? '', { plan_cache_mode })
      for (const [name, asked, work] of await steps(all)) {
        const touched = await touchedBy(work)
        assert.notEqual(touched.length, 0, name)
        const tooMuch = touched.filter((statement) => isTooMuch(statement, asked))
        assert.deepEqual(tooMuch, [], `${name}, ${plan_cache_mode}`)
      }
    }
    assert.deepEqual(await analyzed(database.db), [])
  } finally {
    await all.receivers.stop()
  }
})
