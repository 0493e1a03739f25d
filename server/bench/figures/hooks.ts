import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { generateSecret, sealSecret } from '../../src/signals/webhooks/endpoint-secret.ts'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { latenciesOf, medianOf } from '../load/percentiles.ts'
import { perProcessorSecond, type ProcessorRate as Rate, takeTurns, using } from '../load/processor-rate.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { devices, openTransmission, type Transmission } from '../trial/open-transmission.ts'
import { queueHooks } from '../trial/queue-hooks.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const loops = 8
const total = 4 * devices
const perSecond = 200
const severalEndpoints = 8

export const hooks: Figure = { number: '11', title: 'Delivering webhooks', run }

async function run(bench: Bench): Promise<Finding[]> {
  if (bench.engine.kind === 'embedded') {
    bench.say('needs PostgreSQL: the measured events are committed beside the server')
    return []
  }
  const setting = await openTransmission(bench, 'hooks', new URL('../bare/serve-hooks.ts', import.meta.url))
  const writing = await startWriting(setting)
  try {
    const one = await throughput(setting, writing, 1)
    const several = await throughput(setting, writing, severalEndpoints)
    return [...one, ...several, await latency(setting)]
  } finally {
    await writing.stop()
    await setting.close()
  }
}

/** The least that could deliver and write a row of each that can be found, in a table like the log. */
async function startWriting({ trial, receiver, database, trusting }: Transmission): Promise<Subject> {
  await database.query('create table bench_hooks (like webhook_deliveries including all)')
  return startProcess(new URL('../bare/serve-written-hooks.ts', import.meta.url), {
    ...{ ...trusting, BENCH_RECEIVER: receiver.origin, BENCH_DATABASE: trial.databaseUrl ?? '' },
  })
}

async function addEndpoint({ trial, receiver, database }: Transmission, isEnabled: boolean): Promise<string> {
  const { organizationId, secrets } = trial
  const { rows } = await database.query(
    `insert into webhook_endpoints (organization_id, identifier, url, events, sealed_secret, created_at, updated_at)
     values ($1, $2, $3, '{device_trust.status_changed}', '', now(), now()) returning id`,
    [organizationId, randomUUID(), `${receiver.origin}/events`],
  )
  const id = String(rows[0].id)
  const secret = sealSecret(secrets, generateSecret(), { organizationId, endpointId: id })
  await database.query(
    `update webhook_endpoints set sealed_secret = $2, disabled_at = case when $3 then null else now() end where id = $1`,
    [id, secret, isEnabled],
  )
  await database.query('insert into webhook_standings (organization_id, endpoint_id) values ($1, $2)', [
    ...[organizationId, id],
  ])
  return id
}

const setEnabled = async ({ trial, database }: Transmission, ids: readonly string[], isEnabled: boolean) => {
  await database.query(
    `update webhook_endpoints set disabled_at = case when $2 then null else now() end, updated_at = clock_timestamp()
     where id = any($1::bigint[])`,
    [ids, isEnabled],
  )
  await database.query(`select pg_notify('webhooks', $1)`, [trial.organizationId])
}

const pendingOf = async ({ database }: Transmission, ids: readonly string[]): Promise<number> => {
  const { rows } = await database.query(
    `select count(*)::int as count from webhook_deliveries where endpoint_id = any($1::bigint[]) and state = 'pending'`,
    [ids],
  )
  return rows[0].count
}

/** As many endpoints with the deliveries of a round disabled, to be enabled together. */
async function fillEndpoints(setting: Transmission, endpoints: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < endpoints) ids.push(await addEndpoint(setting, false))
  for (const endpointId of ids) {
    for (let rest = total / endpoints; rest > 0; rest -= devices) {
      await queueHooks(setting, { endpointId, most: Math.min(rest, devices) })
    }
  }
  await setting.database.query('vacuum analyze webhook_deliveries, webhook_messages')
  return ids
}

type Rates = { ours: Rate; bare: Rate; written: Rate }

