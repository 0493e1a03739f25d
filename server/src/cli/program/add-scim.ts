import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/scim-commands.ts')

export function addScim(program: Command, shell: Shell): void {
  const scim = program.command('scim').description('Identity providers that provision people and groups')
  scim
    .command('create-token <name>')
    .description('Create a token for an identity provider and print it, this once')
    .option(...organizationFlag)
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).createScimTokenCommand, { ...flags, name }),
    )
  scim
    .command('list-tokens')
    .description('List the tokens')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listScimTokensCommand, flags))
  scim
    .command('revoke-token <id>')
    .description('End a token at once')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).revokeScimTokenCommand, { ...flags, id }))
}
