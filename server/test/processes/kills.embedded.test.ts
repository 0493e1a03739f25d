import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runSimulation } from '@muster/agent/simulate/run-simulation.ts'
import { freePort, type MusterProcess, openPlace, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { extent } from '../support/soak.ts'
import { assertConsistent, readExport } from './recount.ts'

const kills = extent(2, 5)
const devices = 30
const strategies = ['block_immediately', 'notify_only', 'warn_then_block', 'report_only']

const place = openPlace({ after }, { MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' })

/** What the server has said yes to. */
type Acknowledged = { written: number; sent: number; revision: number; patches: number; isFailing: boolean }

/**
 * Changes a configuration and reports a numbered result, over and over, and notes each yes. Ends at the first request
 * that breaks, which is the kill; `sent` may then be one ahead of `written`.
 */
async function work(server: MusterProcess, key: string, witness: Witness, noted: Acknowledged): Promise<void> {
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  client.nodeKey = witness.nodeKey
  try {
    for (;;) {
      const strategy = strategies[noted.patches % strategies.length]
      const body = { remediation_strategy: strategy }
      const patched = await server.ask('PATCH', `/checks/${witness.checkId}/configurations`, { key, body })
      assert.equal(patched.status, 200)
      noted.revision = Number(patched.body.revision)
      noted.patches += 1
      await report(server, client, key, witness, noted)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))) throw error
  } finally {
    client.close()
  }
}

type Witness = { nodeKey: string; deviceId: string; checkId: string }

async function report(
  server: MusterProcess,
  client: ReturnType<typeof osqueryClient>,
  key: string,
  { deviceId, checkId }: Witness,
  noted: Acknowledged,
): Promise<void> {
  const refresh = await server.ask('POST', `/devices/${deviceId}/check_refreshes`, { key, body: { check_id: checkId } })
  assert.equal(refresh.status, 200)
  const { queries } = await client.read()
  const name = Object.keys(queries).find((query) => query.startsWith(`check/${checkId}/`))
  // The clock of two requests within a millisecond is the same: then the next turn asks.
  if (name === undefined) return
  noted.sent += 1
  const isFailing = noted.sent % 2 === 1
  const rows = [{ KOLIDE_CHECK_STATUS: isFailing ? 'FAIL' : 'PASS', number: String(noted.sent) }]
  const verdict = await client.write({ [name]: { rows } })
  assert.ok(verdict.accepted, verdict.text)
  noted.written = noted.sent
  noted.isFailing = isFailing
}

async function assertNothingLost(server: MusterProcess, key: string, witness: Witness, noted: Acknowledged) {
  const ask = (path: string) => server.ask('GET', path, { key })
  const { deviceId, checkId } = witness
  const results = await ask(`/devices/${deviceId}/check_results?per_page=100`)
  const result = results.body.data.find(({ check_id }: { check_id: string }) => check_id === checkId)
  const { check_result_data: rows, status } = result
  const number = Number(rows[0].number)
  assert.ok(
    number === noted.written || number === noted.sent,
    `${number} is neither ${noted.written} nor ${noted.sent}`,
  )
  const isFailing = number % 2 === 1
  assert.equal(status, isFailing ? 'failing' : 'passing')
  const query = encodeURIComponent(`device_id:${deviceId} AND check_id:${checkId} AND resolved_at:null`)
  assert.equal((await ask(`/issues?query=${query}`)).body.data.length, isFailing ? 1 : 0)
  const { revision } = (await ask(`/checks/${checkId}/configurations`)).body
  assert.ok([noted.revision, noted.revision + 1].includes(Number(revision)), `${revision} after ${noted.revision}`)
  noted.revision = Number(revision)
  noted.sent = number
  noted.written = number
}

/** The devices of the simulator keep its load up by being asked for their checks again. */
async function refreshOthers(server: MusterProcess, key: string, stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    const deviceId = 2 + (turn % devices)
    const { body } = await server.ask('GET', `/devices/${deviceId}/check_results?per_page=100`, { key })
    const { check_id } = body.data[turn % body.data.length] ?? {}
    if (check_id !== undefined)
      await server.ask('POST', `/devices/${deviceId}/check_refreshes`, { key, body: { check_id } })
    await pause(20)
  }
}

