import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { minuteMs, plusMs } from '../../src/base/time.ts'
import { dropIdleSessions } from '../../src/sign-in/sessions/drop-idle-sessions.ts'
import { baseUrl } from '../support/app.ts'
import { type Caller, manySignIns } from '../support/many-sign-ins.ts'
import { processorMs } from '../support/processor-time.ts'
import { extent } from '../support/soak.ts'

const { stage, make, addCaller, addApplication, addMember, requestFor, signIn } = manySignIns()
const requests = extent(600, 100_000)
const atOnce = 40

beforeEach(() => stage.reset())

const headers = { host: new URL(baseUrl).host, 'user-agent': `Mozilla/5.0 ${'x'.repeat(2_000)}` }

/** The address of each request of a flood. */
type Wave = (number: number) => string
/** Where each of them comes from. */
type From = (number: number) => string

/** Sends requests that a stranger can make; returns how many answers had each status. */
async function flood(wave: Wave, from: From, total = requests) {
  const statuses: Record<number, number> = {}
  let begun = 0
  async function ask(): Promise<void> {
    while (begun < total) {
      begun += 1
      const { statusCode } = await stage.app.inject({ url: wave(begun), headers, remoteAddress: from(begun) })
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return statuses
}

/** Not signed, signed by nobody whom the connection knows, and `replayed`, by turns. */
const ofStrangers =
  ({ rp, clientId }: Caller, replayed: string): Wave =>
  (number) => {
    if (number % 3 === 2) return replayed
    const plain = rp.plainRequest(clientId, { login_hint: 'ana@example.com' })
    if (number % 3 === 1) return rp.addressOf(plain)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const times = { iat: Math.floor(Date.parse(stage.now()) / 1000), jti: String(number) }
    const claims = { ...plain, ...times, iss: clientId, aud: `${baseUrl}/signin/oidc` }
    const request = [part({ alg: 'RS256', kid: 'rp' }), part(claims), 'x'.repeat(342)].join('.')
    return rp.addressOf({ client_id: clientId, request })
  }

/** Requests that lead to an upstream, where nobody signs in. */
const ofBroker =
  ({ rp, clientId }: Caller): Wave =>
  () =>
    rp.addressOf(rp.plainRequest(clientId, { login_hint: 'ana@example.com' }))

/** A signed request for Ana that was overheard once it had begun a sign-in. */
async function overheard(caller: Caller): Promise<string> {
  const address = await requestFor(caller, 'ana@example.com')
  const { statusCode } = await stage.app.inject({ url: address, headers })
  assert.equal(statusCode, 303)
  return address
}

async function kept() {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from auth_logs)::int as logs, (select count(*) from auth_log_events)::int as events,
    (select count(*) from events where type like 'auth_logs.%')::int as announcements,
    (select count(*) from webhook_deliveries)::int as deliveries,
    (select count(*) from signin_sessions)::int as sessions, (select count(*) from oidc_records)::int as records, (select count(*) from signin_requests_seen)::int as seen,
    pg_total_relation_size('signin_sessions')::int as session_bytes,
    pg_total_relation_size('oidc_records')::int as record_bytes`.execute(stage.db)
  const [row] = rows
  if (!row) throw new Error('Nothing was counted')
  return row as Record<
    | 'logs'
    | 'events'
    | 'announcements'
    | 'deliveries'
    | 'sessions'
    | 'records'
    | 'seen'
    | 'session_bytes'
    | 'record_bytes',
    number
  >
}

async function prepare() {
  const { organizationId } = stage.tenant
  await make.webhookEndpoint(organizationId, { events: ['auth_logs.success', 'auth_logs.failure'] })
  return { caller: await addCaller(), ana: await addMember('ana') }
}

const told = ({ logs, events, announcements, deliveries }: Awaited<ReturnType<typeof kept>>) => ({
  ...{ logs, events, announcements, deliveries },
})

test('requests with a colleague’s address that the caller has not signed, or that were sent before, leave nothing', async (t) => {
  const { caller } = await prepare()
  const wave = ofStrangers(caller, await overheard(caller))
  const before = await kept()
  for (const from of [
    (number: number) => `198.51.100.${number % 3}`,
    (number: number) => `2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`,
  ]) {
    const statuses = await flood(wave, from, requests / 2)
    const after = await kept()
    t.diagnostic(`${requests / 2} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
    assert.deepEqual(told(after), told(before))
    assert.deepEqual([after.sessions, after.records, after.seen], [1, 0, 1])
  }
})

