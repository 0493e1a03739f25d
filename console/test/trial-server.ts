import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePreparedFolder } from '../../server/src/prepared-folder.ts'
import { until } from '../../server/test/support/muster-process.ts'
import { newTrialData, removeTrialData, type TrialData } from './trial-data.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

export type TrialServer = {
  readonly baseUrl: string
  /** Empty where someone can sign in already. */
  readonly setupLink: string
  /** Runs a command of `muster` on the data of the server, and resolves to what it prints. */
  run(...args: readonly string[]): Promise<string>
  /** Simulates further devices until the server stops. */
  simulate(...args: readonly string[]): void
  stop(): Promise<void>
}

/** Data that stays, and the share of its checks that a device fails; without devices none is simulated. */
type KeptData = TrialData & { readonly failRate?: number }

/** Settings besides, for what depends on the address of the server. */
type SettingsOf = (baseUrl: string) => Promise<Readonly<Record<string, string>>>

export type TrialParts = { readonly kept?: KeptData; readonly settings?: SettingsOf }

let built: Promise<unknown> | undefined

/** Once for a process: what the console is made of stays while its tests run. */
function buildConsole(): Promise<unknown> {
  built ??= run(process.execPath, ['console/build.ts', '--when-stale'], { cwd: root })
  return built
}

/**
 * What `npm start` runs on a database that is migrated already, with some simulated devices; on data that stays, or on its
 * own, which goes when it stops.
 */
export async function startTrial(devices: number, { kept, settings }: TrialParts = {}): Promise<TrialServer> {
  await buildConsole()
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const data = kept ?? (await newTrialData())
  const { dataDir, postgres } = data
  if (!postgres) await makePreparedFolder()
  const { PATH, HOME } = process.env
  const env = {
    ...{ PATH, HOME, PORT: String(port), MUSTER_DATA_DIR: dataDir, MUSTER_BASE_URL: baseUrl },
    ...(postgres && { DATABASE_URL: postgres.database.url, MUSTER_MASTER_KEY: postgres.masterKey }),
    ...(await settings?.(baseUrl)),
  }
  // Where a server has been before, someone can sign in already.
  const hasData = existsSync(join(dataDir, 'address.json'))
  const server = spawn(process.execPath, ['server/bin/muster.js', 'start', '--no-agent'], { cwd: root, env })
  const ending = new AbortController()
  const stop = async () => {
    ending.abort()
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    if (!kept) await removeTrialData(data)
  }
  try {
    let output = ''
    const setupLink = await new Promise<string>((resolve, reject) => {
      server.once('exit', () => reject(new Error(`The server has ended: ${output}`)))
      const read = (chunk: Buffer) => {
        output += chunk
        const [link] = /http:\S+\/console\/setup#\S+/.exec(output) ?? []
        if (hasData && output.includes('\n  Log ')) resolve('')
        if (link !== undefined && output.includes('\nMore keys')) resolve(link)
      }
      server.stdout.on('data', read)
      server.stderr.on('data', read)
    })
    const runCommand = async (...args: readonly string[]) => {
      const { stdout } = await run(process.execPath, ['server/bin/muster.js', ...args], { cwd: root, env })
      return stdout
    }
    const simulate = (...args: readonly string[]) => {
      const command = ['server/bin/muster.js', 'simulate', ...args, '--state-file', join(dataDir, 'beside.json')]
      run(process.execPath, command, { cwd: root, env, signal: ending.signal, killSignal: 'SIGKILL' }).catch(() => {})
    }
    if (devices > 0) {
      const simulated = ['--devices', String(devices), '--fail-rate', String(kept?.failRate ?? 0.3)]
      const once = ['--rounds', '1', '--duration', '120s', '--state-file', join(dataDir, 'simulated.json')]
      const said = await runCommand('simulate', ...simulated, ...once)
      const [, done] = /rounds +1 done by ([\d,]+) of/.exec(said) ?? []
      if (done?.replaceAll(',', '') !== String(devices))
        throw new Error(`Not all of ${devices} simulated devices have answered: ${said}`)
      // When devices were seen is written some seconds later.
      const authorization = `Bearer ${/Bearer ([^\s']+)/.exec(output)?.[1]}`
      const isSeen = async () => {
        const answer = await fetch(`${baseUrl}/devices?per_page=100`, { headers: { authorization } })
        const { data } = (await answer.json()) as { data?: { last_seen_at: string | null }[] }
        return data?.length === devices && data.every(({ last_seen_at }) => last_seen_at !== null)
      }
      // A key has some requests a second.
      await until(120_000, isSeen, 500)
    }
    return { baseUrl, setupLink, run: runCommand, simulate, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
