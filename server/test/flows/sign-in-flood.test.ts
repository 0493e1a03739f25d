import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { plusMs } from '../../src/base/time.ts'
import { dropIdleSessions } from '../../src/sign-in/sessions/drop-idle-sessions.ts'
import { baseUrl } from '../support/app.ts'
import { type Caller, manySignIns } from '../support/many-sign-ins.ts'
import { processorMs } from '../support/processor-time.ts'
import { extent } from '../support/soak.ts'

const { stage, make, addCaller, addApplication, addMember, signIn } = manySignIns()
const requests = extent(600, 100_000)
const atOnce = 40

beforeEach(() => stage.reset())

const headers = { host: new URL(baseUrl).host, 'user-agent': `Mozilla/5.0 ${'x'.repeat(2_000)}` }

/** Requests that a stranger can make; returns how many answers had each status. */
async function flood(caller: Caller, addressOf: (number: number) => string, total = requests) {
  const statuses: Record<number, number> = {}
  let begun = 0
  async function ask(): Promise<void> {
    while (begun < total) {
      begun += 1
      const url = caller.rp.addressOf(strangersRequest(caller, begun))
      const { statusCode } = await stage.app.inject({ url, headers, remoteAddress: addressOf(begun) })
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return statuses
}

/** Not signed, by turns, and signed by nobody whom the connection knows. */
function strangersRequest({ rp, clientId }: Caller, number: number): Record<string, string> {
  const plain = rp.plainRequest(clientId, { login_hint: 'ana@example.com' })
  if (number % 2 === 0) return plain
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const times = { iat: Math.floor(Date.parse(stage.now()) / 1000), jti: String(number) }
  const claims = { ...plain, ...times, iss: clientId, aud: `${baseUrl}/signin/oidc` }
  const request = [part({ alg: 'RS256', kid: 'rp' }), part(claims), 'x'.repeat(342)].join('.')
  return { client_id: clientId, request }
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

const silence = { logs: 0, events: 0, announcements: 0, deliveries: 0 }
const told = ({ logs, events, announcements, deliveries }: Awaited<ReturnType<typeof kept>>) => ({
  ...{ logs, events, announcements, deliveries },
})

test('requests with a colleague’s address that the caller has not signed leave nothing, from wherever they come', async (t) => {
  const { caller } = await prepare()
  for (const addressOf of [
    (number: number) => `198.51.100.${number % 3}`,
    (number: number) => `2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`,
  ]) {
    const statuses = await flood(caller, addressOf, requests / 2)
    const after = await kept()
    t.diagnostic(`${requests / 2} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
    assert.deepEqual(told(after), silence)
    assert.deepEqual([after.sessions, after.records, after.seen], [0, 0, 0])
  }
})

test('requests for people of an upstream, each from another network, leave no log, and end by themselves', async (t) => {
  const { organizationId } = stage.tenant
  const application = await addApplication()
  const statuses = await flood(application, (number) => `2001:db8:0:${(number & 65_535).toString(16)}::1`)
  const after = await kept()
  t.diagnostic(`${requests} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
  assert.deepEqual(told(after), silence)
  assert.ok(after.sessions > 0)
  const longest = stage.db
    .selectFrom('signin_sessions')
    .select(sql<number>`max(octet_length(signin_sessions::text))`.as('bytes'))
    .where('organization_id', '=', organizationId)
  assert.ok((await longest.executeTakeFirstOrThrow()).bytes <= 8_192)
  stage.setNow(plusMs(stage.now(), 61 * 60_000))
  await dropIdleSessions(stage.db, stage.now())
  const later = await kept()
  assert.deepEqual([later.sessions, later.records], [0, 0])
  assert.deepEqual(told(later), silence)
})

test('people get in meanwhile, and their sign-ins cost no more than twice as much', async (t) => {
  const { caller, ana } = await prepare()
  /** So far apart that it is no loop. */
  const signInLater = () => {
    stage.setNow(plusMs(stage.now(), 60_000))
    return signIn(caller, ana)
  }
  const once = () => processorMs(async () => assert.equal(await signInLater(), 200))
  const several = async () => {
    const times: number[] = []
    for (let turn = 0; turn < 11; turn += 1) times.push(await once())
    return times.toSorted((one, other) => one - other)[5] ?? 0
  }
  await several()
  const quietMs = await several()
  await flood(caller, (number) => `198.51.100.${number % 250}`, Math.min(requests, 10_000))
  const floodedMs = await several()
  t.diagnostic(`processor time of a sign-in: ${quietMs.toFixed(1)} ms before, ${floodedMs.toFixed(1)} ms after`)
  assert.ok(floodedMs <= 2 * quietMs, `${floodedMs} ms beside ${quietMs} ms`)
  const during: number[] = []
  let isOver = false
  const flooding = flood(caller, (number) => `203.0.113.${number % 250}`, Math.min(requests, 10_000)).finally(() => {
    isOver = true
  })
  while (!isOver && during.length < 12) during.push(await signInLater())
  await flooding
  assert.deepEqual(new Set(during), new Set([200]))
  assert.equal((await kept()).announcements, 33 + during.length)
})
