import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { baseUrl } from '../../../test/support/app.ts'
import { appId as entraApp, entraStandIn, tenantId as entraTenant } from '../../../test/support/entra-stand-in.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { isSoak } from '../../../test/support/soak.ts'
import { transact } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { createEntraConnection } from '../connections/create-entra-connection.ts'
import { type Arriving, arrivalBudgets } from './arrival-budgets.ts'
import { rememberAgent } from './known-agent.ts'

const entra = entraStandIn()
const { stage, change, setUp, addStillUpstream } = signInStage({ fetchFromEntra: entra.fetchDocument })
const { host } = new URL(baseUrl)
const formType = 'application/x-www-form-urlencoded'

const setUpApplication = async () => setUp({ connection: { upstreamId: await addStillUpstream() } })
type SetUp = Awaited<ReturnType<typeof setUp>>

type Origin = { from: string; cookie?: string }

/** What a browser is answered, which an error leads back to its application and a sign-in to the upstream. */
async function answerOf(query: string, { from, cookie = '' }: Origin) {
  const headers = { host, cookie }
  const { statusCode, headers: sent } = await stage.app.inject({ url: query, headers, remoteAddress: from })
  if (statusCode !== 303) return statusCode
  return sent.location?.startsWith('https://id.example/') ? 'begun' : 'refused'
}

/** A whole request, as of an application that sends a browser here. */
const begin = ({ rp, connection }: Pick<SetUp, 'rp' | 'connection'>, origin: Origin) =>
  answerOf(rp.addressOf(rp.plainRequest(connection.clientId)), origin)

/** Sends the same from each address, 40 at a time; returns how many were answered alike. */
async function ask(addresses: readonly string[], send: (from: string) => Promise<number | string>) {
  const answers: Record<number | string, number> = {}
  const left = [...addresses]
  const askNext = async () => {
    for (let from = left.pop(); from !== undefined; from = left.pop()) {
      const answer = await send(from)
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 40 }, askNext))
  return answers
}

/** The query alone, which the provider refuses. */
const askEmpty = (clientId: string) => (from: string) => answerOf(`/signin/oidc/auth?client_id=${clientId}`, { from })

/** Addresses of so many /64 networks of a /48, each `times`. */
const addressesIn = (site: string, networks: number, times: number): string[] =>
  Array.from({ length: networks * times }, (_, index) => `${site}:${(index % networks).toString(16)}::1`)

/** What a browser keeps that has reached the agent of a device. */
const cookieOfAgent = (organizationId: string, deviceId: string): string =>
  rememberAgent(stage.secrets, { organizationId, baseUrl }, { deviceId, port: 41_873 }).split(';')[0] ?? ''

test('requests that are refused take nobody’s share, from however many networks', async () => {
  const all = await setUpApplication()
  assert.equal(await begin(all, { from: '198.51.100.1' }), 'begun')
  // 408 networks of eight sites.
  const sites = Array.from({ length: 8 }, (_, site) => addressesIn(`2001:db8:${site}`, 51, 8))
  assert.deepEqual(await ask(sites.flat(), askEmpty(all.connection.clientId)), { refused: 3_264 })
  assert.equal(await begin(all, { from: '198.51.100.2' }), 'begun')
})

test('the networks of a /48 have ten shares together, and other networks theirs', async () => {
  const all = await setUpApplication()
  assert.equal(await begin(all, { from: '198.51.100.1' }), 'begun')
  const addresses = addressesIn('2001:db8:7', 660, 1)
  assert.deepEqual(await ask(addresses, askEmpty(all.connection.clientId)), { refused: 600, 429: 60 })
  assert.equal(await begin(all, { from: '2001:db8:7:ffff::1' }), 429)
  assert.equal(await begin(all, { from: '2001:db8:8::1' }), 'begun')
  assert.equal(await begin(all, { from: '198.51.100.1' }), 'begun')
  stage.setNow(plusMs(stage.now(), 10 * minuteMs))
  assert.equal(await begin(all, { from: '2001:db8:7:ffff::1' }), 'begun')
})

test('one network takes no more than its own share of its /48', async () => {
  const all = await setUpApplication()
  assert.equal(await begin(all, { from: '198.51.100.1' }), 'begun')
  const addresses = addressesIn('2001:db8:7', 1, 700)
  assert.deepEqual(await ask(addresses, askEmpty(all.connection.clientId)), { refused: 60, 429: 640 })
  assert.equal(await begin(all, { from: '2001:db8:7:ffff::1' }), 'begun')
})

