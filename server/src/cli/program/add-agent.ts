import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Shell } from './shell.ts'

type AgentFlags = { server: string; enrollSecret: string; ca?: string; stateFile: string; once?: boolean }

export function addAgent(program: Command, shell: Shell): void {
  program
    .command('agent')
    .description('Run the bundled agent on this machine: it enrols and answers checks until interrupted')
    .requiredOption('--server <url>', 'such as https://trust.example.com; http only on this machine')
    .requiredOption('--enroll-secret <secret>', 'an enrolment secret')
    .option('--ca <file>', 'certificates to trust instead of the system’s, PEM')
    .option('--state-file <file>', 'where the node key is kept', join(homedir(), '.muster-agent.json'))
    .option('--once', 'answer one round of queries and end')
    .action(async ({ server, enrollSecret, ca, stateFile, once = false }: AgentFlags) => {
      const { runAgent } = await import('@muster/agent/run-agent.ts')
      const log = (line: string) => void shell.io.error(line).catch(() => {})
      const { signal } = shell.io
      await runAgent({ server, enrollSecret, ...(ca !== undefined && { caFile: ca }), stateFile, once, log, signal })
    })
}
