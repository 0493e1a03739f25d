import { maxEmailLength } from '@muster/contract/email-address.ts'
import Type from 'typebox'
import { command, describeGroup } from '../describe-commands.ts'
import { organization, shortText } from './shared-members.ts'

export const peopleGroup = describeGroup('people', {
  add: command('add <name> <e-mail>', 'Add a person and print the identifier', {
    name: shortText,
    email: Type.String({ maxLength: maxEmailLength }),
    organization,
  }),
})
