import { type Bench, count, type Figure, type Finding, ms } from '../figure.ts'
import { openExplainer } from '../load/explain-search.ts'
import { requestBytes } from '../load/http-request.ts'
import { openSocket } from '../load/open-socket.ts'
import { latenciesOf } from '../load/percentiles.ts'
import { type SearchClass, searchClasses } from '../load/search-classes.ts'
import { devicesSql } from '../trial/load-devices.ts'
import { issuesSql } from '../trial/load-issues.ts'
import { openTrial, type Trial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const targetMs = 10
const turns = 205

export const search: Figure = { number: '2', title: 'Searches with ~', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'search')
  try {
    say(`loading ${count(scale.searchedRows)} devices with an issue each`)
    await trial.load(devicesSql(trial.organizationId, scale.searchedRows))
    await trial.load(issuesSql(trial.organizationId))
    await trial.analyze()
    await trial.ready()
    const plans = await explainAll(trial)
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    try {
      say('searching, one at a time and all kinds mixed')
      const times = await searchAll(ours.origin, trial.apiKey)
      return searchClasses.map((one) => findingOf(one, times.get(one) ?? [], plans.get(one), scale.searchedRows))
    } finally {
      await ours.stop()
    }
  } finally {
    await trial.remove()
  }
}

async function explainAll({ databaseUrl, organizationId }: Trial): Promise<Map<SearchClass, string>> {
  const plans = new Map<SearchClass, string>()
  if (databaseUrl === undefined) return plans
  const explainer = openExplainer(databaseUrl, organizationId)
  try {
    for (const one of searchClasses) plans.set(one, await explainer.explain(one, one.text(1)))
  } finally {
    await explainer.close()
  }
  return plans
}

/** Mixed, so that a plan which the database keeps for a text of SQL meets patterns of every kind. */
async function searchAll(origin: string, apiKey: string): Promise<Map<SearchClass, number[]>> {
  const times = new Map<SearchClass, number[]>(searchClasses.map((one) => [one, []]))
  const socket = await openSocket(origin)
  const headers = { authorization: `Bearer ${apiKey}` }
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      for (const one of searchClasses) {
        const path = `/${one.list}?per_page=25&query=${encodeURIComponent(one.text(turn))}`
        const request = requestBytes({ path, headers })
        const startedAt = performance.now()
        const { status, body } = await socket.send(request)
        if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body}`)
        // The first turns open connections and prepare statements.
        if (turn >= 5) times.get(one)?.push(performance.now() - startedAt)
      }
    }
  } finally {
    socket.close()
  }
  return times
}

function findingOf(
  { list, kind, name }: SearchClass,
  times: number[],
  plan: string | undefined,
  rows: number,
): Finding {
  const { p50Ms, p95Ms, maxMs } = latenciesOf(times)
  return {
    figure: '2',
    what: `${list}, ${kind}: ${name} (${count(rows)} rows)`,
    ours: `${ms(p95Ms)} p95`,
    limit: '',
    ratio: '',
    target: `≤ ${targetMs} ms`,
    isMet: p95Ms <= targetMs,
    notes: [`p50 ${ms(p50Ms)}, max ${ms(maxMs)}`, ...(plan === undefined ? [] : [`plan: ${plan}`])],
  }
}
