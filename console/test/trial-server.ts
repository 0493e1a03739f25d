import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePreparedFolder } from '../../server/src/prepared-folder.ts'
import { databaseForProcess } from '../../server/test/support/database.ts'
import { until } from '../../server/test/support/muster-process.ts'

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

/** A data folder that stays, and the share of its checks that a device fails; without devices none is simulated. */
type KeptData = { readonly dataDir: string; readonly failRate?: number }

/** Settings besides, for what depends on the address of the server. */
type SettingsOf = (baseUrl: string) => Promise<Readonly<Record<string, string>>>

export type TrialParts = { readonly kept?: KeptData; readonly settings?: SettingsOf }

/**
 * What `npm start` runs on a database that is migrated already, with some simulated devices; on a data folder that stays, or on one of its own, or on a database
 * of the PostgreSQL that the tests run on.
 */
export async function startTrial(devices: number, { kept, settings }: TrialParts = {}): Promise<TrialServer> {
  await run(process.execPath, ['console/build.ts', '--when-stale'], { cwd: root })
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const dataDir = kept?.dataDir ?? (await mkdtemp(join(tmpdir(), 'muster-console-')))
  const { PATH, HOME } = process.env
  const common = {
    PATH,
    HOME,
    PORT: String(port),
    MUSTER_DATA_DIR: dataDir,
    MUSTER_BASE_URL: baseUrl,
    ...(await settings?.(baseUrl)),
  }
  // Where there is data, someone can sign in already.
  const hasData = existsSync(join(dataDir, 'master.key'))
  const database = kept ? undefined : await databaseForProcess()
  if (!database) await makePreparedFolder()
  const env = {
    ...common,
    ...(database && { DATABASE_URL: database.url, MUSTER_MASTER_KEY: randomBytes(32).toString('base64') }),
  }
  const server = spawn(process.execPath, ['server/bin/muster.js', 'start', '--no-agent'], { cwd: root, env })
  const ending = new AbortController()
  const stop = async () => {
    ending.abort()
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    await database?.drop()
    if (!kept) await rm(dataDir, { recursive: true, force: true })
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
