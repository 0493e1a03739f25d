import { checkSearch } from '@muster/contract/checks.ts'
import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { listFlags } from '../list-flags.ts'
import { moment, organization, recordId, shortText, toggle } from './shared-members.ts'

const groupList = (flags: string, summary: string) =>
  flag(
    `${flags} <group...>`,
    summary,
    Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 1_000 })),
  )

const configured = {
  check: Type.String(),
  strategy: flag(
    '--strategy <name>',
    'what happens when it fails',
    Type.Optional(Type.Enum(['report-only', 'notify-only', 'warn-then-block', 'block-immediately'])),
  ),
  graceDays: flag(
    '--grace-days <n>',
    'how long warn-then-block warns',
    Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
  ),
  pause: flag('--pause', 'it does not run and blocks nobody', toggle, { conflicts: 'unpause' }),
  unpause: flag('--unpause', 'it runs again', toggle),
  checkedOn: groupList('--checked-on', 'macos, windows, linux, and device groups by name or identifier; or all'),
  notCheckedOn: groupList(
    '--not-checked-on',
    'groups and platforms that are excluded, even if it is checked on them; or none',
  ),
  blocksIn: groupList('--blocks-in', 'groups and platforms; other devices are only notified; or all'),
  neverBlocksIn: groupList(
    '--never-blocks-in',
    'groups and platforms that are never blocked, even if it blocks in them; or none',
  ),
  blocking: flag(
    '--blocking <count>',
    'how many devices this newly blocks; without it, says which',
    Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
  ),
  organization,
}

const oneHold = { id: recordId, organization }

export const checkGroup = describeGroup(
  'checks',
  {
    list: command('list', 'List the checks that are enabled, and your own', listFlags(checkSearch)),
    catalogue: command('catalogue', 'List the checks that come with Muster, and which are enabled', { organization }),
    enable: command('enable <slug>', 'Enable a check of the catalogue and print its identifier', {
      slug: Type.String(),
      organization,
    }),
    delete: command(
      'delete <id>',
      'Delete a check of your own and resolve its issues; those that come with Muster can be paused',
      { id: recordId, organization },
    ),
    addExternal: command(
      'add-external <slug>',
      'Create a check whose results other programs report through the API, and print its identifier',
      {
        slug: Type.String({
          pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
          maxLength: 100,
          form: 'lowercase letters and digits with single dashes between them, such as disk-encryption',
        }),
        name: flag('--name <text>', 'what it is called', shortText),
        organization,
        description: flag('--description <text>', 'what it looks at', Type.Optional(Type.String({ maxLength: 2_000 }))),
        issueTitle: flag(
          '--issue-title <text>',
          'what is wrong when it fails (default: its name)',
          Type.Optional(shortText),
        ),
        fixInstructions: flag(
          '--fix-instructions <markdown>',
          'what the owner of a device can do',
          Type.Optional(Type.String({ maxLength: 20_000 })),
        ),
        primaryKeyColumn: flag(
          '--primary-key-column <name>',
          'the member of a row that tells the issues of a device apart',
          Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        ),
        platforms: flag(
          '--platform <platforms...>',
          'which devices it is about (default: all)',
          Type.Optional(Type.Array(Type.Enum(['darwin', 'windows', 'linux']))),
        ),
      },
    ),
    configure: command(
      'configure <check>',
      'Change what a check, named by identifier or slug, does; without a change, show its configuration',
      configured,
    ),
    setBeginsBlockingOn: preparedCommand(
      'set-begins-blocking-on <check>',
      'Set the time before which a check, named by identifier or slug, blocks nobody',
      {
        check: Type.String(),
        at: flag('--at <time>', 'such as 2026-12-01T00:00:00Z', Type.Optional(moment), { conflicts: 'clear' }),
        clear: flag('--clear', 'no such moment', toggle),
        organization,
      },
      {
        args: Type.Object({
          ...{ organization: organization.schema, check: Type.String() },
          at: Type.Union([moment, Type.Null()]),
        }),
        prepare({ at, clear, ...given }) {
          if ((at === undefined) === (clear === undefined)) throw new InvalidArgumentError('say --at or --clear')
          return { ...given, at: at ?? null }
        },
      },
    ),
    listHolds: command(
      'holds list',
      'List the held blocks, and the discarded ones that still keep a device from being blocked',
      {
        organization,
      },
    ),
    releaseHold: command('holds release <id>', 'Let the held blocks of a check take effect now', oneHold),
    discardHold: command('holds discard <id>', 'Have the held blocks of a check never take effect', oneHold),
  },
  { within: { holds: 'Blocks that are held: too many at once, or because an upgrade changed the check' } },
)
