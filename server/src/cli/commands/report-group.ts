import Type from 'typebox'
import { maxInterval, minInterval } from '../../reporting/queries/rules.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { addReportRole } from '../program/add-report-role.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { organization, recordId, shortText } from './shared-members.ts'

const sql = Type.String()
const typedSql = {
  sql: Type.Optional(sql),
  file: flag('-f, --file <path>', 'read the SQL from a file', Type.Optional(Type.String())),
}
const everySeconds = flag(
  '--every <hours>',
  'how often it runs: 1 to 720 hours (default: 24)',
  Type.Optional(Type.Integer({ minimum: minInterval, maximum: maxInterval })),
  { read: readHours },
)
const one = { id: recordId, organization }
const formats = Type.Enum(['table', 'csv', 'json'])

export const reportGroup = describeGroup('reports', {
  create: preparedCommand(
    'create <name> [sql]',
    'Create a reporting query, run it, and print its identifier',
    { name: shortText, sql: typedSql.sql, organization, file: typedSql.file, everySeconds },
    {
      args: Type.Object({
        ...{ organization: organization.schema, name: shortText, sql },
        everySeconds: everySeconds.schema,
      }),
      prepare: withSql,
    },
  ),
  list: command('list', 'Show the reporting queries and how their latest runs went', { organization }),
  show: command('show <id>', 'Print the rows of the latest run', {
    ...one,
    format: flag('--format <format>', 'how to print them', formats, { default: 'table' }),
  }),
  run: command('run <id>', 'Run a reporting query now', one),
  edit: preparedCommand(
    'edit <id> [sql]',
    'Change the SQL, the name or the interval of a reporting query; new SQL runs at once',
    {
      id: recordId,
      sql: typedSql.sql,
      organization,
      name: flag('--name <name>', 'another name', Type.Optional(shortText)),
      file: typedSql.file,
      everySeconds,
    },
    {
      args: Type.Object({
        ...{ organization: organization.schema, id: recordId },
        ...{ name: Type.Optional(shortText), sql: typedSql.sql, everySeconds: everySeconds.schema },
      }),
      prepare: (given) => (given.sql === undefined && given.file === undefined ? given : withSql(given)),
    },
  ),
  delete: command('delete <id>', 'Delete a reporting query and its rows', one),
  check: preparedCommand(
    'check [sql]',
    'Check whether SQL may run as a reporting query, and if not, say why',
    { sql: typedSql.sql, organization, file: typedSql.file },
    { args: Type.Object({ organization: organization.schema, sql }), prepare: withSql },
  ),
  createRole: addReportRole,
})

async function withSql<Given extends { sql?: string; file?: string }>({ sql, file, ...given }: Given) {
  if ((sql === undefined) === (file === undefined)) {
    throw new CommandError(exitCodes.usage, 'Give the SQL, or a file that has it with --file')
  }
  return { ...given, sql: sql ?? (await readTextFile(file ?? '')) }
}

function readHours(hours: string): number {
  const seconds = Number(hours) * 3_600
  if (Number.isInteger(seconds) && seconds >= minInterval && seconds <= maxInterval) return seconds
  throw new CommandError(exitCodes.usage, '--every takes a number of hours from 1 to 720')
}
