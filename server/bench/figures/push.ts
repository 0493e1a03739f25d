import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { latenciesOf, medianOf } from '../load/percentiles.ts'
import { perProcessorSecond, type ProcessorRate as Rate, takeTurns, using } from '../load/processor-rate.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { devices, openTransmission, type Transmission } from '../trial/open-transmission.ts'
import { noteTokenSettings, queueChanges } from '../trial/queue-changes.ts'

const loops = 8
const perSecond = 200
const fannedOut = 1_000

export const push: Figure = { number: '10', title: 'Pushing events of streams', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  if (engine.kind === 'embedded') {
    say('needs PostgreSQL: the measured changes are committed beside the server')
    return []
  }
  const setting = await openTransmission(
    { engine, scale, say },
    'push',
    new URL('../bare/serve-pushes.ts', import.meta.url),
  )
  try {
    return [...(await throughput(setting)), ...(await latency(setting)), await fanOut(setting)]
  } finally {
    await setting.close()
  }
}

async function addStream({ trial, receiver, database }: Transmission, status: string): Promise<string> {
  const { rows } = await database.query(
    `insert into ssf_streams (organization_id, stream_id, name, spec_version, delivery_type, audience, endpoint_url,
       events_requested, status, created_at, updated_at)
     values ($1, $2, 'Bench', 'v1_0', 'push', $3, $3, '{}', $4, now(), now()) returning id`,
    [trial.organizationId, randomUUID(), `${receiver.origin}/events`, status],
  )
  await database.query('insert into ssf_stream_deliveries (organization_id, stream_id) values ($1, $2)', [
    trial.organizationId,
    rows[0].id,
  ])
  await noteTokenSettings({ trial, database })
  return rows[0].id
}

const setStatus = async ({ trial, database }: Transmission, id: string, status: string) => {
  await database.query('update ssf_streams set status = $2, updated_at = clock_timestamp() where id = $1', [id, status])
  await database.query(`select pg_notify('ssf_signals', $1)`, [trial.organizationId])
}

const pendingOf = async ({ database }: Transmission, id: string): Promise<number> => {
  const { rows } = await database.query(
    `select count(*)::int as count from ssf_stream_events where stream_id = $1 and state = 'pending'`,
    [id],
  )
  return rows[0].count
}

async function throughput(setting: Transmission): Promise<Finding[]> {
  const { ours, bare, database, rounds, say, trial } = setting
  const databaseMs = await watchDatabase(trial.databaseUrl)
  const rates: { ours: Rate; bare: Rate }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}: as many as can be`)
    const id = await addStream(setting, 'paused')
    for (let batch = 0; batch < 4; batch += 1) await queueChanges(setting, devices)
    await database.query('vacuum analyze ssf_stream_events')
    await setting.taken()
    const measured = await using(ours, databaseMs, async () => {
      await setStatus(setting, id, 'enabled')
      await setting.arrived(4 * devices)
      while ((await pendingOf(setting, id)) > 0) await pause(100)
      return 4 * devices
    })
    await setStatus(setting, id, 'disabled')
    const limit = await using(bare, undefined, () => takeTurns(setting.bare, setting.roundMs, loops))
    if (round > 0) rates.push({ ours: measured, bare: limit })
  }
  const median = (pick: (rate: { ours: Rate; bare: Rate }) => number) => medianOf(rates.map(pick))
  const ratio = median((rate) => perProcessorSecond(rate.ours) / perProcessorSecond(rate.bare))
  return [
    {
      figure: '10',
      what: 'events pushed per second of processor time, the database included',
      ours: `${count(median((rate) => perProcessorSecond(rate.ours)))}/s`,
      limit: `${count(median((rate) => perProcessorSecond(rate.bare)))}/s, sign and POST alone`,
      ratio: ratioText(ratio),
      target: '≥ 0.88',
      isMet: ratio >= 0.88,
      notes: [
        `by the clock: ours ${count(median((rate) => rate.ours.perSecond))}/s, bare ${count(median((rate) => rate.bare.perSecond))}/s, both cores shared with the receiver and the database`,
        `processor time an event: ours ${ms(median((rate) => rate.ours.processorMs))}, the database ${ms(median((rate) => rate.ours.databaseMs))}, bare ${ms(median((rate) => rate.bare.processorMs))}`,
      ],
    },
  ]
}

async function latency(setting: Transmission): Promise<Finding[]> {
  const { roundMs, rounds, say } = setting
  const ids: string[] = []
  for (let index = 0; index < 4; index += 1) ids.push(await addStream(setting, 'enabled'))
  say(`${perSecond} events a second`)
  await setting.taken()
  const committed: number[] = []
  const everyMs = (1_000 * ids.length) / perSecond
  const rate = async (durationMs: number) => {
    const startedAt = performance.now()
    for (let sent = 0; performance.now() - startedAt < durationMs; sent += 1) {
      await queueChanges(setting, 1, committed.length)
      committed.push(performance.timeOrigin + performance.now())
      await pause(Math.max(0, startedAt + (sent + 1) * everyMs - performance.now()))
    }
  }
  await rate(Math.min(2_000 + roundMs * rounds, (devices / perSecond) * ids.length * 1_000 - 1_000))
  await pause(1_000)
  const deviceIds = await setting.deviceIds()
  const commitAt = new Map(committed.map((atMs, index) => [deviceIds[index], atMs]))
  const times = (await setting.taken()).map(([deviceId, atMs]) => atMs - (commitAt.get(deviceId) ?? Number.NaN))
  for (const id of ids) await setStatus(setting, id, 'disabled')
  const { count: arrived, p50Ms, p99Ms, maxMs } = latenciesOf(times)
  if (arrived !== committed.length * ids.length)
    throw new Error(`${arrived} of ${committed.length * ids.length} arrived`)
  return [
    {
      figure: '10',
      what: `from commit to receiver at ${perSecond} events a second, ${ids.length} streams`,
      ours: `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`,
      limit: '',
      ratio: '',
      target: 'p50 ≤ 50 ms, p99 ≤ 250 ms',
      isMet: p50Ms <= 50 && p99Ms <= 250,
      notes: [`${count(arrived)} events, the slowest ${ms(maxMs)}`],
    },
  ]
}

/** One change of one device, told to a thousand streams: what the transaction that makes it costs. */
async function fanOut(setting: Transmission): Promise<Finding> {
  const { database, trial, say } = setting
  say(`one change told to ${count(fannedOut)} streams`)
  await database.query(
    `with made as (
       insert into ssf_streams (organization_id, stream_id, name, spec_version, delivery_type, events_requested, created_at, updated_at)
       select $1, gen_random_uuid(), 'Bench', 'v1_0', 'poll', '{}', now(), now() from generate_series(1, $2) returning id
     ) insert into ssf_stream_deliveries (organization_id, stream_id) select $1, id from made`,
    [trial.organizationId, fannedOut],
  )
  await noteTokenSettings(setting)
  const times: number[] = []
  for (let change = 0; change < 50; change += 1) {
    const startedAt = performance.now()
    await queueChanges(setting, 1, change)
    times.push(performance.now() - startedAt)
  }
  const { p50Ms, p95Ms, maxMs } = latenciesOf(times)
  return {
    figure: '10',
    what: `one change told to ${count(fannedOut)} streams, in its transaction`,
    ours: `p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}`,
    limit: '',
    ratio: '',
    target: 'p95 ≤ 100 ms',
    isMet: p95Ms <= 100,
    notes: [`the slowest ${ms(maxMs)}`],
  }
}
