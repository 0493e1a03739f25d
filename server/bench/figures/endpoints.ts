import { type Bench, count, type Figure, type Finding, ms } from '../figure.ts'
import { requestBytes } from '../load/http-request.ts'
import { openSocket } from '../load/open-socket.ts'
import { latenciesOf } from '../load/percentiles.ts'
import { loadOrganization } from '../trial/load-organization.ts'
import { inventoryTable } from '../trial/load-records.ts'
import { openTrial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const targetMs = 25
const turns = 60
const checks = 50

export const endpoints: Figure = { number: '7', title: 'Every list of the API', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'endpoints')
  try {
    say(`loading ${count(scale.devices)} devices with ${checks} checks each`)
    await loadOrganization(trial, scale.devices, checks)
    await trial.ready()
    const server = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    try {
      say(`walking every list, pages of 25 and of 100, ${turns} of each`)
      return await walkAll(server.origin, trial.apiKey)
    } finally {
      await server.stop()
    }
  } finally {
    await trial.remove()
  }
}

type Page = { data: { id?: string; name?: string }[]; pagination: { next_cursor: string } }
type Document = { paths: Record<string, { get?: { parameters?: { name?: string }[] } }> }

async function walkAll(origin: string, apiKey: string): Promise<Finding[]> {
  const socket = await openSocket(origin)
  const headers = { authorization: `Bearer ${apiKey}` }
  const get = async (path: string) => {
    const startedAt = performance.now()
    const { status, body } = await socket.send(requestBytes({ path, headers }))
    const tookMs = performance.now() - startedAt
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body}`)
    return { tookMs, bytes: body.byteLength, body: body.toString() }
  }
  try {
    const document: Document = JSON.parse((await get('/openapi/2026-04-07.json')).body)
    const lists = Object.entries(document.paths)
      .filter(([, { get: read }]) => read?.parameters?.some(({ name }) => name === 'per_page'))
      .map(([path]) => path)
    const findings: Finding[] = []
    for (const list of lists) {
      const isOfTable = list.includes('{tableName}')
      const path = isOfTable
        ? list.replace('{tableName}', inventoryTable)
        : await firstOf(list, async (collection) => JSON.parse((await get(`${collection}?per_page=1`)).body))
      if (path === undefined) {
        findings.push({ ...nothingOf(list), isMet: undefined })
        continue
      }
      findings.push(await walk({ list, path, extra: '' }, get))
      // Results make up nearly all of an answer, unless they are left out.
      if (list === '/reporting/queries') findings.push(await walk({ list, path, extra: '&omit_results=1' }, get))
    }
    return findings
  } finally {
    socket.close()
  }
}

/** The path with the first record of each collection that it names; undefined where one of them is empty. */
async function firstOf(path: string, read: (collection: string) => Promise<Page>): Promise<string | undefined> {
  let filled = ''
  for (const part of path.split('/').slice(1)) {
    if (!part.startsWith('{')) filled += `/${part}`
    else {
      const [record] = (await read(filled)).data
      if (!record) return undefined
      filled += `/${record.id ?? record.name}`
    }
  }
  return filled
}

const nothingOf = (list: string) => ({
  ...{ figure: '7', what: `GET ${list}`, ours: '', limit: '', ratio: '', target: '' },
  notes: ['nothing is loaded that it could be of'],
})

async function walk(
  { list, path, extra }: { list: string; path: string; extra: string },
  get: (path: string) => Promise<{ tookMs: number; bytes: number; body: string }>,
): Promise<Finding> {
  const times: number[] = []
  let most = { records: 0, bytes: 0 }
  for (const perPage of [25, 100]) {
    // The first turn prepares statements; from the end of a short list the walk begins again.
    for (let [turn, cursor] = [0, '']; turn <= turns; turn += 1) {
      const { tookMs, bytes, body } = await get(`${path}?per_page=${perPage}${extra}${cursor && `&cursor=${cursor}`}`)
      const page: Page = JSON.parse(body)
      cursor = page.pagination.next_cursor
      if (turn > 0) times.push(tookMs)
      if (bytes > most.bytes) most = { records: page.data.length, bytes }
    }
  }
  const { p50Ms, p95Ms, maxMs } = latenciesOf(times)
  return {
    figure: '7',
    what: `GET ${list}${extra.replace('&', '?')}`,
    ours: `${ms(p95Ms)} p95`,
    limit: '',
    ratio: '',
    target: `≤ ${targetMs} ms`,
    isMet: p95Ms <= targetMs,
    notes: [`p50 ${ms(p50Ms)}, max ${ms(maxMs)}, largest answer ${count(most.bytes)} bytes of ${most.records} records`],
  }
}
