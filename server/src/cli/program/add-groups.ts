import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/group-commands.ts')

export function addGroups(program: Command, shell: Shell): void {
  const groups = program.command('groups').description('Groups of devices and of people')
  groups
    .command('create-device-group <name>')
    .description('Create a device group and print its identifier; add devices through the API')
    .option(...organizationFlag)
    .option('--description <text>', 'what it is for')
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).createDeviceGroupCommand, { ...flags, name }),
    )
  groups
    .command('change-device-group <id>')
    .description('Give a device group another name or description')
    .option(...organizationFlag)
    .option('--name <name>', 'what it is called')
    .option('--description <text>', 'what it is for; blank for nothing')
    .action((group, flags, command: Command) => {
      if (flags.name === undefined && flags.description === undefined) {
        command.error('error: say --name or --description')
      }
      return runOnData(shell, async () => (await commands()).changeDeviceGroupCommand, { ...flags, group })
    })
  groups
    .command('delete-device-group <id>')
    .description('Delete a device group that no check names; its devices stay')
    .option(...organizationFlag)
    .action((group, flags) =>
      runOnData(shell, async () => (await commands()).deleteDeviceGroupCommand, { ...flags, group }),
    )
  groups
    .command('create-person-group <name>')
    .description('Create a person group and print its identifier')
    .option(...organizationFlag)
    .option('--member <emails...>', 'who is in it')
    .action((name, { member: members = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).createPersonGroupCommand, { ...flags, name, members }),
    )
}
