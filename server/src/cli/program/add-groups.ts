import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/group-commands.ts')

export function addGroups(program: Command, shell: Shell): void {
  const groups = program.command('groups').description('Groups of devices and of people')
  groups
    .command('create-device-group <name>')
    .description('Make a device group and print its identifier; the API adds devices to it')
    .option(...organizationFlag)
    .option('--description <text>', 'what it is for')
    .action((name, flags) =>
      runOnData(shell, async () => (await commands()).createDeviceGroupCommand, { ...flags, name }),
    )
  groups
    .command('create-person-group <name>')
    .description('Make a person group and print its identifier')
    .option(...organizationFlag)
    .option('--member <emails...>', 'who is in it')
    .action((name, { member: members = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).createPersonGroupCommand, { ...flags, name, members }),
    )
}
