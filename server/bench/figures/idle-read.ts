import { type Bench, count, type Figure, type Finding, ratioText } from '../figure.ts'
import { agentRequest } from '../load/agent-request.ts'
import { compareRates, rateNotes } from '../load/compare-rates.ts'
import { inTurn } from '../load/in-turn.ts'
import { runLoad } from '../load/run-load.ts'
import { loadAgents } from '../trial/load-agents.ts'
import { openTrial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const target = 0.8
const connections = 32
const devices = 5_000

export const idleRead: Figure = { number: '4', title: 'A poll of an agent that has nothing to do', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'idle')
  try {
    const agents = await loadAgents(trial, devices)
    await trial.ready()
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    const bare = await startProcess(new URL('../bare/serve-constant.ts', import.meta.url), {})
    try {
      const requests = agents.map((agent) => agentRequest('read', agent))
      say('first contact of every device')
      const first = requests.values()
      const met = await runLoad({ origin: ours.origin, connections, next: () => first.next().value })
      const settings = { connections, rounds: scale.rounds, roundMs: scale.roundMs }
      say('idle polls')
      const sides = [
        { subject: ours, next: inTurn(requests) },
        { subject: bare, next: inTurn(requests) },
      ] as const
      const comparison = await compareRates(...sides, settings)
      return [
        {
          figure: '4',
          what: 'idle distributed/read',
          ours: `${count(comparison.ours.perSecond)}/s`,
          limit: `${count(comparison.bare.perSecond)}/s`,
          ratio: ratioText(comparison.ratio),
          target: `≥ ${target}`,
          isMet: comparison.ratio >= target,
          notes: [...rateNotes(comparison), `first contact after a start: ${count(met.perSecond)} devices/s`],
        },
      ]
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  } finally {
    await trial.remove()
  }
}
