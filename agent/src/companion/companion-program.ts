import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { readInstallation } from '../read-installation.ts'
import { describeCompanionStatus, readCompanionStatus } from './companion-status.ts'
import { runInstalledCompanion } from './run-installed-companion.ts'

// The program of the companion's package, in which it is one file (server/bundle.ts): `companion.mjs <companion.json>`. It runs
// until it is told to stop, and ends with 1 where it cannot run at all. `companion.mjs status` says how it stands.
const [file = '/etc/muster-companion/companion.json'] = process.argv.slice(2)
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const stateFolder = process.env['STATE_DIRECTORY'] ?? '/var/lib/muster-companion'
try {
  if (file === 'status') await printStatus()
  else await run()
} catch (error) {
  process.exitCode = 1
  const text = error instanceof Error ? error.message : String(error)
  if (!process.stderr.write(`muster-companion: ${text}\n`)) await once(process.stderr, 'drain')
}

async function printStatus(): Promise<void> {
  const status = await readCompanionStatus(join(stateFolder, 'companion.json'))
  if (!status) throw new Error('it has not run here yet')
  process.stdout.write(`${describeCompanionStatus(status, new Date().toISOString()).join('\n')}\n`)
  process.exitCode = status.status === 'linked' && status.is_running ? 0 : 1
}

async function run(): Promise<void> {
  const installation = await readInstallation(file, stateFolder)
  const folder = dirname(installation.stateFile)
  await runInstalledCompanion({
    ...installation,
    // Where `muster companion` keeps it as well.
    stateFile: join(folder, 'companion.json'),
    linkFolder: join(folder, 'link'),
    log: (line) => void process.stdout.write(`${line}\n`),
    signal: stopping.signal,
  })
}
