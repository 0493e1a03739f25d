import type { Command } from 'commander'
import { configOf, type Shell } from './shell.ts'

export function addReportRole(reports: Command, shell: Shell): void {
  reports
    .command('create-role')
    .description('Create the database role muster_reports, which reporting queries need')
    .option('--as <url>', 'URL of the same database for a user who may create roles; PGPASSWORD may hold the password')
    .action(async ({ as }: { as?: string }) => {
      const { createReportRoleIn } = await import('./create-report-role.ts')
      shell.exitCode = await createReportRoleIn(configOf(shell), as, shell.io)
    })
}
