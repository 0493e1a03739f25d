import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { readDraftFlags } from '../program/read-draft-flags.ts'
import { organization, recordId, toggle } from './shared-members.ts'

/** Read by the draft's own rules, which name what is wrong. */
const input = Type.Object({}, { additionalProperties: true })
const text = Type.Optional(Type.String())

const fields = {
  file: flag('-f, --file <path>', 'JSON with any of the fields; see docs/custom-checks.md', text),
  name: flag('--name <text>', 'what the check is called', text),
  slug: flag('--slug <text>', 'its short name', text),
  description: flag('--description <text>', 'what it looks at', text),
  type: flag('--type <osquery or external>', 'who runs it', text),
  target: flag('--target <devices or people>', 'what its results are about', text),
  platform: flag(
    '--platform <platforms...>',
    'which devices it runs on: darwin, windows, linux',
    Type.Optional(Type.Array(Type.String())),
  ),
  intervalMinutes: flag('--interval-minutes <number>', 'how often it runs', Type.Optional(Type.Integer())),
  sqlFile: flag('--sql-file <path>', 'the query', text),
  primaryKeyColumn: flag('--primary-key-column <name>', 'the column that tells the issues of a device apart', text),
  primaryKey: flag('--no-primary-key', 'a device has one issue at most', Type.Boolean()),
  issueTitle: flag('--issue-title <text>', 'what is wrong when it fails', text),
  rationaleFile: flag('--rationale-file <path>', 'why it matters, in Markdown', text),
  fixInstructionsFile: flag('--fix-instructions-file <path>', 'what the owner of a device can do, in Markdown', text),
  privacyInfo: flag('--privacy-info <text>', 'what it reads about people', text),
}

export const draftGroup = describeGroup('drafts', {
  create: preparedCommand(
    'create',
    'Create a draft and print its identifier',
    {
      ...fields,
      fromCheck: flag(
        '--from-check <id>',
        'begin as this check of your own, and change it when published',
        Type.Optional(recordId),
      ),
      organization,
    },
    {
      args: Type.Object({ organization: organization.schema, input, fromCheck: Type.Optional(recordId) }),
      prepare: async ({ organization, fromCheck, ...flags }) => ({
        ...{ organization, fromCheck },
        input: await readDraftFlags(flags),
      }),
    },
  ),
  edit: preparedCommand(
    'edit <id>',
    'Change the given fields',
    { id: recordId, ...fields, organization },
    {
      args: Type.Object({ organization: organization.schema, id: recordId, input }),
      prepare: async ({ organization, id, ...flags }) => ({ organization, id, input: await readDraftFlags(flags) }),
    },
  ),
  list: command('list', 'List drafts', { organization }),
  show: command('show <id>', 'Show what a draft still needs', {
    id: recordId,
    json: flag('--json', 'the draft itself, in the form that --file reads', toggle),
    organization,
  }),
  run: command('run <id>', 'Run the SQL on devices now, as a live query, and show their answers as they come', {
    id: recordId,
    devices: flag('--device <ids...>', 'run it on these devices', Type.Array(Type.String(), { minItems: 1 })),
    wait: flag('--wait <seconds>', 'how long to wait for them', Type.Integer({ minimum: 0, maximum: 604_800 }), {
      default: 60,
    }),
    organization,
  }),
  publish: command(
    'publish <id>',
    'Publish a draft as a check, or update its check, and print the identifier of the check',
    { id: recordId, organization },
  ),
  delete: command('delete <id>', 'Delete a draft; the check that was published from it stays', {
    id: recordId,
    organization,
  }),
})
