import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deviceProfile, usualWeights } from './device-profile.ts'
import { runSimulation, type SimulationOptions } from './run-simulation.ts'
import { formatReport } from './simulation-report.ts'
import { type ReceivedRequest, startTrialServer, type TrialAnswers } from './trial-server.ts'

const folder = await mkdtemp(join(tmpdir(), 'simulate-run-'))
after(() => rm(folder, { recursive: true }))

const uptimeCheck = `SELECT MAX(days) AS days, CASE WHEN MAX(total_seconds) < 30 * 86400 THEN 'PASS' ELSE 'FAIL' END
  AS KOLIDE_CHECK_STATUS FROM uptime`

async function simulateAgainst(answers: TrialAnswers, options: Partial<SimulationOptions>) {
  const server = await startTrialServer(answers)
  try {
    const report = await runSimulation({
      server: server.url,
      enrollSecret: 'open sesame',
      devices: 20,
      failRate: 0.1,
      periodMs: 60_000,
      seed: 1,
      spreadMs: 100,
      intervals: { configMs: 2000, distributedMs: 100, logMs: 100 },
      durationMs: 800,
      log: () => {},
      ...options,
    })
    return { report, received: server.received }
  } finally {
    await server.close()
  }
}

/** However long that takes on a busy machine. */
const inRounds = (rounds: number) => ({ rounds, durationMs: 300_000 })

const at = (received: ReceivedRequest[], path: string) =>
  received.filter((request) => request.path === `/api/v1/osquery/${path}`).map(({ body }) => body)

// biome-ignore lint/suspicious/noExplicitAny: bodies as JSON.parse gives them; every test asserts what it reads
const json = (value: unknown): any => JSON.parse(JSON.stringify(value))

test('every device enrolls as the seed says, and two runs bring the same devices', async () => {
  const runs = [await simulateAgainst({}, inRounds(1)), await simulateAgainst({}, inRounds(1))]
  const identities = runs.map(({ received }) =>
    at(received, 'enroll')
      .map((body) => json(body).host_details.system_info.hardware_serial)
      .sort(),
  )
  assert.deepEqual(
    identities[0],
    Array.from({ length: 20 }, (_, index) => deviceProfile(1, index, usualWeights).serial).sort(),
  )
  assert.deepEqual(identities[1], identities[0])
  assert.deepEqual(runs[0]?.report.errors, {})
  assert.equal(runs[0]?.report.enrolled, 20)
})

test('devices share connections, or each has one of its own', async () => {
  const shared = await simulateAgainst({}, { ...inRounds(3), connections: 2 })
  assert.equal(shared.report.connectionsOpened, 2)
  const own = await simulateAgainst({}, { ...inRounds(3), connections: 'own' })
  assert.equal(own.report.connectionsOpened, 20)
  assert.deepEqual(own.report.errors, {})
})

test('a server that cannot be reached is named at once, with the reason', async () => {
  const server = await startTrialServer({})
  await server.close()
  const lines: string[] = []
  const parts = { enrollSecret: 'open sesame', devices: 5, failRate: 0, periodMs: 60_000, seed: 1, durationMs: 500 }
  await runSimulation({ ...parts, server: server.url, spreadMs: 0, log: (line) => lines.push(line) })
  const { origin, port } = new URL(server.url)
  assert.equal(lines[0]?.startsWith(`${origin} cannot be reached: connect ECONNREFUSED`), true, lines[0])
  assert.ok(lines[0]?.includes(port))
  assert.equal(lines.filter((line) => line.includes('cannot be reached')).length, 1)
})

test('requests after enrollment carry the node key in the header and in the body', async () => {
  const { received } = await simulateAgainst({}, { ...inRounds(2), devices: 3 })
  const later = received.filter(({ path }) => !path.endsWith('/enroll'))
  assert.ok(later.length >= 6)
  for (const { authorization, body } of later) assert.equal(authorization, `NodeKey ${json(body).node_key}`)
})

