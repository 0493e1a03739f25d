import { type AdminPower, limitedPowers, restrictionsLeaving } from '@muster/contract/admin-powers.ts'
import { type AdminPreset, adminPresetNames, adminPresets } from '@muster/contract/admin-presets.ts'
import { adminAccesses } from '@muster/contract/admin-users.ts'
import { type Command, Option } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/admin-commands.ts')

const accessOption = () => new Option('--access <access>', 'what they may do (default: full)').choices(adminAccesses)
const restrictionFlag = ['--restriction <names...>', 'what they may not do, with limited access'] as const
const powerOption = () =>
  new Option('--may <names...>', 'what they may do with limited access').choices(limitedPowers).conflicts('restriction')
const presetOption = () =>
  new Option('--preset <preset>', 'limited access for a kind of work')
    .choices(adminPresetNames)
    .conflicts(['may', 'restriction'])

type Flags = { access?: string; restriction?: string[]; may?: AdminPower[]; preset?: AdminPreset }

/** What the flags say of rights, as the command takes it. */
function rightsOf({ access, restriction, may, preset }: Flags) {
  const powers = preset === undefined ? may : adminPresets[preset].powers
  const restrictions = powers ? restrictionsLeaving(powers) : restriction
  const chosen = powers ? 'limited' : access
  return { ...(chosen !== undefined && { access: chosen }), ...(restrictions && { restrictions }) }
}

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
    .addOption(accessOption())
    .option(...restrictionFlag)
    .addOption(powerOption())
    .addOption(presetOption())
    .action((email, firstName, lastName = '', { access, restriction, may, preset, ...flags }) =>
      runOnData(shell, async () => (await commands()).addAdminCommand, {
        ...flags,
        email,
        firstName,
        lastName,
        access: 'full',
        ...rightsOf({ access, restriction, may, preset }),
      }),
    )
  admins
    .command('update <id>')
    .description('Change what an administrator may do')
    .option(...organizationFlag)
    .addOption(accessOption())
    .option(...restrictionFlag)
    .addOption(powerOption())
    .addOption(presetOption())
    .action((id, { access, restriction, may, preset, ...flags }) =>
      runOnData(shell, async () => (await commands()).updateAdminCommand, {
        ...flags,
        id,
        ...rightsOf({ access, restriction, may, preset }),
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
    .description('Print a one-time link with which an administrator chooses a password for the console')
    .option(...organizationFlag)
    .action((admin, flags) => runOnData(shell, async () => (await commands()).inviteAdminCommand, { ...flags, admin }))
  admins
    .command('reset <id-or-e-mail>')
    .description('Let in an administrator who is locked out: end all sessions and print a link for a new password')
    .option(...organizationFlag)
    .action((admin, flags) => runOnData(shell, async () => (await commands()).resetAdminCommand, { ...flags, admin }))
}
