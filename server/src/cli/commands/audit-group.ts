import Type from 'typebox'
import { AuditHead } from '../audit-head.ts'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { organization, recordId } from './shared-members.ts'

const standard = '-'

export const auditGroup = describeGroup('audit', {
  head: command(
    'head',
    'Export the current end of the audit log, to keep outside the database',
    {
      organization,
      output: flag('--output <file>', 'a new file; - is standard output', Type.Optional(Type.String()), {
        default: standard,
      }),
    },
    { into: ({ output = standard }) => (output === standard ? undefined : { path: output }) },
  ),
  why: command('why', 'Print which changes have moved a device from state to state, the latest first', {
    device: flag('--device <id>', 'the device', recordId),
    organization,
  }),
  verify: command(
    'verify',
    'Find the first entry that was changed, removed, added or moved; exits with 1 if there is one',
    {
      organization,
      head: flag(
        '--head <file>',
        'an earlier export, which also tells whether the log was rewritten or cut',
        Type.Optional(AuditHead),
        { read: async (file) => (await import('../audit-head-file.ts')).readAuditHead(file) },
      ),
    },
  ),
})
