import { maxConnectionGroups } from '@muster/contract/console-sign-in.ts'
import Type from 'typebox'
import { entraWaitSeconds } from '../../sign-in/connections/entra-rules.ts'
import { maxPauseMinutes } from '../../sign-in/connections/pause-rules.ts'
import { exitCodes } from '../command-error.ts'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { milliseconds } from '../program/read-duration.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { organization, recordId, shortText, toggle } from './shared-members.ts'

const uri = Type.String({ maxLength: 2_000 })
const keySet = Type.String({ maxLength: 100_000 })
const readKeySource = async (named: string) => (isAddress(named) ? named : readTextFile(named))
/** Whether it is where keys are published, and not the keys. */
export const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

const withoutPkce = 'accept requests with a nonce in place of PKCE; only for an application with a secret'

const common = (minutes: string, maximum: number) => ({
  name: shortText,
  startUrl: flag('--start-url <url>', 'where people open the application again', Type.Optional(uri)),
  isBrowserManaged: flag(
    '--managed-browsers',
    'policies allow the page to ask the agent without the browser asking first',
    toggle,
  ),
  waitSeconds: flag(
    '--wait-minutes <number>',
    `how long it waits for an answer (${minutes})`,
    Type.Optional(Type.Integer({ minimum: 60, maximum })),
    { read: (text) => Math.round(Number(text) * 60) },
  ),
  isEnforcing: flag(
    '--enforce',
    'refuses devices from the first sign-in; without it, the connection observes: it refuses no device',
    toggle,
  ),
  json: flag(
    '--json <file>',
    'what is printed, as JSON in a new file that only you can read; the terminal shows no secret',
    Type.Optional(Type.String()),
  ),
  organization,
})

const client = {
  ...common('1 to 30; 10', 1_800),
  redirectUris: flag(
    '--redirect-uri <url...>',
    'where the answer goes',
    Type.Array(uri, { minItems: 1, maxItems: 20 }),
  ),
  postLogoutRedirectUris: flag(
    '--post-logout-redirect-uri <url...>',
    'where people go after it has signed them out',
    Type.Optional(Type.Array(uri, { minItems: 1, maxItems: 20 })),
  ),
  isPublic: flag('--public', 'it has no secret and proves itself by PKCE', toggle),
}

const intoFile = {
  into: ({ json: path }: { json?: string }) =>
    path === undefined
      ? undefined
      : {
          ...{ path, exitCode: exitCodes.usage },
          note: `${path} has what the caller is set up with. It may hold a secret: keep it safe.`,
        },
}

const tenantId = Type.String({ maxLength: 36 })
const clouds = Type.Enum(['global', 'us_government', 'china'])

/** One command for each kind of caller. */
export const newConnectionGroup = describeGroup(
  'connections',
  {
    secondStep: command(
      'add second-step <name>',
      'An identity provider or application that has signed the person in before it asks',
      {
        ...client,
        requestKeys: flag(
          '--request-keys <file-or-url>',
          'a JWK set of the public keys that sign its requests, of one algorithm, or where it publishes them',
          keySet,
          { read: readKeySource },
        ),
      },
      intoFile,
    ),
    application: command(
      'add application <name>',
      'An application whose people sign in at an upstream identity provider',
      {
        ...client,
        upstreamId: flag(
          '--upstream <id>',
          'where people sign in, whatever its requests say: see muster upstreams',
          recordId,
        ),
        requestKeys: flag(
          '--request-keys <file-or-url>',
          'a JWK set of the public keys that sign its requests, or where it publishes them; others are refused',
          Type.Optional(keySet),
          { read: readKeySource },
        ),
        groupIds: flag(
          '--group <id...>',
          'person groups to name in the claim groups, of those who are in them: see muster groups list',
          Type.Optional(Type.Array(recordId, { minItems: 1, maxItems: maxConnectionGroups })),
        ),
        isWithoutPkce: flag('--without-pkce', withoutPkce, toggle),
      },
      intoFile,
    ),
    entra: command(
      'add entra <name>',
      'An external authentication method (external MFA) of Microsoft Entra',
      {
        ...common('1 to 5; 5', entraWaitSeconds),
        tenantIds: flag(
          '--tenant-id <id...>',
          'the directory (tenant) IDs whose people sign in',
          Type.Array(tenantId, { minItems: 1, maxItems: 20 }),
        ),
        appId: flag('--app-id <id>', 'the application (client) ID of the app registration', tenantId),
        cloud: flag('--cloud <name>', 'which cloud of Microsoft (global)', Type.Optional(clouds)),
      },
      intoFile,
    ),
  },
  { within: { add: 'Add a connection, and print what its caller is set up with, this once' } },
)

