import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { moment, organization, recordId, shortText } from './shared-members.ts'

export const enrollmentSecretGroup = describeGroup('enrollment-secrets', {
  list: command('list', 'List the secrets', { organization }),
  create: command('create <name>', 'Create a secret and print it', {
    name: shortText,
    organization,
    personEmail: flag(
      '--person-email <e-mail>',
      'register the devices that use it to this person',
      Type.Optional(Type.String()),
    ),
    expiresAt: flag('--expires-at <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z', Type.Optional(moment)),
  }),
  revoke: command('revoke <id>', 'Stop a secret from enrolling devices', { id: recordId, organization }),
})
