import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'
import { createEntraConnection } from '../../sign-in/connections/create-entra-connection.ts'
import { entraWaitSeconds } from '../../sign-in/connections/entra-rules.ts'
import { algorithmOfKeys, keySetFault, readRequestKeys } from '../../sign-in/connections/read-request-keys.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { fieldsOfGiven, type GivenConnection, givenClient, givenEntra } from '../connections/given-connection.ts'
import { type CommandIo, defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignFields } from '../table.ts'

const common = {
  organization: Type.Optional(Type.String()),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  startUrl: Type.Optional(Type.String({ maxLength: 2_000 })),
  isBrowserManaged: Type.Optional(Type.Boolean()),
  /** JSON as data instead of lines. */
  json: Type.Optional(Type.Boolean()),
}

export const addConnectionCommand = defineCommand({
  name: 'add-connection',
  args: Type.Object(
    {
      ...common,
      kind: Type.Enum(['second_step', 'application']),
      redirectUris: Type.Array(Type.String({ maxLength: 2_000 }), { minItems: 1, maxItems: 20 }),
      /** The JSON text of a key set (RFC 7517). */
      requestKeys: Type.Optional(Type.String({ maxLength: 100_000 })),
      isPublic: Type.Optional(Type.Boolean()),
      waitSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 1_800 })),
      upstreamId: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
    },
    { additionalProperties: false },
  ),
  async run({ connection, secrets, config, now }, { organization, requestKeys, json, ...asked }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const keys = requestKeys === undefined ? undefined : readKeys(requestKeys)
    const wanted = { ...asked, ...(keys && { requestKeys: keys }) }
    const made = await transact(connection.db, (tx) =>
      createConnection(tx, secrets, wanted, terminalChange(organizationId, now)),
    )
    await give(io, givenClient(address, made, { ...asked, algorithm: keys && algorithmOfKeys(keys) }), json)
    if (made.clientSecret !== undefined) await io.error('The secret is not shown again.')
    return 0
  },
})

export const addEntraConnectionCommand = defineCommand({
  name: 'add-entra-connection',
  args: Type.Object(
    {
      ...common,
      cloud: Type.Optional(Type.Enum(['global', 'us_government', 'china'])),
      tenantIds: Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: 20 }),
      appId: Type.String({ maxLength: 36 }),
      waitSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: entraWaitSeconds })),
    },
    { additionalProperties: false },
  ),
  async run({ connection, config, now }, { organization, json, cloud = 'global', ...asked }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const made = await transact(connection.db, (tx) =>
      createEntraConnection(tx, { cloud, ...asked }, terminalChange(organizationId, now)),
    )
    await give(io, givenEntra(address, made, asked.name), json)
    await io.error(
      'Enter the reply URL in the app registration, and the client ID and discovery endpoint in the external method.',
    )
    return 0
  },
})

async function give(io: CommandIo, given: GivenConnection, json: boolean | undefined): Promise<void> {
  if (json) return io.write(`${JSON.stringify(given, null, 2)}\n`)
  for (const line of alignFields(fieldsOfGiven(given))) await io.line(line)
}

function readKeys(text: string) {
  try {
    const keys = readRequestKeys(JSON.parse(text))
    if (keys) return keys
  } catch {}
  throw new CommandError(exitCodes.usage, `--request-keys ${keySetFault}`)
}
