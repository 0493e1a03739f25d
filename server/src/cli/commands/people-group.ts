import { maxEmailLength } from '@muster/contract/email-address.ts'
import { personSearch } from '@muster/contract/people.ts'
import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { listFlags } from '../list-flags.ts'
import { organization, shortText, toggle } from './shared-members.ts'

const named = { person: Type.String(), organization }

export const peopleGroup = describeGroup('people', {
  list: command('list', 'List the people', {
    deprovisioned: flag('--deprovisioned', 'those who were taken out', toggle),
    ...listFlags(personSearch),
  }),
  show: command('show <id-or-e-mail>', 'Show a person', named),
  add: command('add <name> <e-mail>', 'Add a person and print the identifier', {
    name: shortText,
    email: Type.String({ maxLength: maxEmailLength }),
    organization,
  }),
  deprovision: command(
    'deprovision <id-or-e-mail>',
    'Take a person out: they can no longer sign in with a device, and the registrations of their devices end',
    named,
  ),
  restore: command('restore <id-or-e-mail>', 'Restore a deprovisioned person, without registrations', named),
})
