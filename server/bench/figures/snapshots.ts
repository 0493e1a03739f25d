import { inventoryQueries } from '../../src/reporting/catalogue/catalogue.ts'
import { inventoryQueryName } from '../../src/reporting/schedule-inventory.ts'
import { type Bench, count, type Figure, type Finding, ratioText } from '../figure.ts'
import { requestBytes } from '../load/http-request.ts'
import { openSocket } from '../load/open-socket.ts'
import { medianOf } from '../load/percentiles.ts'
import { runLoad } from '../load/run-load.ts'
import { softwareCount, softwareRows } from '../load/software-rows.ts'
import { type BenchAgent, loadAgents } from '../trial/load-agents.ts'
import { onServer, openTrial, type Trial } from '../trial/open-trial.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const connections = 16
const loops = 4
/** Rows of a snapshot are megabytes of requests; so many devices make a round of some seconds. */
const devices = 200

export const snapshots: Figure = { number: '8', title: 'Reporting tables coming in', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'snapshots')
  try {
    const agents = await loadAgents(trial, devices)
    await trial.load(`update devices set device_type = 'Linux' where organization_id = ${trial.organizationId}`)
    await trial.load('create table bare_snapshot_rows (like device_snapshot_rows including all)')
    const twin = await trial.ready().then(() => trial.twinEnv())
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    const bare = await startProcess(new URL('../bare/insert-rows.ts', import.meta.url), twin)
    try {
      say(`${devices} devices, ${softwareCount} rows each`)
      const first = await reportAll(ours, agents, '1')
      const rates: Rates = { first: [first], changed: [], unchanged: [], bare: [] }
      for (let round = 1; round <= scale.rounds; round += 1) {
        say(`round ${round} of ${scale.rounds}`)
        rates.bare.push(await bareLoops(bare, scale.roundMs))
        rates.unchanged.push(await reportAll(ours, agents, `${round}`))
        rates.changed.push(await reportAll(ours, agents, `${round + 1}`))
      }
      await requireStored(trial, `${scale.rounds + 1}`)
      return findingsOf(rates)
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  } finally {
    await trial.remove()
  }
}

/** Rows a second. */
type Rates = { first: number[]; changed: number[]; unchanged: number[]; bare: number[] }

async function reportAll(ours: Subject, agents: readonly BenchAgent[], version: string): Promise<number> {
  const turns = agents.map((agent) => snapshotRequest(agent, version)).values()
  const result = await runLoad({ origin: ours.origin, connections, next: () => turns.next().value })
  if (result.failures > 0) throw new Error(`${result.failures} logs were refused`)
  return result.perSecond * softwareCount
}

function nameOfQuery(): string {
  const query = inventoryQueries.linux.get('device_software')
  if (!query) throw new Error('The catalogue has no device_software')
  return inventoryQueryName(query)
}

function snapshotRequest({ nodeKey, deviceId }: BenchAgent, version: string): Buffer {
  const line = {
    name: nameOfQuery(),
    hostIdentifier: deviceId,
    calendarTime: 'Fri Nov 20 10:00:00 2026 UTC',
    unixTime: Math.floor(Date.now() / 1000),
    epoch: 0,
    counter: 0,
    numerics: false,
    action: 'snapshot',
    snapshot: softwareRows(deviceId, version),
  }
  return requestBytes({
    method: 'POST',
    path: '/api/v1/osquery/log',
    headers: { authorization: `NodeKey ${nodeKey}` },
    body: JSON.stringify({ node_key: nodeKey, log_type: 'result', data: [line] }),
  })
}

/** A rate of rows that were not taken in would be none. */
async function requireStored({ databaseUrl, organizationId }: Trial, version: string): Promise<void> {
  if (databaseUrl === undefined) return
  const [row] = await onServer(
    databaseUrl,
    `select count(*)::int as stored from device_snapshot_rows
     where organization_id = ${organizationId} and content->>'version' like '${version}.%'`,
  )
  if (row?.['stored'] !== devices * softwareCount) throw new Error(`${row?.['stored']} rows were stored`)
}

async function bareLoops(bare: Subject, durationMs: number): Promise<number> {
  const socket = await openSocket(bare.origin)
  try {
    const { body } = await socket.send(requestBytes({ path: `/${durationMs}/${loops}` }))
    const { rows, seconds } = JSON.parse(body.toString())
    return rows / seconds
  } finally {
    socket.close()
  }
}

const findingsOf = ({ first, changed, unchanged, bare }: Rates): Finding[] => [
  findingOf('first snapshots', first, bare),
  findingOf('snapshots in which every row has changed', changed, bare),
  findingOf('unchanged snapshots', unchanged, bare),
]

function findingOf(what: string, rates: readonly number[], bare: readonly number[]): Finding {
  const [ours, limit] = [medianOf([...rates]), medianOf([...bare])]
  return {
    figure: '8',
    what: `${what} of ${softwareCount} rows`,
    ours: `${count(ours / softwareCount)}/s, ${count(ours)} rows/s`,
    limit: `${count(limit)} rows/s, bare inserts`,
    ratio: ratioText(ours / limit),
    target: '',
    isMet: undefined,
  }
}
