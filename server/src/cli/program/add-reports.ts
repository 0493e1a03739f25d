import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { readTextFile } from './read-text-file.ts'
import { configOf, organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/report-commands.ts')
const fileFlag = ['-f, --file <path>', 'read the SQL from a file'] as const
const everyFlag = ['--every <hours>', 'how often it runs: 1 to 720 hours (default: 24)'] as const

type Given = { file?: string; every?: string }

export function addReports(program: Command, shell: Shell): void {
  const reports = program.command('reports').description('Reporting queries: SQL over the reporting tables')
  reports
    .command('create <name> [sql]')
    .description('Create a reporting query, run it, and print its identifier')
    .option(...organizationFlag)
    .option(...fileFlag)
    .option(...everyFlag)
    .action(async (name, sql, { file, every, ...flags }: Given) => {
      const args = { ...flags, name, sql: await sqlOf(sql, file), ...everySeconds(every) }
      await runOnData(shell, async () => (await commands()).createReportCommand, args)
    })
  reports
    .command('list')
    .description('Show the reporting queries and how their latest runs went')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listReportsCommand, flags))
  reports
    .command('show <id>')
    .description('Print the rows of the latest run')
    .option(...organizationFlag)
    .option('--format <format>', 'table, csv or json', 'table')
    .action((id, flags) => runOnData(shell, async () => (await commands()).showReportCommand, { ...flags, id }))
  reports
    .command('run <id>')
    .description('Run a reporting query now')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).runReportCommand, { ...flags, id }))
  addChanges(reports, shell)
  addRole(reports, shell)
}

function addRole(reports: Command, shell: Shell): void {
  reports
    .command('create-role')
    .description('Create the database role muster_reports, which reporting queries need')
    .option('--as <url>', 'URL of the same database for a user who may create roles; PGPASSWORD may hold the password')
    .action(async ({ as }: { as?: string }) => {
      const { createReportRoleIn } = await import('./create-report-role.ts')
      shell.exitCode = await createReportRoleIn(configOf(shell), as, shell.io)
    })
}

function addChanges(reports: Command, shell: Shell): void {
  reports
    .command('edit <id> [sql]')
    .description('Change the SQL, the name or the interval of a reporting query; new SQL runs at once')
    .option(...organizationFlag)
    .option('--name <name>', 'another name')
    .option(...fileFlag)
    .option(...everyFlag)
    .action(async (id, sql, { file, every, ...flags }: Given) => {
      const text = sql === undefined && file === undefined ? {} : { sql: await sqlOf(sql, file) }
      const args = { ...flags, id, ...text, ...everySeconds(every) }
      await runOnData(shell, async () => (await commands()).editReportCommand, args)
    })
  reports
    .command('delete <id>')
    .description('Delete a reporting query and its rows')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).deleteReportCommand, { ...flags, id }))
  reports
    .command('check [sql]')
    .description('Check whether SQL may run as a reporting query, and if not, say why')
    .option(...organizationFlag)
    .option(...fileFlag)
    .action(async (sql, { file, ...flags }: Given) => {
      const args = { ...flags, sql: await sqlOf(sql, file) }
      await runOnData(shell, async () => (await commands()).checkReportCommand, args)
    })
}

async function sqlOf(sql: string | undefined, file: string | undefined): Promise<string> {
  if ((sql === undefined) === (file === undefined)) {
    throw new CommandError(exitCodes.usage, 'Give the SQL, or a file that has it with --file')
  }
  if (sql !== undefined) return sql
  return readTextFile(file ?? '')
}

function everySeconds(hours: string | undefined): { everySeconds?: number } {
  if (hours === undefined) return {}
  const seconds = Number(hours) * 3_600
  if (Number.isInteger(seconds) && seconds >= 3_600 && seconds <= 720 * 3_600) return { everySeconds: seconds }
  throw new CommandError(exitCodes.usage, '--every takes a number of hours from 1 to 720')
}
