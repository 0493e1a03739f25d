import { deviceSearch } from '@muster/contract/devices.ts'
import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { listFlags } from '../list-flags.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { moment, organization, recordId, toggle } from './shared-members.ts'

const ofDevice = { id: recordId, organization }
const ofCheckOnDevice = { id: recordId, check: Type.String(), organization }

export const deviceGroup = describeGroup('devices', {
  list: command('list', 'List the devices', listFlags(deviceSearch)),
  register: command('register <id> <person-email>', 'Register a device to a person', {
    id: recordId,
    personEmail: Type.String(),
    organization,
  }),
  assignOwners: command(
    'assign-owners <file>',
    'Register devices to people by a CSV file with serial numbers or hardware UUIDs and e-mail addresses',
    {
      csv: flag('<file>', '', Type.String({ maxLength: 500_000 }), { read: readTextFile }),
      dryRun: flag('--dry-run', 'only print what each line would do', toggle),
      organization,
    },
  ),
  confirmRegistration: command(
    'confirm-registration <id>',
    'Confirm a registration that a doubtful enrollment suspended',
    ofDevice,
  ),
  resolveIdentityConflict: command(
    'resolve-identity-conflict <id>',
    'Let the agent of a device enroll at once after you separated two machines with its identity',
    ofDevice,
  ),
  restore: command('restore <id>', 'Restore a deleted device before it is purged', ofDevice),
  merge: command('merge <keep> <other>', 'Merge two records of one machine: the first stays, the second is deleted', {
    id: recordId,
    other: recordId,
    dryRun: flag('--dry-run', 'only print what the merge would do', toggle),
    oneMachine: flag('--one-machine', 'merge although both report and nothing shows that they are one machine', toggle),
    organization,
  }),
  exemptCheck: command('exempt-check <id> <check>', 'Exempt a device from a check, named by identifier or slug', {
    id: recordId,
    check: Type.String(),
    reason: flag(
      '--reason <text>',
      'why; kept with the result and in the audit log',
      Type.String({ minLength: 1, maxLength: 5_000 }),
    ),
    until: flag('--until <time>', 'when it ends, such as 2026-12-31T18:00:00Z (default: never)', Type.Optional(moment)),
    organization,
  }),
  endExemption: command('end-exemption <id> <check>', 'End the exemption of a device from a check', ofCheckOnDevice),
  snooze: command(
    'snooze <id> <check>',
    'Snooze the issues of a check on a device for 24 hours, once in seven days',
    ofCheckOnDevice,
  ),
})
