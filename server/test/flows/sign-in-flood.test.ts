import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { plusMs } from '../../src/base/time.ts'
import { dropExpiredRecords } from '../../src/sign-in/oidc/drop-expired-records.ts'
import { dropIdleSessions } from '../../src/sign-in/sessions/drop-idle-sessions.ts'
import { limits } from '../../src/sign-in/sessions/session-rules.ts'
import { baseUrl } from '../support/app.ts'
import { type Caller, manySignIns } from '../support/many-sign-ins.ts'
import { processorMs } from '../support/processor-time.ts'
import { extent } from '../support/soak.ts'

const { stage, make, addCaller, addMember, requestFor, signIn } = manySignIns()
const requests = extent(600, 100_000)
const atOnce = 40

beforeEach(() => stage.reset())

const headers = { host: new URL(baseUrl).host, 'user-agent': `Mozilla/5.0 ${'x'.repeat(2_000)}` }

/** Hinted requests of a stranger, each followed as far as the page; returns how many answers had each status. */
async function flood(caller: Caller, addressOf: (number: number) => string, total = requests) {
  const statuses: Record<number, number> = {}
  const note = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  let begun = 0
  async function ask(): Promise<void> {
    while (begun < total) {
      begun += 1
      const remoteAddress = addressOf(begun)
      const url = await requestFor(caller, 'ana@example.com')
      const first = await stage.app.inject({ url, headers, remoteAddress })
      note(first.statusCode)
      const { location, 'set-cookie': set } = first.headers
      if (location === undefined || !String(location).includes('/interaction/')) continue
      const cookie = [set ?? []].flat().map((line) => line.split(';')[0])
      const asked = { ...headers, cookie: cookie.join('; ') }
      const arrived = await stage.app.inject({ url: String(location), headers: asked, remoteAddress })
      note(arrived.statusCode)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return statuses
}

async function kept() {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from auth_logs)::int as logs, (select count(*) from auth_log_events)::int as events,
    (select count(*) from events where type like 'auth_logs.%')::int as announcements,
    (select count(*) from webhook_deliveries)::int as deliveries,
    (select count(*) from signin_sessions)::int as sessions, (select count(*) from oidc_records)::int as records,
    pg_total_relation_size('signin_sessions')::int as session_bytes,
    pg_total_relation_size('oidc_records')::int as record_bytes`.execute(stage.db)
  const [row] = rows
  if (!row) throw new Error('Nothing was counted')
  return row as Record<
    'logs' | 'events' | 'announcements' | 'deliveries' | 'sessions' | 'records' | 'session_bytes' | 'record_bytes',
    number
  >
}

async function prepare() {
  const { organizationId } = stage.tenant
  await make.webhookEndpoint(organizationId, { events: ['auth_logs.success', 'auth_logs.failure'] })
  return { hinting: await addCaller(false), signing: await addCaller(true), ana: await addMember('ana') }
}

const silence = { logs: 0, events: 0, announcements: 0, deliveries: 0 }
const told = ({ logs, events, announcements, deliveries }: Awaited<ReturnType<typeof kept>>) => ({
  ...{ logs, events, announcements, deliveries },
})

test('requests with a colleague’s address, from a few addresses, leave no log and few sign-ins', async (t) => {
  const { hinting } = await prepare()
  const addresses = 3
  const statuses = await flood(hinting, (number) => `198.51.100.${number % addresses}`)
  const after = await kept()
  t.diagnostic(`${requests} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
  assert.deepEqual(told(after), silence)
  assert.ok(after.sessions <= addresses * limits.begun, `${after.sessions} sign-ins`)
})

test('requests with a colleague’s address, each from another network, leave no log, and end by themselves', async (t) => {
  const { hinting } = await prepare()
  const statuses = await flood(
    hinting,
    (number) => `2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`,
  )
  const after = await kept()
  t.diagnostic(`${requests} requests: answers ${JSON.stringify(statuses)}, kept ${JSON.stringify(after)}`)
  assert.deepEqual(told(after), silence)
  stage.setNow(plusMs(stage.now(), 61 * 60_000))
  await dropIdleSessions(stage.db, stage.now())
  await dropExpiredRecords(stage.db, stage.now())
  const later = await kept()
  assert.deepEqual([later.sessions, later.records], [0, 0])
  assert.deepEqual(told(later), silence)
})

test('people get in meanwhile, and their sign-ins cost no more than twice as much', async (t) => {
  const { hinting, signing, ana } = await prepare()
  /** So far apart that it is no loop. */
  const signInLater = () => {
    stage.setNow(plusMs(stage.now(), 60_000))
    return signIn(signing, ana)
  }
  const once = () => processorMs(async () => assert.equal(await signInLater(), 200))
  const several = async () => {
    const times: number[] = []
    for (let turn = 0; turn < 11; turn += 1) times.push(await once())
    return times.toSorted((one, other) => one - other)[5] ?? 0
  }
  await several()
  const quietMs = await several()
  await flood(hinting, (number) => `198.51.100.${number % 250}`, Math.min(requests, 10_000))
  const floodedMs = await several()
  t.diagnostic(`processor time of a sign-in: ${quietMs.toFixed(1)} ms before, ${floodedMs.toFixed(1)} ms after`)
  assert.ok(floodedMs <= 2 * quietMs, `${floodedMs} ms beside ${quietMs} ms`)
  const during: number[] = []
  let isOver = false
  const flooding = flood(hinting, (number) => `203.0.113.${number % 250}`, Math.min(requests, 10_000)).finally(() => {
    isOver = true
  })
  while (!isOver && during.length < 12) during.push(await signInLater())
  await flooding
  assert.deepEqual(new Set(during), new Set([200]))
  assert.equal((await kept()).announcements, 33 + during.length)
})
