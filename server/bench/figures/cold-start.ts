import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench, Figure, Finding } from '../figure.ts'
import { processorSecondsOf, residentMegabytes } from '../trial/process-usage.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const targets = { firstSeconds: 5, secondSeconds: 2.5, idleMegabytes: 350 }
const idleMs = 60_000

type Start = { processorSeconds: number; clockSeconds: number; idleMegabytes: number | undefined }

export const coldStart: Figure = { number: '14', title: 'Start of a trial', run }

/** Always on the embedded engine. What `npm ci` leaves in `.cache` is used, so run it first. */
async function run({ say }: Bench): Promise<Finding[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-start-'))
  try {
    say('first start')
    const first = await measureStart(dataDir, 0)
    say('second start, and a minute of rest')
    const second = await measureStart(dataDir, idleMs)
    const resident = second.idleMegabytes ?? Number.NaN
    return [
      findingOfStart('first start, processor time until ready', first, targets.firstSeconds),
      findingOfStart('second start', second, targets.secondSeconds),
      {
        figure: '14',
        what: 'resident memory after a minute',
        ours: `${resident.toFixed(0)} MB`,
        limit: '',
        ratio: '',
        target: `≤ ${targets.idleMegabytes} MB`,
        isMet: resident <= targets.idleMegabytes,
      },
    ]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const findingOfStart = (what: string, { processorSeconds, clockSeconds }: Start, target: number): Finding => ({
  figure: '14',
  what,
  ours: `${processorSeconds.toFixed(2)} s`,
  limit: '',
  ratio: '',
  target: `≤ ${target} s`,
  isMet: processorSeconds <= target,
  notes: [`${clockSeconds.toFixed(1)} s by the clock`],
})

/** Those of `npm start`, whose other steps are not of the service. */
function argumentsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [command = '', ...rest] = scripts.start.split(' && ').at(-1)?.split(' ') ?? []
  if (command !== 'node') throw new Error(`npm start ends with ${command}`)
  return rest
}

/** Without the agent, whose readings differ from machine to machine. */
async function measureStart(dataDir: string, restMs: number): Promise<Start> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...argumentsOfStart(), '--no-agent'], {
    cwd: root,
    env: { PATH: process.env['PATH'], MUSTER_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('Muster is running')) continue
      const processorSeconds = processorSecondsOf(child.pid ?? 0)
      const clockSeconds = (performance.now() - startedAt) / 1_000
      await pause(restMs)
      return {
        processorSeconds,
        clockSeconds,
        idleMegabytes: restMs > 0 ? residentMegabytes(child.pid ?? 0) : undefined,
      }
    }
    throw new Error('The trial ended before it was ready')
  } finally {
    child.kill('SIGINT')
    await exited
  }
}
