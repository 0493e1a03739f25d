import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/device-commands.ts')

export function addDevices(program: Command, shell: Shell): void {
  const devices = program.command('devices').description('Devices and their registrations')
  devices
    .command('register <id> <person-email>')
    .description('Register a device to a person')
    .option(...organizationFlag)
    .action((id, personEmail, flags) =>
      runOnData(shell, async () => (await commands()).registerDeviceCommand, { ...flags, id, personEmail }),
    )
  devices
    .command('confirm-registration <id>')
    .description('Confirm a registration that a doubtful enrolment suspended')
    .option(...organizationFlag)
    .action((id, flags) =>
      runOnData(shell, async () => (await commands()).confirmRegistrationCommand, { ...flags, id }),
    )
  devices
    .command('restore <id>')
    .description('Bring back a deleted device before it is purged')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).restoreDeviceCommand, { ...flags, id }))
}
