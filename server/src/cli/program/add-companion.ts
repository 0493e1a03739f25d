import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CompanionStatus } from '@muster/agent/companion/companion-status.ts'
import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { readSecretFile } from './add-agent.ts'
import { homeFolder } from './home-folder.ts'
import { configOf, type Shell } from './shell.ts'

type CompanionFlags = {
  server?: string
  enrollSecret?: string
  enrollSecretFile?: string
  ca?: string
  stateFile: string
  osqueryi?: string
  linkFolder?: string
  newKey?: boolean
}

const installedFile = '/var/lib/muster-companion/companion.json'
const installedOnMac = '/Library/Application Support/Muster/companion.json'

export function addCompanion(program: Command, shell: Shell): void {
  const companion = program.command('companion')
  companion

    .description(
      'Run the companion beside osqueryd: it proves at sign-ins which device this is, and runs checks at once',
    )
    .option('--server <url>', 'such as https://trust.example.com; http only on this machine')
    .option(
      '--enroll-secret <secret>',
      'an enrollment secret; others on this machine can see it, so rather give a file',
    )
    .option('--enroll-secret-file <file>', 'a file that holds it')
    .option('--ca <file>', 'certificates to trust instead of the system’s, PEM')
    .option('--state-file <file>', 'where its key is kept', installedFile)
    .option('--osqueryi <file>', 'osquery’s shell, where it is not at its usual place')
    .option('--link-folder <folder>', 'where osqueryd looks for the file that links the two')
    .option('--new-key', 'make a key in place of the one that is kept, which signs for it')
    .action(async ({ server, ca, stateFile, osqueryi, linkFolder, newKey = false, ...given }: CompanionFlags) => {
      if (server === undefined)
        throw new CommandError(exitCodes.usage, 'Give the address of the server: --server <url>')
      const enrollSecret = given.enrollSecret ?? (await readSecretFile(given.enrollSecretFile))
      const { runInstalledCompanion } = await import('@muster/agent/companion/run-installed-companion.ts')
      await runInstalledCompanion({
        ...{ server, enrollSecret, stateFile, isNewKeyWanted: newKey },
        ...(ca !== undefined && { caFile: ca }),
        ...(osqueryi !== undefined && { osqueryi }),
        ...(linkFolder !== undefined && { linkFolder }),
        log: (line) => void shell.io.error(line).catch(() => {}),
        signal: shell.io.signal,
      })
    })
  companion
    .command('status')
    .description('Show how the companions of this machine stand: key, link, port, last check-in')
    .option('--file <file>', 'where the one in question keeps its key; all usual places unless told')
    .option('--json', 'print JSON')
    .action(async ({ file, json = false }: { file?: string; json?: boolean }) => {
      shell.exitCode = await showStatus(shell, file === undefined ? usualFiles(shell) : [file], json)
    })
  companion
    .command('selftest')
    .description('Look at all that the companion of this machine needs, and print a table to paste into an issue')
    .option('--file <file>', 'where it keeps its key; the first that is there of all usual places unless told')
    .option('--osqueryi <file>', 'osquery’s shell, where it is not at its usual place')
    .action(async (_own: unknown, selftest: Command) => {
      // The command above has the second, too, and takes it.
      const { file, osqueryi } = selftest.optsWithGlobals<{ file?: string; osqueryi?: string }>()
      shell.exitCode = await showSelftest(shell, file ?? usualFiles(shell).find(existsSync) ?? installedFile, osqueryi)
    })
}

/** Returns 1 where there is something to look at. */
async function showSelftest({ io }: Shell, stateFile: string, osqueryi: string | undefined): Promise<number> {
  const { linkFolder } = await import('@muster/agent/companion/link-file.ts')
  const { describeSelftest } = await import('@muster/agent/companion/selftest/describe-selftest.ts')
  const { runSelftest } = await import('@muster/agent/companion/selftest/selftest.ts')
  const now = new Date().toISOString()
  const rows = await runSelftest({
    ...{ stateFile, linkFolder: linkFolder(process.platform), now },
    ...(osqueryi !== undefined && { osqueryi: { path: osqueryi, flags: [] } }),
  })
  await io.line(describeSelftest(rows, now).join('\n'))
  return rows.some(({ verdict }) => verdict === 'look') ? exitCodes.failure : exitCodes.ok
}

/** Of the installed companion, of the installed agent, of `muster agent`, and of a trial. */
const usualFiles = (shell: Shell): string[] => [
  ...(process.platform === 'darwin' ? [installedOnMac] : []),
  installedFile,
  '/var/lib/muster-agent/state.json.companion',
  join(homeFolder(), '.muster-agent.json.companion'),
  join(configOf(shell).dataDir, 'agent.json.companion'),
]

/** Returns 1 where one of them is not linked or does not run, and 5 where there is none. */
async function showStatus({ io }: Shell, files: readonly string[], isJson: boolean): Promise<number> {
  const { describeCompanionStatus, readCompanionStatus } = await import('@muster/agent/companion/companion-status.ts')
  const found: CompanionStatus[] = []
  for (const file of files) {
    const status = await readCompanionStatus(file).catch((error: unknown) => {
      throw new CommandError(
        exitCodes.failure,
        `Cannot read ${file}: ${messageOf(error)}. Run this as its user, such as root.`,
      )
    })
    if (status) found.push(status)
  }
  if (found.length === 0) {
    throw new CommandError(exitCodes.notFound, `No companion has run here: looked for ${files.join(', ')}`)
  }
  const now = new Date().toISOString()
  if (isJson) await io.line(JSON.stringify(found, null, 2))
  else await io.line(found.map((one) => describeCompanionStatus(one, now).join('\n')).join('\n\n'))
  return found.every(({ status, is_running: isRunning }) => status === 'linked' && isRunning)
    ? exitCodes.ok
    : exitCodes.failure
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
