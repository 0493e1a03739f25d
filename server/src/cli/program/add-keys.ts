import { permissions } from '@muster/contract/permissions.ts'
import { type Command, Option } from 'commander'
import { generateKey } from '../../base/secrets/token-format.ts'
import { keyPurposeNames } from '../../keys/key-purposes.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/key-commands.ts')

const permissionOption = () =>
  new Option('--permission <permissions...>', 'what it may change besides').choices(Object.keys(permissions))

export function addKeys(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('API keys')
  keys
    .command('generate')
    .description('Print a new well-formed key, for MUSTER_BOOTSTRAP_API_KEY; needs no server')
    .action(() => shell.io.line(generateKey()))
  keys
    .command('list')
    .description('List the keys')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listKeysCommand, flags))
  keys
    .command('create <name>')
    .description('Create a key and print it; every key can read')
    .option(...organizationFlag)
    .option('--administrator <name>', 'who answers for it (default: you)')
    .addOption(permissionOption())
    .option('--rationale <text>', 'why it may')
    .option('--expires-at <time>', 'when it ends, in ISO 8601, such as 2027-01-31T00:00:00Z (default: never)')
    .action((name, { permission: granted = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).createKeyCommand, { ...flags, name, permissions: granted }),
    )
  const changes = { grant: 'Let a key change more', withdraw: 'Take permissions from a key' } as const
  for (const [change, description] of Object.entries(changes)) {
    keys
      .command(`${change} <id>`)
      .description(`${description}; counts from the next request on, and the audit log says so`)
      .option(...organizationFlag)
      .addOption(permissionOption().makeOptionMandatory())
      .requiredOption('--rationale <text>', 'why')
      .action((id, { permission: named, ...flags }) =>
        runOnData(shell, async () => (await commands()).changePermissionsCommand, {
          ...flags,
          id,
          change,
          permissions: named,
        }),
      )
  }
  keys
    .command('reveal <id>')
    .description('Print a key again; the audit log records it')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).revealKeyCommand, { ...flags, id }))
  keys
    .command('review <id>')
    .description('Keep a key that an administrator without full access created or changed, and remove it from the list')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).reviewKeyCommand, { ...flags, id }))
  keys
    .command('revoke <id>')
    .description('End a key at once')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).revokeKeyCommand, { ...flags, id }))
  addSigningKeys(keys, shell)
}

const signingCommands = () => import('../commands/signing-key-commands.ts')

/** Those that the server signs with: each organization has its own, for each purpose. */
function addSigningKeys(keys: Command, shell: Shell): void {
  keys
    .command('rotate-signing')
    .description('Create a key that signs once everyone who verifies has it, and print its id')
    .option(...organizationFlag)
    .addOption(
      new Option(
        '--purpose <purpose>',
        'what it signs: events of streams, sign-in challenges, ID tokens, or answers to Entra',
      )
        .choices(keyPurposeNames)
        .default('signals'),
    )
    .option(
      '--emergency',
      'let it sign at once, and withdraw the present key, which is no longer trusted, from the key set',
      false,
    )
    .action((flags) => runOnData(shell, async () => (await signingCommands()).rotateSigningKeyCommand, flags))
  keys
    .command('withdraw-signing <id>')
    .description('Remove a key that is no longer trusted from the key set at once; a signing key is replaced')
    .action((kid) => runOnData(shell, async () => (await signingCommands()).withdrawSigningKeyCommand, { kid }))
  keys
    .command('list-signing')
    .description('List the signing keys')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await signingCommands()).listSigningKeysCommand, flags))
}
