import { exemptionRequestSearch } from '@muster/contract/exemption-requests.ts'
import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { limit, listFlags } from '../list-flags.ts'
import { organization, recordId, toggle } from './shared-members.ts'

const text = Type.String({ maxLength: 5_000 })
const message = flag('--message <text>', 'why', text)
const note = flag('--note <text>', 'for other administrators; exemptions need one', Type.Optional(text))
const ofRequest = { kind: flag('<kind>', 'which requests', Type.Enum(['exemption', 'registration'])), id: recordId }
const byPerson = { device: recordId, personEmail: Type.String() }

export const requestGroup = describeGroup('requests', {
  list: command('list', 'List what waits for a decision, oldest first', {
    all: flag('--all', 'also what is decided or withdrawn', toggle),
    kind: flag(
      '--kind <kind>',
      'only these; --query and --json are about one kind',
      Type.Optional(Type.Enum(['exemption', 'registration'])),
    ),
    ...listFlags(exemptionRequestSearch),
    limit: flag('--limit <n>', 'at most so many of each kind', limit, { default: 100 }),
  }),
  raiseExemption: command(
    'raise-exemption <device> <person-email>',
    'Ask on behalf of the owner that issues of a device be exempted, and print the identifier',
    {
      ...byPerson,
      issues: flag('--issue <ids...>', 'which issues', Type.Array(recordId, { minItems: 1, maxItems: 100 })),
      message,
      organization,
    },
  ),
  withdraw: command('withdraw <id>', 'Withdraw an open exemption request for the person who made it', {
    id: recordId,
    organization,
  }),
  raiseRegistration: command(
    'raise-registration <device> <person-email>',
    'Ask on behalf of a person that a device be registered to them; a first device is registered at once',
    { ...byPerson, message, organization },
  ),
  approve: command('approve <kind> <id>', 'Approve a request', { ...ofRequest, note, organization }),
  deny: command('deny <kind> <id>', 'Deny a request', {
    ...ofRequest,
    explanation: flag('--explanation <text>', 'why, for the person who made it', text),
    note,
    organization,
  }),
  reopen: command('reopen <kind> <id>', 'Reopen a request; an approved exemption ends', { ...ofRequest, organization }),
})
