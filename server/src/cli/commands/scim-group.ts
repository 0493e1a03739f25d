import { command, describeGroup } from '../describe-commands.ts'
import { organization, recordId, shortText } from './shared-members.ts'

export const scimGroup = describeGroup('scim', {
  createToken: command('create-token <name>', 'Create a token for an identity provider and print it, this once', {
    name: shortText,
    organization,
  }),
  listTokens: command('list-tokens', 'List the tokens', { organization }),
  revokeToken: command('revoke-token <id>', 'End a token at once', { id: recordId, organization }),
})