async function throughput(setting: Transmission, writing: Subject, endpoints: number): Promise<Finding[]> {
  const { ours, bare, database, rounds, say, trial } = setting
  const databaseMs = await watchDatabase(trial.databaseUrl)
  const rates: Rates[] = []
  for (let round = 0; round <= rounds; round += 1) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}: as many as can be`)
    const ids = await fillEndpoints(setting, endpoints)
    await setting.taken()
    const measured = await using(ours, databaseMs, async () => {
      await setEnabled(setting, ids, true)
      await setting.arrived(total)
      while ((await pendingOf(setting, ids)) > 0) await pause(100)
      return total
    })
    await setEnabled(setting, ids, false)
    const limit = await using(bare, undefined, () => takeTurns(setting.bare, setting.roundMs, loops))
    const written = await using(writing, databaseMs, () => takeTurns(writing, setting.roundMs, loops))
    await database.query('vacuum analyze bench_hooks')
    if (round > 0) rates.push({ ours: measured, bare: limit, written })
  }
  return findingsOf(rates, endpoints)
}

function findingsOf(rates: readonly Rates[], endpoints: number): Finding[] {
  const median = (pick: (rate: Rates) => number) => medianOf(rates.map(pick))
  const ours = `${count(median((rate) => perProcessorSecond(rate.ours)))}/s`
  const what = `webhooks delivered to ${endpoints === 1 ? 'one endpoint' : `${endpoints} endpoints`} per second of processor time, the database included`
  const against = (limit: 'bare' | 'written', is: string, target: number, notes: string[]): Finding => {
    const ratio = median((rate) => perProcessorSecond(rate.ours) / perProcessorSecond(rate[limit]))
    return {
      ...{ figure: '11', what, ours, notes },
      limit: `${count(median((rate) => perProcessorSecond(rate[limit])))}/s, ${is}`,
      ratio: ratioText(ratio),
      target: `≥ ${target.toFixed(2)}`,
      isMet: ratio >= target,
    }
  }
  return [
    against('written', 'HMAC, POST and one row of a log', 0.7, [
      `by the clock: ours ${count(median((rate) => rate.ours.perSecond))}/s, bare ${count(median((rate) => rate.bare.perSecond))}/s, both cores shared with the receiver and the database`,
      `processor time a delivery: ours ${ms(median((rate) => rate.ours.processorMs))}, the database ${ms(median((rate) => rate.ours.databaseMs))}`,
      `HMAC, POST and a row: ${ms(median((rate) => rate.written.processorMs))}, the database ${ms(median((rate) => rate.written.databaseMs))}; HMAC and POST alone ${ms(median((rate) => rate.bare.processorMs))}`,
    ]),
    against('bare', 'HMAC and POST alone', 0.45, []),
  ]
}

async function latency(setting: Transmission): Promise<Finding> {
  const { roundMs, rounds, say } = setting
  const ids: string[] = []
  for (let index = 0; index < 4; index += 1) ids.push(await addEndpoint(setting, true))
  say(`${perSecond} events a second`)
  await setting.taken()
  const committed: number[] = []
  const everyMs = (1_000 * ids.length) / perSecond
  const durationMs = Math.min(2_000 + roundMs * rounds, (devices / perSecond) * ids.length * 1_000 - 1_000)
  const startedAt = performance.now()
  for (let sent = 0; performance.now() - startedAt < durationMs; sent += 1) {
    await queueHooks(setting, { most: 1, from: committed.length })
    committed.push(performance.timeOrigin + performance.now())
    await pause(Math.max(0, startedAt + (sent + 1) * everyMs - performance.now()))
  }
  await pause(1_000)
  const deviceIds = await setting.deviceIds()
  const commitAt = new Map(committed.map((atMs, index) => [deviceIds[index], atMs]))
  const times = (await setting.taken()).map(([deviceId, atMs]) => atMs - (commitAt.get(deviceId) ?? Number.NaN))
  await setEnabled(setting, ids, false)
  const { count: arrived, p50Ms, p99Ms, maxMs } = latenciesOf(times)
  const due = committed.length * ids.length
  if (arrived !== due) throw new Error(`${arrived} of ${due} arrived`)
  return {
    figure: '11',
    what: `from commit to receiver at ${perSecond} events a second, ${ids.length} endpoints`,
    ours: `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`,
    limit: '',
    ratio: '',
    target: 'p99 ≤ 250 ms',
    isMet: p99Ms <= 250,
    notes: [`${count(arrived)} events, the slowest ${ms(maxMs)}`],
  }
}
