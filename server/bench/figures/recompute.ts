import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { requestBytes } from '../load/http-request.ts'
import { inTurn } from '../load/in-turn.ts'
import { openSocket } from '../load/open-socket.ts'
import type { Latencies } from '../load/percentiles.ts'
import { startSteadyLoad } from '../load/steady-load.ts'
import { checksSql } from '../trial/load-agents.ts'
import { devicesSql } from '../trial/load-devices.ts'
import { databaseMegabytes, loadResults, openIssuesSql } from '../trial/load-results.ts'
import { onServer, openTrial, type Trial } from '../trial/open-trial.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const target = 2
const issuesPerDevice = 5
const perSecond = 50
const quietMs = 30_000
const timeLimitMs = 1_800_000

export const recompute: Figure = { number: '6', title: 'One check’s strategy changed over a whole fleet', run }

type Measured = { quiet: Latencies; busy: Latencies; seconds: number; blocked: number }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  if (engine.kind === 'embedded') {
    say('needs PostgreSQL')
    return []
  }
  const trial = await openTrial(engine, 'recompute')
  try {
    const { devices, checks } = scale.recomputed
    say(`loading ${count(devices)} devices × ${count(checks)} checks = ${count(devices * checks)} results`)
    const startedAt = performance.now()
    await trial.load(devicesSql(trial.organizationId, devices))
    await trial.load(checksSql(trial.organizationId, checks))
    await loadResults(trial)
    await trial.load(openIssuesSql(trial.organizationId, issuesPerDevice))
    await trial.analyze()
    await trial.ready()
    const loadSeconds = (performance.now() - startedAt) / 1000
    const megabytes = await databaseMegabytes(trial.databaseUrl ?? '')
    say(`loaded in ${count(loadSeconds)} s: ${count(megabytes)} MB`)
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    try {
      const measured = await measure(trial, ours, say)
      return [findingOf(measured, devices, checks, megabytes)]
    } finally {
      await ours.stop()
    }
  } finally {
    await trial.remove()
  }
}

async function measure(trial: Trial, ours: Subject, say: Bench['say']): Promise<Measured> {
  const headers = { authorization: `Bearer ${trial.apiKey}` }
  const [check] = await query(
    trial,
    `select min(id)::text as id from checks where organization_id = ${trial.organizationId}`,
  )
  const checkId = String(check?.['id'])
  const load = await startSteadyLoad(ours.origin, {
    connections: 32,
    perSecond,
    next: await usualRequests(trial, headers),
  })
  try {
    await pause(5_000)
    load.section()
    say(`${perSecond} requests a second, in quiet`)
    await pause(quietMs)
    const quiet = load.section()
    say('changing the strategy from reporting to blocking')
    const startedAt = performance.now()
    await changeStrategy(ours.origin, headers, checkId)
    await untilFinished(trial, checkId)
    const seconds = (performance.now() - startedAt) / 1000
    const busy = load.section()
    if (quiet.failures + busy.failures > 0) throw new Error(`${quiet.failures + busy.failures} requests failed`)
    const [row] = await query(trial, `select count(*)::int as blocked from devices where auth_state = 'blocked'`)
    return { quiet, busy, seconds, blocked: Number(row?.['blocked']) }
  } finally {
    await load.end()
  }
}

const query = (trial: Trial, sql: string) => onServer(trial.databaseUrl ?? '', sql)

/** What clients of the API ask for: lists, records, what is open on a device. */
async function usualRequests(trial: Trial, headers: Record<string, string>): Promise<() => Buffer> {
  const rows = await query(
    trial,
    `select id::text from devices where organization_id = ${trial.organizationId} order by random() limit 200`,
  )
  const paths = rows.flatMap(({ id }) => [
    `/devices/${id}`,
    '/devices?per_page=25',
    `/devices/${id}/open_issues?per_page=25`,
    '/issues?per_page=25',
    '/checks?per_page=25',
  ])
  return inTurn(paths.map((path) => requestBytes({ path, headers })))
}

async function changeStrategy(origin: string, headers: Record<string, string>, checkId: string): Promise<void> {
  const socket = await openSocket(origin)
  try {
    const body = JSON.stringify({ remediation_strategy: 'block_immediately' })
    const path = `/checks/${checkId}/configurations`
    const { status, body: answer } = await socket.send(requestBytes({ method: 'PATCH', path, headers, body }))
    if (status !== 200) throw new Error(`PATCH ${path} answered ${status}: ${answer}`)
  } finally {
    socket.close()
  }
}

async function untilFinished(trial: Trial, checkId: string): Promise<void> {
  for (const endsAt = performance.now() + timeLimitMs; performance.now() < endsAt; await pause(500)) {
    const [row] = await query(
      trial,
      `select finished_at is not null as is_finished from check_recomputations where check_id = ${checkId}`,
    )
    if (row?.['is_finished'] === true) return
  }
  throw new Error(`Not finished within ${timeLimitMs / 60_000} minutes`)
}

function findingOf(
  { quiet, busy, seconds, blocked }: Measured,
  devices: number,
  checks: number,
  megabytes: number,
): Finding {
  const ratio = busy.p99Ms / quiet.p99Ms
  return {
    figure: '6',
    what: `API while ${count(devices)} devices × ${count(checks)} checks are decided again`,
    ours: `${ms(busy.p99Ms)} p99`,
    limit: `${ms(quiet.p99Ms)} p99 in quiet`,
    ratio: ratioText(ratio),
    target: `≤ ${target}`,
    isMet: ratio <= target,
    notes: [
      `${count(seconds)} s for ${count(devices)} devices with an open issue of the check: ${count(devices / seconds)} devices/s, ${count(blocked)} blocked`,
      `p50 ${ms(quiet.p50Ms)} in quiet, ${ms(busy.p50Ms)} meanwhile; ${count(quiet.count)} and ${count(busy.count)} requests at ${perSecond}/s; ${count(megabytes)} MB of database`,
    ],
  }
}
