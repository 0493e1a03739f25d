import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { readInstallation } from '../read-installation.ts'
import { runInstalledCompanion } from './run-installed-companion.ts'

// The program of the osquery package: `companion-program.ts <companion.json>`. It runs until it is told to stop, and ends
// with 1 where it cannot run at all.
const [file = '/etc/muster-osquery/companion.json'] = process.argv.slice(2)
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
try {
  const installation = await readInstallation(file, process.env['STATE_DIRECTORY'] ?? '/var/lib/muster-companion')
  const folder = dirname(installation.stateFile)
  await runInstalledCompanion({
    ...installation,
    // Where `muster companion` keeps it as well.
    stateFile: join(folder, 'companion.json'),
    linkFolder: join(folder, 'link'),
    log: (line) => void process.stdout.write(`${line}\n`),
    signal: stopping.signal,
  })
} catch (error) {
  process.exitCode = 1
  const text = error instanceof Error ? error.message : String(error)
  if (!process.stderr.write(`muster-companion: ${text}\n`)) await once(process.stderr, 'drain')
}
