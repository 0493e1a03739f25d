import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { agentRequest } from '../load/agent-request.ts'
import { type Comparison, compareRates, perProcessorSecond, rateNotes } from '../load/compare-rates.ts'
import { inTurn } from '../load/in-turn.ts'
import { runLoad } from '../load/run-load.ts'
import { type BenchAgent, loadAgents } from '../trial/load-agents.ts'
import { neverAnalyzedSql, openTrial, type Trial } from '../trial/open-trial.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const targets = { ratio: 0.8, firstPerSecond: 3_000 }
const connections = 32
const devices = 20_000
const forms = [
  { what: 'idle distributed/read, node key in header and body', hasHeader: true },
  { what: 'idle distributed/read, node key in the body alone', hasHeader: false },
]

export const idleRead: Figure = { number: '4', title: 'A poll of an agent that has nothing to do', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'idle')
  try {
    await trial.load(neverAnalyzedSql)
    const agents = await loadAgents(trial, devices)
    const findings: Finding[] = []
    if (trial.databaseUrl !== undefined) {
      findings.push(await meetOnce(trial, agents, say))
      await trial.analyze()
    }
    await trial.ready()
    const ours = await startServer(trial)
    const bare = await startProcess(new URL('../bare/serve-constant.ts', import.meta.url), {})
    try {
      findings.push(await meetAll(ours, agents, 'statistics', say))
      const settings = { connections, rounds: scale.rounds, roundMs: scale.roundMs }
      for (const form of forms) {
        say(form.what)
        const polls = agents.map((agent) => agentRequest('read', agent, {}, form.hasHeader))
        const sides = [
          { subject: ours, next: inTurn(polls) },
          { subject: bare, next: inTurn(polls) },
        ] as const
        findings.push(findingOf(form.what, await compareRates(...sides, settings)))
      }
      return findings
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  } finally {
    await trial.remove()
  }
}

const startServer = ({ env }: Trial): Promise<Subject> => startProcess(new URL('../serve.ts', import.meta.url), env)

async function meetOnce(trial: Trial, agents: readonly BenchAgent[], say: Bench['say']): Promise<Finding> {
  const ours = await startServer(trial)
  try {
    return await meetAll(ours, agents, 'no statistics', say)
  } finally {
    await ours.stop()
  }
}

async function meetAll(
  { origin }: Subject,
  agents: readonly BenchAgent[],
  planner: string,
  say: Bench['say'],
): Promise<Finding> {
  const what = `first contact of every device after a start, ${planner}`
  say(what)
  const requests = agents.map((agent) => agentRequest('read', agent)).values()
  const { perSecond, failures, latencies } = await runLoad({ origin, connections, next: () => requests.next().value })
  if (failures > 0) throw new Error(`${failures} polls were refused`)
  return {
    figure: '4',
    what,
    ours: `${count(perSecond)} devices/s`,
    limit: '',
    ratio: '',
    target: `≥ ${count(targets.firstPerSecond)}`,
    isMet: perSecond >= targets.firstPerSecond,
    notes: [`p50/p99: ${ms(latencies.p50Ms)}/${ms(latencies.p99Ms)}`],
  }
}

const findingOf = (what: string, comparison: Comparison): Finding => ({
  figure: '4',
  what,
  ours: `${count(perProcessorSecond(comparison.ours))} per second of processor time`,
  limit: `${count(perProcessorSecond(comparison.bare))}`,
  ratio: ratioText(comparison.ratio),
  target: `≥ ${targets.ratio}`,
  isMet: comparison.ratio >= targets.ratio,
  notes: rateNotes(comparison),
})