test('checks fail at the rate asked for, flip, and heal', async () => {
  const { report, received } = await simulateAgainst(
    { queriesFor: () => ({ 'check/1/v1': uptimeCheck, 'check/2/v1': uptimeCheck }) },
    // Far below what a busy machine manages.
    {
      ...{ devices: 200, failRate: 0.25, periodMs: 1_500, durationMs: 7_000 },
      intervals: { configMs: 2_000, distributedMs: 400, logMs: 5_000 },
    },
  )
  const runs = new Map<string, string[]>()
  for (const body of at(received, 'distributed/write').map(json)) {
    assert.deepEqual(Object.keys(body.statuses), ['check/1/v1', 'check/2/v1'])
    const [row] = body.queries['check/1/v1']
    runs.set(body.node_key, [...(runs.get(body.node_key) ?? []), row.KOLIDE_CHECK_STATUS])
  }
  const all = [...runs.values()].flat()
  const failing = all.filter((status) => status === 'FAIL').length / all.length
  assert.ok(Math.abs(failing - 0.25) < 0.05, `${failing}`)
  assert.ok(Math.abs(report.failingShare - 0.25) < 0.08, `${report.failingShare}`)
  const healed = [...runs.values()].filter((statuses) => /FAIL,PASS/.test(statuses.join())).length
  assert.ok(healed > 100, `${healed} of 200 devices healed`)
  assert.ok(report.flips > 200, `${report.flips} flips`)
})

test('a live query is answered with the device’s own values, or with the error of its SQL', async () => {
  const queries = { 'campaign/5': 'SELECT hardware_serial FROM system_info', 'campaign/6': 'SELECT * FROM no_table' }
  const { received } = await simulateAgainst({ queriesFor: () => queries }, { ...inRounds(1), devices: 1 })
  const body = json(at(received, 'distributed/write')[0])
  assert.deepEqual(body.queries, {
    'campaign/5': [{ hardware_serial: deviceProfile(1, 0, usualWeights).serial }],
    'campaign/6': [],
  })
  assert.deepEqual(body.statuses, { 'campaign/5': 0, 'campaign/6': 1 })
  assert.deepEqual(body.messages, { 'campaign/5': '', 'campaign/6': 'no such table: no_table' })
  assert.deepEqual(Object.keys(body.stats['campaign/5']), ['wall_time_ms', 'user_time', 'system_time', 'memory'])
})

test('a device whose key is refused enrolls again and continues with the new key', async () => {
  const { report, received } = await simulateAgainst(
    {
      interfere: ({ path, body }) =>
        path.endsWith('/read') && body['node_key'] === 'key-1'
          ? { status: 401, text: '{"error":"unknown","node_invalid":true}' }
          : undefined,
    },
    { ...inRounds(1), devices: 1 },
  )
  assert.equal(report.reEnrolled, 1)
  assert.equal(report.devicesEnrolled, 1)
  assert.deepEqual(report.errors, { 'read: node_invalid': 1 })
  assert.deepEqual(report.statuses, { 401: 1 })
  assert.ok(at(received, 'distributed/read').some((body) => body['node_key'] === 'key-2'))
})

test('errors are counted by call and kind, and a success with an odd status is none', async () => {
  const texts: Record<string, { status: number; text: string }> = {
    '/api/v1/osquery/distributed/read': { status: 502, text: '<html>bad gateway</html>' },
    '/api/v1/osquery/log': { status: 500, text: '' },
  }
  const config = {
    schedule: { 'report/1/v1': { query: 'SELECT version FROM os_version', interval: 60, snapshot: true } },
  }
  const { report } = await simulateAgainst({ config, interfere: ({ path }) => texts[path] }, { devices: 4 })
  assert.deepEqual(Object.keys(report.errors).sort(), ['log: empty_body', 'read: not_json'])
  assert.equal(report.errors['log: empty_body'], 4)
  assert.equal(report.reads, 0)
  assert.equal(report.logs, 4)
})

test('a server that is away is counted too, and the run ends', { timeout: 120_000 }, async () => {
  const server = await startTrialServer()
  await server.close()
  const { report } = await simulateAgainst({}, { server: server.url, durationMs: 400 })
  assert.deepEqual(Object.keys(report.errors), ['enroll: connect'])
  assert.equal(report.devicesEnrolled, 0)
})

