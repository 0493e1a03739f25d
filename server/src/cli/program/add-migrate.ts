import type { Command } from 'commander'
import { configOf, type Shell } from './shell.ts'

export function addMigrate(program: Command, shell: Shell): void {
  program
    .command('migrate')
    .description('Bring the database up to this version')
    .option('--pending', 'only list what would be applied; exits with 1 if there is something')
    .action(async ({ pending = false }: { pending?: boolean }) => {
      const { listPending, migrateDatabase } = await import('./migrate-database.ts')
      shell.exitCode = await (pending ? listPending : migrateDatabase)(configOf(shell), shell.io)
    })
}
