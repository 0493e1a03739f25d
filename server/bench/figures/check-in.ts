import { type Bench, count, type Figure, type Finding, ratioText } from '../figure.ts'
import { agentRequest } from '../load/agent-request.ts'
import { checkInBodies, namesAt, type Report } from '../load/check-in-bodies.ts'
import { requestBytes } from '../load/http-request.ts'
import { openSocket } from '../load/open-socket.ts'
import { medianOf } from '../load/percentiles.ts'
import { runLoad } from '../load/run-load.ts'
import { bareTablesSql } from '../trial/bare-tables.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { handOutAll } from '../trial/hand-out.ts'
import { type BenchAgent, checksSql, loadAgents, pendingResultsSql } from '../trial/load-agents.ts'
import { onServer, openTrial, type Trial } from '../trial/open-trial.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

/** Of results by the bare loop's rows, with issues and events where there are any; of unchanged ones by our changed ones. */
const targets = { changed: 0.7, unchanged: 5, issues: 0.7 }
const connections = 32
/** More make the bare loop no faster: the database has two cores at most. */
const loops = 4
const checks = 50

export const checkIn: Figure = { number: '3', title: 'Results of checks coming in', run }

type Pass = { perSecond: number; processorMsPerResult: number; databaseMsPerResult: number | undefined }
type Passes = Record<'first' | 'changed' | 'unchanged' | 'failing' | 'passing' | 'bare' | 'bareIssues', Pass[]>
type Place = {
  trial: Trial
  agents: BenchAgent[]
  checkIds: string[]
  ours: Subject
  bare: Subject
  bareIssues: Subject
  databaseMs: (() => Promise<number>) | undefined
}

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'checkin')
  try {
    const devices = scale.reportingDevices
    const agents = await loadAgents(trial, devices)
    await trial.load(checksSql(trial.organizationId, checks))
    await trial.load(pendingResultsSql(trial.organizationId))
    await trial.load(bareTablesSql(devices, checks))
    const rows = await trial.load(`select id::text from checks where organization_id = ${trial.organizationId}`)
    const checkIds = rows.map((row) => String(row['id']))
    await trial.analyze()
    const twin = await trial.ready().then(() => trial.twinEnv())
    const issuesTwin = await trial.twinEnv('issues-twin')
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    const bareEnv = { ...twin, BENCH_DEVICES: String(devices) }
    const bare = await startProcess(new URL('../bare/upsert-results.ts', import.meta.url), bareEnv)
    const issuesEnv = { ...bareEnv, ...issuesTwin }
    const bareIssues = await startProcess(new URL('../bare/turn-results.ts', import.meta.url), issuesEnv)
    try {
      const databaseMs = await watchDatabase(trial.databaseUrl)
      const place = { trial, agents, checkIds, ours, bare, bareIssues, databaseMs }
      return findingsOf(await measure(place, scale.rounds, scale.roundMs, say))
    } finally {
      await Promise.all([ours.stop(), bare.stop(), bareIssues.stop()])
    }
  } finally {
    await trial.remove()
  }
}

async function measure(place: Place, rounds: number, roundMs: number, say: Bench['say']): Promise<Passes> {
  const passes: Passes = { first: [], changed: [], unchanged: [], failing: [], passing: [], bare: [], bareIssues: [] }
  // Results speak for the moment at which they were asked for, and each pass must be later than the one before.
  let issuedAtMs = Date.now() - 3_600_000
  const report = async (status: Report['status'], version: string) => {
    issuedAtMs += 60_000
    return reportAll(place, await askAll(place, issuedAtMs), { status, version })
  }
  passes.first.push(await report('PASS', '0'))
  await bareLoops(place, place.bare, Math.min(2_000, roundMs))
  await bareLoops(place, place.bareIssues, Math.min(2_000, roundMs))
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    passes.bare.push(await bareLoops(place, place.bare, roundMs))
    passes.bareIssues.push(await bareLoops(place, place.bareIssues, roundMs))
    passes.changed.push(await report('PASS', `${round}`))
    passes.unchanged.push(await report('PASS', `${round}`))
    passes.failing.push(await report('FAIL', `bad ${round}`))
    passes.passing.push(await report('PASS', `good ${round}`))
  }
  return passes
}

/** An agent that writes has always read before, which brings what the server remembers of it up to date. */
async function askAll({ trial, agents, checkIds, ours }: Place, issuedAtMs: number): Promise<Map<string, string[]>> {
  const { databaseUrl, organizationId, secrets } = trial
  if (databaseUrl !== undefined) return handOutAll(databaseUrl, organizationId, ours.origin, agents)
  await pollAll(ours.origin, agents)
  return namesAt(issuedAtMs, secrets, organizationId, agents, checkIds)
}

type Names = ReadonlyMap<string, readonly string[]>

