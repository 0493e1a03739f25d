import { command, flag } from '../describe-commands.ts'
import { organization, toggle } from './shared-members.ts'

export const statusDescription = command('status', 'Show how the organization stands', {
  json: flag('--json', 'one line of JSON', toggle),
  organization,
})
