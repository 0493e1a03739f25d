import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { agentRequest } from '../load/agent-request.ts'
import { holdBack, holders } from '../load/hold-back.ts'
import { requestBytes } from '../load/http-request.ts'
import { inTurn } from '../load/in-turn.ts'
import { medianOf } from '../load/percentiles.ts'
import { type SteadyLoad, startSteadyLoad } from '../load/steady-load.ts'
import { type BenchAgent, loadAgents } from '../trial/load-agents.ts'
import { openTrial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const target = 2
const devices = 200
const connections = 32
/** Far below what the server can do, so that waiting is due to strangers and not to the load itself. */
const perSecond = 60
/** Where agents wait longer than this without strangers, the machine is busy with something else. */
const maxQuietMs = 1_000
/** Until every agent has spoken with each of its requests. */
const warmUpMs = 15_000
/** Until the server has read what the strangers send at first. */
const settleMs = 2_000

export const strangers: Figure = { number: '12', title: 'Agents while strangers hold bodies back', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'strangers')
  try {
    const agents = await loadAgents(trial, devices)
    await trial.ready()
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    try {
      const next = inTurn(agents.flatMap(requestsOf))
      const load = await startSteadyLoad(ours.origin, { connections, perSecond, next })
      say(`warming up: ${perSecond} requests a second of agents of both kinds`)
      await measure(load, warmUpMs)
      const pairs: { quiet: Measured; attacked: Measured }[] = []
      for (let round = 1; round <= scale.rounds; round += 1) {
        say(`round ${round} of ${scale.rounds}: quiet, then ${holders} strangers`)
        const quiet = await measure(load, scale.roundMs)
        const end = holdBack(ours.origin)
        await measure(load, settleMs)
        const attacked = await measure(load, scale.roundMs)
        end()
        await measure(load, settleMs)
        pairs.push({ quiet, attacked })
      }
      await load.end()
      return [findingOf(pairs)]
    } finally {
      await ours.stop()
    }
  } finally {
    await trial.remove()
  }
}

type Measured = ReturnType<SteadyLoad['section']>

async function measure(load: SteadyLoad, durationMs: number): Promise<Measured> {
  load.section()
  await pause(durationMs)
  return load.section()
}

/** A poll and a log of an agent since osquery 5.23, and of one before, which has its node key in the body only. */
function requestsOf(agent: BenchAgent): Buffer[] {
  const old = (call: string, fields: object) =>
    requestBytes({ method: 'POST', path: `/api/v1/osquery/${call}`, body: JSON.stringify(fields) })
  const { nodeKey } = agent
  const data = Array.from({ length: 60 }, (_, line) => ({ name: `report/${line}`, action: 'added', columns: { line } }))
  return [
    agentRequest('read', agent),
    agentRequest('write', agent, { queries: {}, statuses: {} }),
    old('distributed/read', { node_key: nodeKey }),
    old('log', { node_key: nodeKey, log_type: 'result', data }),
  ]
}

function findingOf(pairs: readonly { quiet: Measured; attacked: Measured }[]): Finding {
  const quietMs = medianOf(pairs.map(({ quiet }) => quiet.p99Ms))
  const attackedMs = medianOf(pairs.map(({ attacked }) => attacked.p99Ms))
  const ratio = attackedMs / quietMs
  const failures = pairs.reduce((sum, { attacked }) => sum + attacked.failures, 0)
  return {
    figure: '12',
    what: `p99 of agents of both kinds while ${holders} strangers hold bodies back`,
    ours: ms(attackedMs),
    limit: `${ms(quietMs)} without strangers, in turns with it`,
    ratio: ratioText(ratio),
    target: `≤ ${target.toFixed(2)}, and every request answered with 200`,
    isMet: quietMs > maxQuietMs ? undefined : ratio <= target && failures === 0,
    notes: [
      `${failures} requests of agents were not answered with 200`,
      ...(quietMs > maxQuietMs ? ['not judged: the machine is too busy for a measurement'] : []),
    ],
  }
}
