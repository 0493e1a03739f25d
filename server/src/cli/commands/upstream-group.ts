import { upstreamProviders } from '@muster/contract/console-upstreams.ts'
import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { organization, recordId } from './shared-members.ts'

const clientSecret = flag(
  '--client-secret-file <file>',
  'a file with the client secret that it has given',
  Type.String({ minLength: 1, maxLength: 500 }),
  // Without the line break that editors put at the end.
  { read: async (file) => (await readTextFile(file)).replace(/\r?\n$/, '') },
)

export const upstreamGroup = describeGroup('upstreams', {
  create: command('create <name>', 'Add an identity provider, and print the redirect address to enter there', {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    provider: flag(
      '--provider <product>',
      'which product it is; oidc is any other',
      Type.Optional(Type.Enum([...upstreamProviders])),
    ),
    issuer: flag('--issuer <url>', 'its issuer; known of google', Type.Optional(Type.String({ maxLength: 500 }))),
    clientId: flag('--client-id <id>', 'what it calls Muster', Type.String({ minLength: 1, maxLength: 255 })),
    clientSecret,
    tenant: flag(
      '--tenant <value>',
      'the customer whose people may sign in: the domain of Google Workspace',
      Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    ),
    tenantClaim: flag(
      '--tenant-claim <name>',
      'the claim that names the customer (hd)',
      Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_:/.-]{1,100}$' })),
    ),
    emailDomains: flag(
      '--domain <domain...>',
      'domains of the addresses that it may vouch for',
      Type.Optional(Type.Array(Type.String({ maxLength: 253 }), { maxItems: 50 })),
    ),
    createsPeople: flag(
      '--create-people',
      'add someone of these domains as a person at their first sign-in',
      Type.Optional(Type.Boolean()),
    ),
    organization,
  }),
  list: command('list', 'List the upstream identity providers', { organization }),
  replaceSecret: command('replace-secret <id>', 'Prove Muster to it by another client secret from now on', {
    id: recordId,
    clientSecret,
    organization,
  }),
  delete: command('delete <id>', 'Delete an upstream that no connection uses', { id: recordId, organization }),
})
