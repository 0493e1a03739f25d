import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { homeFolder } from './home-folder.ts'
import type { Shell } from './shell.ts'

type AgentFlags = {
  server: string
  enrollSecret?: string
  enrollSecretFile?: string
  ca?: string
  stateFile: string
  once?: boolean
}

export function addAgent(program: Command, shell: Shell): void {
  program
    .command('agent')
    .description('Run the bundled agent on this machine: it enrolls and answers checks until interrupted')
    .requiredOption('--server <url>', 'such as https://trust.example.com; http only on this machine')
    .option(
      '--enroll-secret <secret>',
      'an enrollment secret; others on this machine can see it, so rather give a file',
    )
    .option('--enroll-secret-file <file>', 'a file that holds it')
    .option('--ca <file>', 'certificates to trust instead of the system’s, PEM')
    .option('--state-file <file>', 'where the node key is kept', join(homeFolder(), '.muster-agent.json'))
    .option('--once', 'answer one round of queries and end')
    .action(async ({ server, ca, stateFile, once = false, ...given }: AgentFlags) => {
      const enrollSecret = given.enrollSecret ?? (await readSecretFile(given.enrollSecretFile))
      const { runAgent } = await import('@muster/agent/run-agent.ts')
      const log = (line: string) => void shell.io.error(line).catch(() => {})
      const { signal } = shell.io
      await runAgent({ server, enrollSecret, ...(ca !== undefined && { caFile: ca }), stateFile, once, log, signal })
    })
}

/** The enrollment secret that a file holds. */
export async function readSecretFile(file: string | undefined): Promise<string> {
  if (file === undefined) {
    throw new CommandError(
      exitCodes.usage,
      'Give the enrollment secret: --enroll-secret-file <file>, or --enroll-secret <secret>',
    )
  }
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.usage, `Cannot read the enrollment secret: ${reason}`)
  }
}
