import { adminAccesses } from '@muster/contract/admin-users.ts'
import { type Command, Option } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/admin-commands.ts')

const accessOption = () => new Option('--access <access>', 'what they may do').choices(adminAccesses)
const restrictionFlag = ['--restriction <names...>', 'what they may not do, with limited access'] as const

export function addAdmins(program: Command, shell: Shell): void {
  const admins = program.command('admins').alias('admin').description('Administrators')
  admins
    .command('list')
    .description('List the administrators')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listAdminsCommand, flags))
  admins
    .command('add <e-mail> <first-name> [last-name]')
    .description('Add an administrator and print the identifier')
    .option(...organizationFlag)
    .addOption(accessOption().default('full'))
    .option(...restrictionFlag)
    .action((email, firstName, lastName = '', { restriction: restrictions = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).addAdminCommand, {
        ...flags,
        email,
        firstName,
        lastName,
        restrictions,
      }),
    )
  admins
    .command('update <id>')
    .description('Change what an administrator may do')
    .option(...organizationFlag)
    .addOption(accessOption())
    .option(...restrictionFlag)
    .action((id, { restriction: restrictions, ...flags }) =>
      runOnData(shell, async () => (await commands()).updateAdminCommand, {
        ...flags,
        id,
        ...(restrictions && { restrictions }),
      }),
    )
  admins
    .command('remove <id>')
    .description('Remove an administrator; the last one with full access stays')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).removeAdminCommand, { ...flags, id }))
  admins
    .command('first-link')
    .description('Print a one-time link for the first administrator, while nobody can sign in to the console')
    .action((flags) => runOnData(shell, async () => (await commands()).firstLinkCommand, flags))
  admins
    .command('invite <id-or-e-mail>')
    .description('Print a one-time link by which an administrator chooses a password for the console')
    .option(...organizationFlag)
    .action((admin, flags) => runOnData(shell, async () => (await commands()).inviteAdminCommand, { ...flags, admin }))
  admins
    .command('reset <id-or-e-mail>')
    .description('Let in an administrator who is locked out: end all sessions and print a link for a new password')
    .option(...organizationFlag)
    .action((admin, flags) => runOnData(shell, async () => (await commands()).resetAdminCommand, { ...flags, admin }))
}
