import { type Bench, count, type Figure, type Finding, ratioText } from '../figure.ts'
import { type Comparison, compareRates, perProcessorSecond, rateNotes } from '../load/compare-rates.ts'
import { requestBytes } from '../load/http-request.ts'
import { inTurn } from '../load/in-turn.ts'
import { openSocket } from '../load/open-socket.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { devicesSql } from '../trial/load-devices.ts'
import { openTrial } from '../trial/open-trial.ts'
import { startProcess } from '../trial/start-process.ts'

const target = 0.8
const connections = 32
const pagesWalked = 200

type Walk = { ours: Buffer[]; bare: Buffer[] }

export const listDevices: Figure = { number: '1', title: 'A page of devices', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'list')
  try {
    say(`loading ${count(scale.devices)} devices`)
    await trial.load(devicesSql(trial.organizationId, scale.devices))
    await trial.analyze()
    const twin = await trial.ready().then(() => trial.twinEnv())
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    const bare = await startProcess(new URL('../bare/serve-devices.ts', import.meta.url), {
      ...twin,
      BENCH_ORGANIZATION: trial.organizationId,
    })
    try {
      const authorized = { authorization: `Bearer ${trial.apiKey}` }
      const databaseMs = await watchDatabase(trial.databaseUrl)
      const walk = await walkPages(ours.origin, authorized)
      const search = `/devices?per_page=25&query=${encodeURIComponent('device_type:Linux')}`
      const shapes: [what: string, ours: Buffer[], bare: Buffer[]][] = [
        [
          'first page',
          [requestBytes({ path: '/devices?per_page=25', headers: authorized })],
          [requestBytes({ path: '/first' })],
        ],
        ['pages by cursor', walk.ours, walk.bare],
        [
          'search device_type:Linux',
          [requestBytes({ path: search, headers: authorized })],
          [requestBytes({ path: '/search/Linux' })],
        ],
      ]
      const findings: Finding[] = []
      for (const [what, mine, others] of shapes) {
        say(what)
        const settings = { connections, rounds: scale.rounds, roundMs: scale.roundMs, databaseMs }
        const sides = [
          { subject: ours, next: inTurn(mine) },
          { subject: bare, next: inTurn(others) },
        ] as const
        findings.push(findingOf(what, await compareRates(...sides, settings)))
      }
      return findings
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  } finally {
    await trial.remove()
  }
}

/** The addresses of pages deep in the list, for us by cursor and for the bare one by the last identifier. */
async function walkPages(origin: string, headers: Record<string, string>): Promise<Walk> {
  const socket = await openSocket(origin)
  const walk: Walk = { ours: [], bare: [] }
  try {
    for (let path = '/devices?per_page=25'; walk.ours.length < pagesWalked; ) {
      const { status, body } = await socket.send(requestBytes({ path, headers }))
      if (status !== 200) throw new Error(`GET ${path} answered ${status}`)
      const { data, pagination } = JSON.parse(body.toString())
      path = `/devices?per_page=25&cursor=${pagination.next_cursor}`
      if (pagination.next_cursor === '' || data.length !== 25) throw new Error('The list of devices is too short')
      walk.ours.push(requestBytes({ path, headers }))
      walk.bare.push(requestBytes({ path: `/after/${data.at(-1).id}` }))
    }
  } finally {
    socket.close()
  }
  return walk
}

const findingOf = (what: string, comparison: Comparison): Finding => ({
  figure: '1',
  what: `GET /devices, ${what}`,
  ours: `${count(perProcessorSecond(comparison.ours))} per second of processor time`,
  limit: `${count(perProcessorSecond(comparison.bare))}`,
  ratio: ratioText(comparison.ratio),
  target: `≥ ${target}`,
  isMet: comparison.ratio >= target,
  notes: rateNotes(comparison),
})
