import { upstreamProviders } from '@muster/contract/console-upstreams.ts'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { organization, recordId, toggle } from './shared-members.ts'

const clientSecret = flag(
  '--client-secret-file <file>',
  'a file with the client secret that it has given',
  Type.String({ minLength: 1, maxLength: 500 }),
  // Without the line break that editors put at the end.
  { read: async (file) => (await readTextFile(file)).replace(/\r?\n$/, '') },
)

const name = Type.String({ minLength: 1, maxLength: 100 })
const tenant = Type.String({ minLength: 1, maxLength: 253 })
const tenantClaim = flag(
  '--tenant-claim <name>',
  'the claim that names the customer (hd)',
  Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_:/.-]{1,100}$', form: '1 to 100 letters, digits and the signs _ : / . -' }),
  ),
)
const emailDomains = flag(
  '--domain <domain...>',
  'domains of the addresses that it may vouch for',
  Type.Optional(Type.Array(Type.String({ maxLength: 253 }), { maxItems: 50 })),
)
const createsPeople = flag('--create-people', 'add someone of these domains as a person at their first sign-in', toggle)
const signsOut = flag(
  '--sign-out',
  'sign people out there when they sign out of an application; register the sign-out address there first',
  toggle,
)
/** False where it was taken away: a flag and the one that takes it away again have one value. */
const tenantOrNone = Type.Optional(Type.Union([tenant, Type.Literal(false)]))

export const upstreamGroup = describeGroup('upstreams', {
  create: command('create <name>', 'Add an identity provider, and print the redirect address to enter there', {
    name,
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
      Type.Optional(tenant),
    ),
    ...{ tenantClaim, emailDomains, createsPeople, signsOut, organization },
  }),
  list: command('list', 'List the upstream identity providers', { organization }),
  change: preparedCommand(
    'change <id>',
    'Change the given facts of an upstream, from the next sign-in on',
    {
      id: recordId,
      name: flag('--name <name>', 'what people read', Type.Optional(name)),
      tenant: flag('--tenant <value>', 'the customer whose people may sign in', tenantOrNone),
      noTenant: flag('--no-tenant', 'the issuer has one customer alone', tenantOrNone),
      tenantClaim: flag(tenantClaim.flags, 'the claim that names the customer', tenantClaim.schema),
      emailDomains: flag(emailDomains.flags, `${emailDomains.summary}, all of them`, emailDomains.schema),
      createsPeople,
      createsNobody: flag('--no-create-people', 'whoever is unknown gets no further', toggle),
      signsOut,
      signsNobodyOut: flag(
        '--no-sign-out',
        'leave people signed in there when they sign out of an application',
        toggle,
      ),
      organization,
    },
    {
      args: Type.Object({
        ...{ id: recordId, organization: organization.schema, name: Type.Optional(name) },
        ...{ tenant: tenantOrNone, tenantClaim: tenantClaim.schema },
        ...{ emailDomains: emailDomains.schema, createsPeople: toggle, signsOut: toggle },
      }),
      prepare: ({ noTenant: _, createsNobody: __, signsNobodyOut: ___, ...given }) => given,
    },
  ),
  replaceSecret: command('replace-secret <id>', 'Prove Muster to it by another client secret from now on', {
    id: recordId,
    clientSecret,
    organization,
  }),
  delete: command('delete <id>', 'Delete an upstream that no connection uses', { id: recordId, organization }),
})
