import { type Command, Option } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/organization-commands.ts')

export function addOrganizations(program: Command, shell: Shell): void {
  const organizations = program.command('organizations').description('Organizations and their features')
  organizations
    .command('list')
    .description('List the organizations')
    .action(() => runOnData(shell, async () => (await commands()).listOrganizationsCommand, {}))
  organizations
    .command('create <name>')
    .description('Create an organization and print its identifier')
    .option('--without-checks', 'enable none of the catalogue')
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).createOrganizationCommand, { ...flags, name }),
    )
  organizations
    .command('rename <name>')
    .description('Rename an organization')
    .option(...organizationFlag)
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).renameOrganizationCommand, { ...flags, name }),
    )
  organizations
    .command('set-base-url <url>')
    .description('Set the base address of an organization: the issuer of its streams, and where its links lead')
    .requiredOption(...organizationFlag)
    .action((url, flags) => runOnData(shell, async () => (await commands()).setBaseUrlCommand, { ...flags, url }))
  organizations
    .command('end-old-addresses')
    .description('Accept the keys and SCIM tokens of an organization at its own base address only')
    .requiredOption(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).endOldAddressesCommand, flags))
  organizations
    .command('settings')
    .description('Show the settings of an organization, and the defaults')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listSettingsCommand, flags))
  organizations
    .command('set <setting> <value>')
    .description('Change a setting of an organization: days, true or false, or usual')
    .option(...organizationFlag)
    .action((setting, value, flags) =>
      runOnData(shell, async () => (await commands()).setSettingCommand, { ...flags, setting, value }),
    )
  organizations
    .command('set-feature <feature>')
    .description('Switch a feature of the plan on or off')
    .addOption(new Option('--on', 'switch it on').conflicts('off'))
    .addOption(new Option('--off', 'switch it off'))
    .option(...organizationFlag)
    .action((feature, { on, off, organization }, command: Command) => {
      if (on === off) command.error('error: say --on or --off')
      return runOnData(shell, async () => (await commands()).setFeatureCommand, {
        organization,
        feature,
        isOn: on === true,
      })
    })
}
