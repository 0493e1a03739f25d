import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { configOf, type Shell } from './shell.ts'

export function addServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('Answer API clients and agents, and work in the background, until interrupted')
    .option('--no-worker', 'leave the background to `muster worker` processes')
    .action(async ({ worker }: { worker: boolean }) => {
      const { runServer } = await import('../run-server.ts')
      await runServer(configOf(shell), { api: true, worker }, shell.io)
    })
  program
    .command('worker')
    .description('Only work in the background, beside `muster serve` processes, until interrupted')
    .action(async () => {
      const config = configOf(shell)
      if (config.databaseUrl === undefined) {
        throw new CommandError(
          exitCodes.configuration,
          'A worker of its own needs DATABASE_URL: the embedded database belongs to one process, `muster serve`',
        )
      }
      const { runServer } = await import('../run-server.ts')
      await runServer(config, { api: false, worker: true }, shell.io)
    })
}