test('results that could not be delivered come with the next write', async () => {
  let refused = 0
  let asked = 0
  const { received } = await simulateAgainst(
    {
      queriesFor: () => {
        asked += 1
        return asked === 1 ? { 'check/1/v1': uptimeCheck } : {}
      },
      interfere: ({ path }) => {
        if (!path.endsWith('/write') || refused > 0) return undefined
        refused += 1
        return { status: 500, text: '{"error":"busy"}' }
      },
    },
    { ...inRounds(1), devices: 1 },
  )
  const writes = at(received, 'distributed/write').map((body) => json(body).queries)
  assert.equal(writes.length, 2)
  assert.deepEqual(writes[1], writes[0])
})

test('accelerate makes a device poll sooner than its interval, and only an integer counts', async () => {
  const reads = async (accelerate: string) => {
    const { report } = await simulateAgainst(
      {
        interfere: ({ path }) =>
          path.endsWith('/read') ? { status: 200, text: `{"queries":{},"accelerate":${accelerate}}` } : undefined,
      },
      { devices: 1, intervals: { distributedMs: 20_000 }, spreadMs: 0, durationMs: 5600 },
    )
    return report.reads
  }
  assert.deepEqual(await Promise.all([reads('30'), reads('"30"')]), [2, 1])
})

test('scheduled queries come as log lines of the device, its decorations included', async () => {
  const config = {
    decorators: { load: ['SELECT uuid AS host_uuid FROM system_info'] },
    schedule: {
      'report/1/v1': { query: 'SELECT computer_name FROM system_info', interval: 3600, snapshot: true },
      'report/2/v1': { query: 'SELECT username FROM users', interval: 3600 },
      'report/3/v1': { query: 'SELECT * FROM no_table', interval: 3600, snapshot: true },
    },
  }
  const { received, report } = await simulateAgainst({ config }, { ...inRounds(1), devices: 1 })
  const profile = deviceProfile(1, 0, usualWeights)
  const [log, ...others] = at(received, 'log').map(json)
  assert.deepEqual(others, [])
  assert.equal(log.log_type, 'result')
  const [snapshot, ...added] = log.data
  assert.match(snapshot.calendarTime, /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} UTC$/)
  assert.deepEqual(
    { ...snapshot, calendarTime: '', unixTime: 0 },
    {
      name: 'report/1/v1',
      hostIdentifier: profile.uuid,
      calendarTime: '',
      unixTime: 0,
      epoch: 0,
      counter: 0,
      numerics: false,
      decorations: { host_uuid: profile.uuid },
      action: 'snapshot',
      snapshot: [{ computer_name: profile.computerName }],
    },
  )
  assert.ok(Math.abs(snapshot.unixTime - Date.now() / 1000) < 10)
  assert.equal(added.length, 2)
  assert.equal(added[1].action, 'added')
  assert.deepEqual(added[1].columns, { username: profile.username })
  assert.equal(report.logLines, 3)
})

test('with a state file a second run continues as the same devices without enrolling', async () => {
  const stateFile = join(folder, 'state.json')
  const first = await simulateAgainst({}, { ...inRounds(1), stateFile, devices: 5 })
  assert.equal(first.report.enrolled, 5)
  const second = await simulateAgainst({}, { ...inRounds(1), stateFile, devices: 7 })
  assert.equal(second.report.enrolled, 2)
  assert.equal(second.report.devicesEnrolled, 7)
  const keys = new Set(at(second.received, 'distributed/read').map((body) => body['node_key']))
  for (const key of ['key-3', 'key-4', 'key-5']) assert.ok(keys.has(key), key)
})

test('a smaller run keeps the keys of the devices it leaves out', async () => {
  const stateFile = join(folder, 'larger.json')
  await simulateAgainst({}, { ...inRounds(1), stateFile, devices: 6 })
  await simulateAgainst({}, { ...inRounds(1), stateFile, devices: 2 })
  const third = await simulateAgainst({}, { ...inRounds(1), stateFile, devices: 6 })
  assert.equal(third.report.enrolled, 0)
})

