import pg from 'pg'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { requestBytes } from '../load/http-request.ts'
import { openSocket } from '../load/open-socket.ts'
import { medianOf } from '../load/percentiles.ts'
import { type ProcessorRate, perProcessorSecond, takeTurns, using } from '../load/processor-rate.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openTrial } from '../trial/open-trial.ts'
import { queueChanges } from '../trial/queue-changes.ts'
import { startProcess } from '../trial/start-process.ts'

const devices = 5_000
/** Each polled by a receiver of its own, one poll after the other. */
const streams = 4
const maxEvents = 250

export const poll: Figure = { number: '9', title: 'Polling event tokens', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  if (engine.kind === 'embedded') {
    say('needs PostgreSQL: what is polled is queued beside the server')
    return []
  }
  const trial = await openTrial(engine, 'poll')
  await trial.load(`insert into devices (organization_id, name, device_type, form_factor, created_at)
    select ${trial.organizationId}, 'Device ' || n, 'Mac', 'computer', now() from generate_series(1, ${devices}) as n`)
  await trial.ready()
  const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
  const bare = await startProcess(new URL('../bare/serve-signatures.ts', import.meta.url), {})
  const database = new pg.Client({ connectionString: trial.databaseUrl })
  await database.connect()
  try {
    const receivers: Receiver[] = []
    for (let index = 0; index < streams; index += 1) receivers.push(await addReceiver(ours.origin, trial.apiKey))
    const databaseMs = await watchDatabase(trial.databaseUrl)
    const rates: { ours: ProcessorRate; bare: ProcessorRate }[] = []
    for (let round = 0; round <= scale.rounds; round += 1) {
      say(round === 0 ? 'warming up' : `round ${round} of ${scale.rounds}`)
      await queueChanges({ trial, database }, devices)
      await database.query('vacuum analyze ssf_stream_events')
      const measured = await using(ours, databaseMs, async () => {
        const taken = await Promise.all(receivers.map((receiver) => takeAll(ours.origin, receiver)))
        return taken.reduce((sum, one) => sum + one, 0)
      })
      const limit = await using(bare, undefined, () => takeTurns(bare, scale.roundMs, 8))
      if (round > 0) rates.push({ ours: measured, bare: limit })
    }
    return [findingOf(rates)]
  } finally {
    await database.end()
    await Promise.all([ours.stop(), bare.stop()])
    await trial.remove()
  }
}

type Receiver = { streamId: string; headers: Record<string, string> }

async function ask(origin: string, path: string, headers: Record<string, string>, sent: object) {
  const socket = await openSocket(origin)
  try {
    const { body } = await socket.send(requestBytes({ method: 'POST', path, headers, body: JSON.stringify(sent) }))
    return JSON.parse(body.toString())
  } finally {
    socket.close()
  }
}

async function addReceiver(origin: string, apiKey: string): Promise<Receiver> {
  const authorization = `Bearer ${apiKey}`
  const stream = await ask(origin, '/ssf_streams', { authorization }, { name: 'Bench' })
  const headers = { authorization, 'x-service-poll-bearer-token': stream.poll_bearer_token }
  return { streamId: stream.stream_id, headers }
}

/** Polls and acknowledges until there is nothing more; returns how many tokens there were. */
async function takeAll(origin: string, { streamId, headers }: Receiver): Promise<number> {
  const socket = await openSocket(origin)
  let [taken, ack] = [0, [] as string[]]
  try {
    do {
      const sent = JSON.stringify({ ack, maxEvents, returnImmediately: true })
      const path = `/ssf_streams/${streamId}/events`
      const { body } = await socket.send(requestBytes({ method: 'POST', path, headers, body: sent }))
      ack = Object.keys(JSON.parse(body.toString()).sets)
      taken += ack.length
    } while (ack.length > 0)
    return taken
  } finally {
    socket.close()
  }
}

function findingOf(rates: readonly { ours: ProcessorRate; bare: ProcessorRate }[]): Finding {
  const median = (pick: (rate: (typeof rates)[number]) => number) => medianOf(rates.map(pick))
  const ratio = median(({ ours, bare }) => perProcessorSecond(ours) / perProcessorSecond(bare))
  return {
    figure: '9',
    what: 'tokens handed out and acknowledged per second of processor time, the database included',
    ours: `${count(median(({ ours }) => perProcessorSecond(ours)))}/s`,
    limit: `${count(median(({ bare }) => perProcessorSecond(bare)))}/s, signatures alone`,
    ratio: ratioText(ratio),
    target: '≥ 0.85',
    isMet: ratio >= 0.85,
    notes: [
      `by the clock, both cores: ours ${count(median(({ ours }) => ours.perSecond))}/s, bare ${count(median(({ bare }) => bare.perSecond))}/s`,
      `processor time a token: ours ${ms(median(({ ours }) => ours.processorMs))}, the database ${ms(median(({ ours }) => ours.databaseMs))}, bare ${ms(median(({ bare }) => bare.processorMs))}`,
    ],
  }
}
