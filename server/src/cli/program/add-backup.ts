import type { Command } from 'commander'
import type { Shell } from './shell.ts'

type RestoreFlags = { input?: string; databaseIsRestored?: boolean }

export function addBackup(program: Command, shell: Shell): void {
  program
    .command('backup')
    .description('Copy the embedded database into one file, also while it runs; the master key is not in it')
    .requiredOption('--output <file>', 'a new file, readable by you only')
    .action(async ({ output }: { output: string }) => {
      const { backUp } = await import('./backup-files.ts')
      await backUp(shell, output)
    })
  program
    .command('restore')
    .description('Make the embedded database from a backup, where there is none, with the same master key')
    .option('--input <file>', 'what muster backup wrote')
    .option('--database-is-restored', 'finish a restore that PostgreSQL’s own tools have made')
    .action(async ({ input, databaseIsRestored = false }: RestoreFlags) => {
      const { restore } = await import('../backup/restore.ts')
      shell.exitCode = await restore(shell.env, shell.io, { input, databaseIsRestored })
    })
}
