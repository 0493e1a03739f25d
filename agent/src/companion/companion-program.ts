import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { outliveLostOutput } from '../outlive-lost-output.ts'
import { findInstallation } from '../read-installation.ts'
import { awaitFound } from './await-found.ts'
import { describeCompanionStatus, readCompanionStatus } from './companion-status.ts'
import { findShellForService } from './installed-shell.ts'
import { runInstalledCompanion } from './run-installed-companion.ts'
import { describeSelftest } from './selftest/describe-selftest.ts'
import { runSelftest } from './selftest/selftest.ts'

// The program of the companion's package, in which it is one file (server/bundle.ts): `companion.mjs <companion.json> [<state folder>]`.
// It runs until it is told to stop, waits where osquery or its configuration is missing, and ends with 1 where it cannot run at all.
// `companion.mjs status [<state folder>]` says how it stands, and `selftest` what it finds on this machine. systemd tells the folder by
// its environment, launchd by an argument.
const [file = '/etc/muster-companion/companion.json', givenFolder] = process.argv.slice(2)
const stopping = new AbortController()
// newsyslog hangs up when it has taken the log away.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
outliveLostOutput()
const stateFolder = givenFolder ?? process.env['STATE_DIRECTORY'] ?? '/var/lib/muster-companion'
try {
  if (file === 'status') await printStatus()
  else if (file === 'selftest') await printSelftest()
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

/** Ends with 1 where there is something to look at. */
async function printSelftest(): Promise<void> {
  const now = new Date().toISOString()
  const rows = await runSelftest({ stateFile: join(stateFolder, 'companion.json'), now })
  process.stdout.write(`${describeSelftest(rows, now).join('\n')}\n`)
  process.exitCode = rows.some(({ verdict }) => verdict === 'look') ? 1 : 0
}

async function run(): Promise<void> {
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  const { signal } = stopping
  const installation = await awaitFound({
    ...{ find: () => findInstallation(file, stateFolder), log, signal },
    missing: `companion: its configuration is missing in ${dirname(file)}, as after a restore. Install it again`,
    found: 'companion: its configuration is there now',
  })
  const osqueryi = await awaitFound({
    ...{ find: () => findShellForService(), log, signal },
    missing: 'companion: osquery is not installed. It waits for osquery 5 from https://osquery.io/downloads',
    found: 'companion: osquery is installed now',
  })
  if (!installation || !osqueryi) return
  const folder = dirname(installation.stateFile)
  await runInstalledCompanion({
    ...installation,
    osqueryi,
    // Where `muster companion` keeps it as well.
    stateFile: join(folder, 'companion.json'),
    linkFolder: join(folder, 'link'),
    ...{ log, signal },
  })
}
