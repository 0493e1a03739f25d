import type { Command } from 'commander'
import type { Shell } from './shell.ts'

export function addStart(program: Command, shell: Shell): void {
  program
    .command('start')
    .description('Try Muster on this machine: one process, an embedded database, this machine as the first device')
    .option('--lan', 'listen beyond this machine, over TLS with a certificate made here, so that laptops can join')
    .option('--no-agent', 'do not enroll this machine')
    .action(async ({ lan = false, agent }: { lan?: boolean; agent: boolean }) => {
      const { runTrial } = await import('../run-trial.ts')
      await runTrial(shell.env, { isLan: lan, withAgent: agent && !lan }, shell.io)
    })
}