test('a state file that cannot be written ends the run before it begins', async () => {
  await assert.rejects(simulateAgainst({}, { stateFile: join(folder, 'absent', 'state.json') }), /ENOENT/)
})

test('a share of the requests is sent twice where asked for', async () => {
  const { report, received } = await simulateAgainst({}, { ...inRounds(12), duplicateRate: 0.5 })
  const share = report.duplicates / (report.reads + report.configs)
  assert.ok(Math.abs(share - 0.5) < 0.15, `${share}`)
  assert.ok(at(received, 'distributed/read').length > report.reads)
})

test('progress is one line, and a signal ends a run without a duration', async () => {
  const controller = new AbortController()
  const lines: string[] = []
  await simulateAgainst(
    { queriesFor: () => ({ 'check/1/v1': uptimeCheck }) },
    {
      durationMs: Number.POSITIVE_INFINITY,
      progressEveryMs: 600,
      signal: controller.signal,
      log: (line) => {
        lines.push(line)
        controller.abort()
      },
    },
  )
  assert.equal(lines.length, 1)
  assert.match(
    lines[0] ?? '',
    /^00:00 {2}devices 20\/20 enrolled · reads \d+ \(0 idle\) · writes \d+ · results \d+ · failing \d+\.\d % · errors 0 · p99 [\d.]+ ms$/,
  )
})

const scheduled = {
  schedule: { 'report/1/v1': { query: 'SELECT version FROM os_version', interval: 3600, snapshot: true } },
}

test('after a round every device has answered and sent its log, without waiting for an interval', async () => {
  const { report, received } = await simulateAgainst(
    { config: scheduled, queriesFor: () => ({ 'check/1/v1': uptimeCheck }) },
    { ...inRounds(1), intervals: { configMs: 600_000, distributedMs: 600_000, logMs: 600_000 } },
  )
  assert.deepEqual(report.rounds, { wanted: 1, devicesDone: 20 })
  for (const path of ['distributed/write', 'log'])
    assert.equal(new Set(at(received, path).map((body) => body['node_key'])).size, 20, path)
  assert.equal(report.logLines, 20)
})

test('a round is over where there is nothing to answer and nothing to send', async () => {
  const idle = await simulateAgainst({}, { ...inRounds(2), devices: 3 })
  assert.ok(idle.report.idleReads >= 6, `${idle.report.idleReads} reads`)
  assert.equal(idle.report.logs, 0)
  const config = { ...scheduled, options: { disable_distributed: true } }
  const unasked = await simulateAgainst({ config }, { ...inRounds(1), devices: 3 })
  assert.deepEqual([unasked.report.reads, unasked.report.logs], [0, 3])
})

test('a round waits for who is told to enroll later and for what was refused', async () => {
  const refusedOnce = new Set<string>()
  const { report } = await simulateAgainst(
    {
      config: scheduled,
      queriesFor: () => ({ 'check/1/v1': uptimeCheck }),
      interfere: ({ path }) => {
        if (path.endsWith('/config') || refusedOnce.has(path)) return undefined
        refusedOnce.add(path)
        return { status: 503, text: '{"error":"busy"}' }
      },
    },
    { ...inRounds(1), devices: 2 },
  )
  assert.equal(refusedOnce.size, 4)
  assert.deepEqual(report.rounds, { wanted: 1, devicesDone: 2 })
  assert.equal(report.devicesEnrolled, 2)
})

test('a duration ends a run whose rounds are not done, and the report says so', async () => {
  const refused = { status: 200, text: '{"error":"no","node_invalid":true}' }
  const { report } = await simulateAgainst(
    { interfere: ({ path }) => (path.endsWith('/enroll') ? refused : undefined) },
    { rounds: 1, devices: 2, durationMs: 200 },
  )
  assert.deepEqual(report.rounds, { wanted: 1, devicesDone: 0 })
  assert.match(formatReport(report), /\n {2}rounds {9}1 done by 0 of 2 devices\n/)
})