const one = { id: recordId, organization }
const addresses = Type.Array(uri, { minItems: 1, maxItems: 20 })
/** False where they were taken away: a flag and the one that takes it away again have one value. */
const addressesOrNone = Type.Optional(Type.Union([addresses, Type.Literal(false)]))

const confirmed = {
  id: recordId,
  confirm: flag(
    '--confirm <name>',
    'the name of the connection; without it, says who is shut out',
    Type.Optional(Type.String({ maxLength: 200 })),
  ),
  organization,
}

export const connectionGroup = describeGroup('connections', {
  list: command('list', 'List the connections with their kinds', { organization }),
  show: command('show <id>', 'Show everything about a connection but its secret', one),
  test: command('test <id>', 'Say whether people can get through a connection now; exits with 1 if not', {
    id: recordId,
    request: flag(
      '--request <file>',
      'judge a signed request of the caller, a JWT, as well; it is not used up',
      Type.Optional(Type.String({ maxLength: 100_000 })),
      { read: readTextFile },
    ),
    organization,
  }),
  change: preparedCommand(
    'change <id>',
    'Change the given facts of a connection, from the next request on',
    {
      id: recordId,
      redirectUris: flag('--redirect-uri <url...>', 'where the answer goes, all of them', Type.Optional(addresses)),
      postLogoutRedirectUris: flag(
        '--post-logout-redirect-uri <url...>',
        'where people go after it has signed them out, all of them',
        addressesOrNone,
      ),
      noPostLogoutRedirectUris: flag('--no-post-logout-redirect-uri', 'remove these addresses', addressesOrNone),
      isWithoutPkce: flag('--without-pkce', withoutPkce, toggle),
      isWithPkce: flag('--with-pkce', 'require PKCE of each request', toggle),
      organization,
    },
    {
      args: Type.Object({
        ...{ id: recordId, organization: organization.schema, redirectUris: Type.Optional(addresses) },
        ...{ postLogoutRedirectUris: addressesOrNone, requiresPkce: toggle },
      }),
      prepare: ({ noPostLogoutRedirectUris: _, isWithoutPkce, isWithPkce, ...given }) => ({
        ...given,
        ...((isWithoutPkce || isWithPkce) && { requiresPkce: isWithPkce === true }),
      }),
    },
  ),
  enforce: command('enforce <id>', 'Refuse devices that are blocked', {
    id: recordId,
    refusing: flag(
      '--refusing <count>',
      'how many people would be refused today; without it, says how many and why',
      Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
    ),
    organization,
  }),
  observe: command('observe <id>', 'Let everyone in who is known, and write down who would be refused', one),
  disable: command('disable <id>', 'Refuse everyone', confirmed),
  pause: command('pause <id>', 'Let known people in without the check of their device for a while', {
    id: recordId,
    minutes: flag(
      '--for <time>',
      'how long, such as 30m or 4h; a day at most',
      Type.Integer({ minimum: 1, maximum: maxPauseMinutes }),
      { read: (text) => Math.ceil(milliseconds(text) / 60_000) },
    ),
    reason: flag('--reason <text>', 'why, for the audit log', shortText),
    organization,
  }),
  resume: command('resume <id>', 'End a pause before its time', one),
  rollSecret: command('roll-secret <id>', 'Replace the client secret and print the new one, this once', one),
  delete: command('delete <id>', 'Delete a connection', confirmed),
})

export const connectionGroups = [newConnectionGroup, connectionGroup]