test('requests for people of an upstream, each from another network, leave no log, and end after 15 minutes', async (t) => {
  const { organizationId } = stage.tenant
  const application = await addApplication()
  const before = await kept()
  const from = (number: number) => `2001:db8:0:${(number & 65_535).toString(16)}::1`
  const statuses = await flood(ofBroker(application), from)
  const after = await kept()
  t.diagnostic(`${requests} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
  assert.deepEqual(told(after), told(before))
  assert.ok(after.sessions > 0)
  const longest = stage.db
    .selectFrom('signin_sessions')
    .select(sql<number>`max(octet_length(signin_sessions::text))`.as('bytes'))
    .where('organization_id', '=', organizationId)
  assert.ok((await longest.executeTakeFirstOrThrow()).bytes <= 8_192)
  const keptAfter = async (ms: number) => {
    stage.setNow(plusMs(stage.now(), ms))
    await dropIdleSessions(stage.db, stage.now())
    return kept()
  }
  assert.equal((await keptAfter(15 * minuteMs - 1)).sessions, after.sessions)
  const later = await keptAfter(1)
  assert.deepEqual([later.sessions, later.records], [0, 0])
  assert.deepEqual(told(later), told(before))
})

const turns = extent(11, 300)
/** Of an ordinary run the middle, since what the machine does meanwhile is in the tail. */
const share = extent(0.5, 0.99)

test('people get in meanwhile, and their sign-ins cost no more than twice as much', async (t) => {
  const { caller, ana } = await prepare()
  const application = await addApplication()
  /** So far apart that it is no loop. */
  const signInLater = () => {
    stage.setNow(plusMs(stage.now(), minuteMs))
    return signIn(caller, ana)
  }
  /** The processor time of a sign-in, with `meanwhile` before each, which is not counted. */
  const costWith = async (meanwhile: () => Promise<unknown>) => {
    const times: number[] = []
    for (let turn = 0; turn < turns; turn += 1) {
      await meanwhile()
      times.push(await processorMs(async () => assert.equal(await signInLater(), 200)))
    }
    return times.toSorted((one, other) => one - other)[Math.floor(turns * share)] ?? 0
  }
  const everything = async (total: number) => {
    const [strangers, broker] = [ofStrangers(caller, await overheard(caller)), ofBroker(application)]
    const wave: Wave = (number) => (number % 4 === 3 ? broker(number) : strangers(number >> 2))
    return flood(wave, (number) => `203.0.${number % 256}.${(number >> 8) % 256}`, total)
  }
  const nothing = async () => {}
  await costWith(nothing)
  const quietMs = await costWith(nothing)
  const floodedMs = await costWith(() => everything(Math.ceil(requests / turns)))
  t.diagnostic(`processor time of a sign-in: ${quietMs.toFixed(1)} ms before, ${floodedMs.toFixed(1)} ms in a flood`)
  assert.ok(floodedMs <= 2 * quietMs, `${floodedMs} ms beside ${quietMs} ms`)
  const during: number[] = []
  let isOver = false
  const flooding = everything(Math.min(requests, 10_000)).finally(() => {
    isOver = true
  })
  while (!isOver && during.length < 12) during.push(await signInLater())
  await flooding
  assert.deepEqual(new Set(during), new Set([200]))
  assert.equal((await kept()).announcements, 3 * turns + during.length)
})
