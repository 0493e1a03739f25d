import { type Permission, permissions } from '@muster/contract/permissions.ts'
import type { Command } from 'commander'
import Type from 'typebox'
import { generateKey } from '../../base/secrets/token-format.ts'
import { keyPurposeNames } from '../../keys/key-purposes.ts'
import { command, describeGroup, flag } from '../describe-commands.ts'
import type { Shell } from '../program/shell.ts'
import { moment, organization, recordId, shortText, toggle } from './shared-members.ts'

const permissionFlag = ['--permission <permissions...>', 'what it may change besides'] as const
const permissionList = Type.Array(Type.Enum(Object.keys(permissions) as [Permission, ...Permission[]]))
const reason = Type.String({ minLength: 1, maxLength: 2_000 })

const change = {
  id: recordId,
  organization,
  permissions: flag(...permissionFlag, permissionList),
  rationale: flag('--rationale <text>', 'why', reason),
}

export const keyGroup = describeGroup('keys', {
  generate(keys: Command, shell: Shell) {
    keys
      .command('generate')
      .description('Print a new well-formed key, for MUSTER_BOOTSTRAP_API_KEY; needs no server')
      .action(() => shell.io.line(generateKey()))
  },
  list: command('list', 'List the keys', { organization }),
  create: command('create <name>', 'Create a key and print it; every key can read', {
    name: shortText,
    organization,
    administrator: flag('--administrator <name>', 'who answers for it (default: you)', Type.Optional(shortText)),
    permissions: flag(...permissionFlag, Type.Optional(permissionList)),
    rationale: flag('--rationale <text>', 'why it may', Type.Optional(reason)),
    expiresAt: flag(
      '--expires-at <time>',
      'when it ends, in ISO 8601, such as 2027-01-31T00:00:00Z (default: never)',
      Type.Optional(moment),
    ),
  }),
  grant: command(
    'grant <id>',
    'Let a key change more; counts from the next request on, and the audit log says so',
    change,
  ),
  withdraw: command(
    'withdraw <id>',
    'Take permissions from a key; counts from the next request on, and the audit log says so',
    change,
  ),
  reveal: command('reveal <id>', 'Print a key again; the audit log records it', { id: recordId, organization }),
  review: command(
    'review <id>',
    'Keep a key that an administrator without full access created or changed, and remove it from the list',
    { id: recordId, organization },
  ),
  revoke: command('revoke <id>', 'End a key at once', { id: recordId, organization }),
})

/** Those that the server signs with: each organization has its own, for each purpose. */
export const signingKeyGroup = describeGroup('keys', {
  rotateSigning: command(
    'rotate-signing',
    'Create a key that signs once everyone who verifies has it, and print its id',
    {
      organization,
      purpose: flag(
        '--purpose <purpose>',
        'what it signs: events of streams, sign-in challenges, ID tokens, or answers to Entra',
        Type.Optional(Type.Enum(keyPurposeNames)),
        { default: 'signals' },
      ),
      emergency: flag(
        '--emergency',
        'let it sign at once, and withdraw the present key, which is no longer trusted, from the key set',
        toggle,
      ),
    },
  ),
  withdrawSigning: command(
    'withdraw-signing <id>',
    'Remove a key that is no longer trusted from the key set at once; a signing key is replaced',
    { kid: Type.String({ minLength: 1, maxLength: 100 }) },
  ),
  listSigning: command('list-signing', 'List the signing keys', { organization }),
})

export const keyGroups = [keyGroup, signingKeyGroup]
