import { permissions } from '@muster/contract/permissions.ts'
import { type Command, Option } from 'commander'
import { generateKey } from '../../api-keys/key-format.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/key-commands.ts')

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
    .description('Make a key and print it; every key can read')
    .option(...organizationFlag)
    .option('--administrator <name>', 'who answers for it (default: you)')
    .addOption(
      new Option('--permission <permissions...>', 'what it may change besides').choices(Object.keys(permissions)),
    )
    .option('--rationale <text>', 'why it may')
    .action((name, { permission: granted = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).createKeyCommand, { ...flags, name, permissions: granted }),
    )
  keys
    .command('reveal <id>')
    .description('Print a key again; the audit log says so')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).revealKeyCommand, { ...flags, id }))
  keys
    .command('revoke <id>')
    .description('End a key at once')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).revokeKeyCommand, { ...flags, id }))
}
