import type { Command } from 'commander'
import { readTextFile } from './read-text-file.ts'
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
    .command('assign-owners <file>')
    .description('Register devices to people by a CSV file with serial numbers or hardware UUIDs and e-mail addresses')
    .option('--dry-run', 'only print what each line would do')
    .option(...organizationFlag)
    .action(async (file, flags) => {
      const args = { ...flags, csv: await readTextFile(file) }
      await runOnData(shell, async () => (await commands()).assignOwnersCommand, args)
    })
  devices
    .command('confirm-registration <id>')
    .description('Confirm a registration that a doubtful enrollment suspended')
    .option(...organizationFlag)
    .action((id, flags) =>
      runOnData(shell, async () => (await commands()).confirmRegistrationCommand, { ...flags, id }),
    )
  devices
    .command('resolve-identity-conflict <id>')
    .description('Let the agent of a device enroll at once after you separated two machines with its identity')
    .option(...organizationFlag)
    .action((id, flags) =>
      runOnData(shell, async () => (await commands()).resolveIdentityConflictCommand, { ...flags, id }),
    )
  devices
    .command('restore <id>')
    .description('Restore a deleted device before it is purged')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).restoreDeviceCommand, { ...flags, id }))
  devices
    .command('merge <keep> <other>')
    .description('Merge two records of one machine: the first stays, the second is deleted')
    .option('--dry-run', 'only print what the merge would do')
    .option('--one-machine', 'merge although both report and nothing shows that they are one machine')
    .option(...organizationFlag)
    .action((id, other, flags) =>
      runOnData(shell, async () => (await commands()).mergeDevicesCommand, { ...flags, id, other }),
    )
  addExemptions(devices, shell)
}

function addExemptions(devices: Command, shell: Shell): void {
  devices
    .command('exempt-check <id> <check>')
    .description('Exempt a device from a check, named by identifier or slug')
    .requiredOption('--reason <text>', 'why; kept with the result and in the audit log')
    .option('--until <time>', 'when it ends, such as 2026-12-31T18:00:00Z (default: never)')
    .option(...organizationFlag)
    .action((id, check, flags) =>
      runOnData(shell, async () => (await commands()).exemptCheckCommand, { ...flags, id, check }),
    )
  devices
    .command('end-exemption <id> <check>')
    .description('End the exemption of a device from a check')
    .option(...organizationFlag)
    .action((id, check, flags) =>
      runOnData(shell, async () => (await commands()).endExemptionCommand, { ...flags, id, check }),
    )
  devices
    .command('snooze <id> <check>')
    .description('Snooze the issues of a check on a device for 24 hours, once in seven days')
    .option(...organizationFlag)
    .action((id, check, flags) =>
      runOnData(shell, async () => (await commands()).snoozeCheckCommand, { ...flags, id, check }),
    )
}