async function reportAll({ trial, agents, ours, databaseMs }: Place, names: Names, report: Report): Promise<Pass> {
  const bodies = checkInBodies(agents, names, report)
  const turns = bodies.values()
  const before = await usageOf(ours, databaseMs)
  const result = await runLoad({ origin: ours.origin, connections, next: () => turns.next().value })
  const after = await usageOf(ours, databaseMs)
  if (result.failures > 0) throw new Error(`${result.failures} writes were refused`)
  await requireStored(trial, report, agents.length * checks)
  return passOf(result.requests * checks, result.seconds, before, after)
}

type UsedMs = { process: number; database: number | undefined }

const usageOf = async (subject: Subject, databaseMs: Place['databaseMs']): Promise<UsedMs> => ({
  process: (await subject.usage()).processorMs,
  database: await databaseMs?.(),
})

const passOf = (results: number, seconds: number, before: UsedMs, after: UsedMs): Pass => ({
  perSecond: results / seconds,
  processorMsPerResult: (after.process - before.process) / results,
  databaseMsPerResult:
    before.database === undefined || after.database === undefined
      ? undefined
      : (after.database - before.database) / results,
})

async function pollAll(origin: string, agents: readonly BenchAgent[]): Promise<void> {
  const polls = agents.map((agent) => agentRequest('read', agent))
  const turns = polls.values()
  await runLoad({ origin, connections, next: () => turns.next().value })
}

/** A rate of results that were not taken in would be none. */
async function requireStored({ databaseUrl, organizationId }: Trial, { version }: Report, expected: number) {
  if (databaseUrl === undefined) return
  const [row] = await onServer(
    databaseUrl,
    `select count(*)::int as stored from check_results
     where organization_id = ${organizationId} and rows->0->>'version' = '${version}'`,
  )
  if (row?.['stored'] !== expected) throw new Error(`${row?.['stored']} of ${expected} results were stored`)
}

async function bareLoops({ databaseMs }: Place, bare: Subject, durationMs: number): Promise<Pass> {
  const socket = await openSocket(bare.origin)
  try {
    const before = await usageOf(bare, databaseMs)
    const { body } = await socket.send(requestBytes({ path: `/${durationMs}/${loops}` }))
    const after = await usageOf(bare, databaseMs)
    const { rows, seconds } = JSON.parse(body.toString())
    return passOf(rows, seconds, before, after)
  } finally {
    socket.close()
  }
}

function findingsOf(passes: Passes): Finding[] {
  const bare = { name: 'rows', rates: passes.bare }
  const ours = { name: 'changed results', rates: passes.changed }
  const issues = { name: 'rows with an issue and an event each', rates: passes.bareIssues }
  return [
    findingOf('changed results', passes.changed, bare, targets.changed),
    findingOf('unchanged results', passes.unchanged, ours, targets.unchanged),
    findingOf('first results', passes.first, bare, undefined),
    findingOf('results that turn to failing: 50 issues a device', passes.failing, issues, targets.issues),
    findingOf('results that turn to passing: 50 issues end', passes.passing, issues, targets.issues),
  ]
}

/** Judged by processor time, which other work on the machine does not lengthen. */
const costMs = ({ processorMsPerResult, databaseMsPerResult = 0 }: Pass): number =>
  processorMsPerResult + databaseMsPerResult

function findingOf(
  what: string,
  all: Pass[],
  limit: { name: string; rates: Pass[] },
  target: number | undefined,
): Finding {
  const medianBy = (some: Pass[], pick: (pass: Pass) => number | undefined) =>
    medianOf(some.map((pass) => pick(pass) ?? Number.NaN))
  // Each pass beside the limit of its own round, since the machine is not the same from one to the next.
  const ratio = medianOf(all.map((pass, round) => costMs(limit.rates[round] ?? pass) / costMs(pass)))
  const note = (where: string, pick: (pass: Pass) => number | undefined) =>
    `processor time a result, ${where}: ours ${us(medianBy(all, pick))}, ${limit.name} ${us(medianBy(limit.rates, pick))}`
  const perSecond = (some: Pass[]) => count(medianBy(some, (pass) => pass.perSecond))
  return {
    figure: '3',
    what,
    ours: `${us(medianBy(all, costMs))} a result`,
    limit: `${us(medianBy(limit.rates, costMs))}, ${limit.name}`,
    ratio: ratioText(ratio),
    target: target === undefined ? '' : `≥ ${target}`,
    isMet: target === undefined ? undefined : ratio >= target,
    notes: [
      note('the process', (pass) => pass.processorMsPerResult),
      ...(all[0]?.databaseMsPerResult === undefined ? [] : [note('the database', (pass) => pass.databaseMsPerResult)]),
      `by the clock: ours ${perSecond(all)}/s, ${limit.name} ${perSecond(limit.rates)}/s`,
    ],
  }
}

const us = (valueMs: number): string => `${(valueMs * 1_000).toFixed(1)} µs`