async function exportOf(): Promise<string> {
  const { exit, out, err } = await place.run(['export'])
  assert.equal(exit, 0, err)
  return out
}

test('power cuts under load lose nothing that was acknowledged', async (t) => {
  const settings = { PORT: String(await freePort()) }
  let server = await place.start(['start', '--no-agent'], settings)
  const permissions = ['configure_checks', 'refresh_check']
  const made = await place.run(['keys', 'create', 'Load', '--rationale', 'Load.', '--permission', ...permissions])
  const key = made.out.trim()
  const enrollSecret = (await readFile(join(place.dataDir, 'enroll_secret'), 'utf8')).trim()
  const witness = await enrollWitness(server, key, enrollSecret)
  const ending = new AbortController()
  t.after(() => ending.abort())
  const simulation = runSimulation({
    ...{ server: server.origin, enrollSecret, devices, seed: 7, failRate: 0.3, periodMs: 5_000, spreadMs: 500 },
    ...{ connections: 8, intervals: { configMs: 3_000, distributedMs: 1_000, logMs: 2_000 } },
    ...{ log: () => {}, signal: ending.signal },
  })
  const counted = async () => (await server.ask('GET', '/devices?per_page=100', { key })).body.pagination.count
  await until(60_000, async () => (await counted()) === devices + 1, 200)

  const noted: Acknowledged = { written: 0, sent: 0, revision: 1, patches: 0, isFailing: false }
  for (let round = 1; round <= kills; round += 1) {
    const stopped = new AbortController()
    const works = [work(server, key, witness, noted), refreshOthers(server, key, stopped.signal).catch(() => {})]
    const before = noted.written
    await until(60_000, async () => noted.written > before + 1, 20)
    await pause(170 * round)
    await server.kill()
    stopped.abort()
    await Promise.all(works)
    server = await place.start(['start', '--no-agent'], settings)
    await assertNothingLost(server, key, witness, noted)
  }
  assert.equal(await counted(), devices + 1)
  t.diagnostic(`${noted.written} results and ${noted.patches} changes of configuration were acknowledged`)

  await pause(1_500)
  ending.abort()
  const { devicesEnrolled, enrolled, reEnrolled, errors, statuses, writes } = await simulation
  assert.deepEqual([devicesEnrolled, enrolled, reEnrolled], [devices, devices, 0], 'every node key held')
  t.diagnostic(`${writes} writes of simulated devices; ${JSON.stringify({ errors, statuses })}`)

  await assertAudited(noted)
})

async function assertAudited({ patches }: Acknowledged): Promise<void> {
  // A recomputation that a kill interrupted is taken up again once it is missed.
  const isSettled = async () =>
    readExport(await exportOf())('check_recomputations').every((row) => row['finished_at'] !== null)
  console.error('settled after', await until(150_000, isSettled, 1_000))
  const tables = readExport(await exportOf())
  assertConsistent(tables, new Date().toISOString())
  const entries = tables('audit_logs').filter((row) => row['description']?.startsWith('Updated the configuration'))
  assert.ok(
    entries.length >= patches && entries.length <= patches + kills,
    `${entries.length} entries for ${patches} acknowledged changes`,
  )
}

async function enrollWitness(server: MusterProcess, key: string, secret: string): Promise<Witness> {
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    assert.ok((await client.enroll(secret)).accepted)
    await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS', number: '0' }] }))
    const checks = await server.ask('GET', `/checks?query=${encodeURIComponent('slug:linux-pending-reboot')}`, { key })
    const { body } = await server.ask('GET', '/devices', { key })
    return { nodeKey: client.nodeKey, deviceId: body.data[0].id, checkId: checks.body.data[0].id }
  } finally {
    client.close()
  }
}