test('the browser of a known agent begins a sign-in where its network has none left, and takes none of it', async () => {
  const all = await setUpApplication()
  const from = '198.51.100.1'
  const cookie = cookieOfAgent(all.organizationId, all.device.id)
  // A process knows a client from its first request on; that one is counted as of no client.
  assert.equal(await begin(all, { from: '203.0.113.9' }), 'begun')
  for (let count = 0; count < 60; count += 1) assert.equal(await begin(all, { from, cookie }), 'begun')
  assert.equal(await begin(all, { from: '198.51.100.9', cookie }), 429)
  for (let count = 0; count < 60; count += 1) assert.equal(await begin(all, { from }), 'begun')
  assert.equal(await begin(all, { from }), 429)
  assert.equal(await begin(all, { from, cookie: cookieOfAgent(all.organizationId, '987654') }), 'begun')
  const networks = stage.db.selectFrom('signin_sessions').select(['network', 'is_known_browser']).distinct()
  const known = await networks.where('is_known_browser', '=', true).executeTakeFirst()
  assert.deepEqual(known, { network: from, is_known_browser: true }, 'by which the agent’s network is judged')
  const forged = cookieOfAgent('987654', all.device.id)
  assert.equal(await begin(all, { from, cookie: forged }), 429)
})

test('whoever asks while the database cannot be read is not kept out afterwards', async () => {
  const all = await setUpApplication()
  const from = '198.51.100.77'
  await sql`alter table signin_connections rename to connections_elsewhere`.execute(stage.db)
  try {
    assert.deepEqual(await ask(Array(100).fill(from), () => begin(all, { from })), { 500: 100 })
  } finally {
    await sql`alter table connections_elsewhere rename to signin_connections`.execute(stage.db)
  }
  assert.equal(await begin(all, { from }), 'begun')
})

const inSoak = { skip: isSoak ? false : 'begins 3,000 sign-ins: in a soak' }

test('sign-ins that begin take the shares of their application, and known browsers have theirs', inSoak, async () => {
  const all = await setUpApplication()
  assert.equal(await begin(all, { from: '198.51.100.1' }), 'begun')
  const sites = Array.from({ length: 6 }, (_, site) => addressesIn(`2001:db8:${site}`, 9, 56))
  assert.deepEqual(await ask(sites.flat(), (from) => begin(all, { from })), { begun: 3_000, 429: 24 })
  assert.equal(await begin(all, { from: '198.51.100.1' }), 429)
  const cookie = cookieOfAgent(all.organizationId, all.device.id)
  assert.equal(await begin(all, { from: '198.51.100.1', cookie }), 'begun')
})

test('what begins at a client is counted, also at the same time, but for known browsers', () => {
  const refused: string[] = []
  const { mayArrive, takeShare } = arrivalBudgets(
    () => '2026-07-01T12:00:00.000Z',
    (clientId) => refused.push(clientId),
  )
  const stranger: Arriving = { clientId: 'wiki', address: '203.0.113.1', isSigned: false }
  const given = Array.from({ length: 3_100 }, () => takeShare(stranger)).filter((one) => one !== undefined)
  assert.equal(given.length, 3_000)
  const agent = { deviceId: '7', port: 41_873 }
  assert.deepEqual([mayArrive(stranger), mayArrive({ ...stranger, agent })], [false, true])
  assert.equal(mayArrive({ ...stranger, isSigned: true }), true)
  assert.deepEqual([mayArrive({ ...stranger, clientId: 'payroll' }), refused], [true, ['wiki']])
  // It has begun no sign-in after all.
  given[0]?.()
  assert.equal(mayArrive(stranger), true)
  assert.deepEqual([takeShare(stranger), takeShare(stranger)].map(Boolean), [true, false])
})

test('forms of Entra are counted by network and /48, whatever connections they name', async () => {
  await entra.heal()
  const asked = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [entraTenant],
    appId: entraApp,
    mode: 'enforce' as const,
  }
  const connection = await transact(stage.db, (tx) => createEntraConnection(tx, asked, change()))
  let named = 0
  const post = async (from: string, payload = '') => {
    named += 1
    const url = `/signin/entra/${payload === '' ? `x${named}` : connection.id}/authorize`
    const headers = { host, origin: 'https://login.microsoftonline.com', 'content-type': formType }
    return (await stage.app.inject({ method: 'POST', url, headers, payload, remoteAddress: from })).statusCode
  }
  const whole = async () => new URLSearchParams(entra.formOf(connection, await entra.hint(stage.now()))).toString()
  assert.deepEqual(await ask(addressesIn('2001:db8:6', 1, 700), post), { 404: 600, 429: 100 })
  assert.deepEqual(await ask(addressesIn('2001:db8:7', 1_220, 5), post), { 404: 6_000, 429: 100 })
  assert.equal(await post('2001:db8:7:ffff::1', await whole()), 429)
  assert.equal(await post('2001:db8:6:1::1', await whole()), 303)
  assert.equal(await post('198.51.100.1', await whole()), 303)
})
