import Type from 'typebox'
import { CommandError, exitCodes } from '../command-error.ts'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { identifierForm, organization, shortText, toggle } from './shared-members.ts'

const queryId = Type.String({ pattern: '^[1-9][0-9]{0,17}$', form: identifierForm })

const wait = flag(
  '--wait <seconds>',
  'wait for devices and show their answers as they come',
  Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
)
const devices = Type.Optional(Type.Array(queryId, { maxItems: 10_000 }))
const targets = { all: toggle, macs: toggle, windows: toggle, linux: toggle }

export const liveQueryGroup = describeGroup('live-queries', {
  create: preparedCommand(
    'create <name>',
    'Run SQL on devices and print the identifier of the live query, or the answers with --wait',
    {
      name: shortText,
      organization,
      sql: flag('--sql <text>', 'the SQL', Type.Optional(Type.String())),
      sqlFile: flag('--sql-file <file>', 'a file that holds it', Type.Optional(Type.String())),
      devices: flag('--device <ids...>', 'run it on these devices', devices),
      all: flag('--all', 'run it on all computers', targets.all),
      macs: flag('--macs', 'run it on all Macs', targets.macs),
      windows: flag('--windows', 'run it on all Windows computers', targets.windows),
      linux: flag('--linux', 'run it on all Linux computers', targets.linux),
      wait,
    },
    {
      args: Type.Object({
        ...{ organization: organization.schema, name: shortText, sql: Type.String({ minLength: 1 }) },
        ...{ devices, ...targets, wait: wait.schema },
      }),
      prepare: async ({ sqlFile, sql, ...given }) => ({ ...given, sql: sql ?? (await readSql(sqlFile)) }),
    },
  ),
  list: command('list', 'List live queries and how many devices have answered', { organization }),
  results: command('results <id>', 'Show what devices answered, one line of JSON for each', {
    id: queryId,
    organization,
    wait,
  }),
  delete: command(
    'delete <id>',
    'Delete a live query with its results; devices that have not answered no longer get it',
    { id: queryId, organization },
  ),
})

async function readSql(file: string | undefined): Promise<string> {
  if (file === undefined) throw new CommandError(exitCodes.usage, 'Give the SQL: --sql <text>, or --sql-file <file>')
  return (await readTextFile(file)).trim()
}
