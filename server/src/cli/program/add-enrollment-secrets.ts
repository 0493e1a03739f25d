import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/enrollment-commands.ts')

export function addEnrollmentSecrets(program: Command, shell: Shell): void {
  const secrets = program.command('enrollment-secrets').description('Secrets with which agents enroll')
  secrets
    .command('list')
    .description('List the secrets')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listEnrollmentSecretsCommand, flags))
  secrets
    .command('create <name>')
    .description('Create a secret and print it')
    .option(...organizationFlag)
    .option('--person-email <e-mail>', 'register the devices that use it to this person')
    .option('--expires-at <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z')
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).createEnrollmentSecretCommand, { ...flags, name }),
    )
  secrets
    .command('revoke <id>')
    .description('Stop a secret from enrolling devices')
    .option(...organizationFlag)
    .action((id, flags) =>
      runOnData(shell, async () => (await commands()).revokeEnrollmentSecretCommand, { ...flags, id }),
    )
}
