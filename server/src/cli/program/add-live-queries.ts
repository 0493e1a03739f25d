import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

type CreateFlags = {
  organization?: string
  sql?: string
  sqlFile?: string
  device?: string[]
  all?: boolean
  macs?: boolean
  windows?: boolean
  linux?: boolean
  wait?: number
}

const commands = () => import('../commands/live-query-commands.ts')
const waitFlag = ['--wait <seconds>', 'wait for devices and show their answers as they come', parseSeconds] as const

export function addLiveQueries(program: Command, shell: Shell): void {
  const liveQueries = program.command('live-queries').description('osquery SQL that chosen devices run at once')
  addCreate(liveQueries, shell)
  liveQueries
    .command('list')
    .description('List live queries and how many devices have answered')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listLiveQueriesCommand, flags))
  liveQueries
    .command('results <id>')
    .description('Show what devices answered, one line of JSON for each')
    .option(...organizationFlag)
    .option(...waitFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).liveQueryResultsCommand, { ...flags, id }))
  liveQueries
    .command('delete <id>')
    .description('Delete a live query with its results; devices that have not answered no longer get it')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).deleteLiveQueryCommand, { ...flags, id }))
}

function addCreate(liveQueries: Command, shell: Shell): void {
  liveQueries
    .command('create <name>')
    .description('Run SQL on devices and print the identifier of the live query, or the answers with --wait')
    .option(...organizationFlag)
    .option('--sql <text>', 'the SQL')
    .option('--sql-file <file>', 'a file that holds it')
    .option('--device <ids...>', 'run it on these devices')
    .option('--all', 'run it on all computers')
    .option('--macs', 'run it on all Macs')
    .option('--windows', 'run it on all Windows computers')
    .option('--linux', 'run it on all Linux computers')
    .option(...waitFlag)
    .action(async (name: string, flags: CreateFlags) => {
      const { organization, sql, sqlFile, device: devices = [], wait } = flags
      const { all = false, macs = false, windows = false, linux = false } = flags
      await runOnData(shell, async () => (await commands()).createLiveQueryCommand, {
        ...{ name, devices, all, macs, windows, linux },
        sql: sql ?? (await readSql(sqlFile)),
        ...(organization !== undefined && { organization }),
        ...(wait !== undefined && { wait }),
      })
    })
}

async function readSql(file: string | undefined): Promise<string> {
  if (file === undefined) throw new CommandError(exitCodes.usage, 'Give the SQL: --sql <text>, or --sql-file <file>')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.usage, `Cannot read the SQL: ${reason}`)
  }
}

function parseSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give seconds as a whole number, at most a week.')
  return Number(text)
}
