import { type Bench, count, type Figure, type Finding, ratioText } from '../figure.ts'
import { agentRequest } from '../load/agent-request.ts'
import { type Comparison, compareRates, perProcessorSecond, rateNotes } from '../load/compare-rates.ts'
import { inTurn } from '../load/in-turn.ts'
import { runLoad } from '../load/run-load.ts'
import { loadAgents } from '../trial/load-agents.ts'
import { openTrial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const target = 0.8
const connections = 32
const devices = 5_000
const forms = [
  { what: 'idle distributed/read, node key in header and body', hasHeader: true },
  { what: 'idle distributed/read, node key in the body alone', hasHeader: false },
]

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
      const note = `first contact after a start: ${count(met.perSecond)} devices/s`
      const findings: Finding[] = []
      for (const form of forms) {
        say(form.what)
        const polls = agents.map((agent) => agentRequest('read', agent, {}, form.hasHeader))
        const sides = [
          { subject: ours, next: inTurn(polls) },
          { subject: bare, next: inTurn(polls) },
        ] as const
        findings.push(findingOf(form.what, await compareRates(...sides, settings), note))
      }
      return findings
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  } finally {
    await trial.remove()
  }
}

const findingOf = (what: string, comparison: Comparison, note: string): Finding => ({
  figure: '4',
  what,
  ours: `${count(perProcessorSecond(comparison.ours))} per second of processor time`,
  limit: `${count(perProcessorSecond(comparison.bare))}`,
  ratio: ratioText(comparison.ratio),
  target: `≥ ${target}`,
  isMet: comparison.ratio >= target,
  notes: [...rateNotes(comparison), note],
})
