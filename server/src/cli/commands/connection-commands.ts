import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import {
  changeConnection,
  deleteConnection,
  rollConnectionSecret,
} from '../../sign-in/connections/change-connection.ts'
import { listConnections } from '../../sign-in/connections/connection-queries.ts'
import { evidenceOf, readRequestKeys } from '../../sign-in/connections/connection-rules.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'
import { createEntraConnection } from '../../sign-in/connections/create-entra-connection.ts'
import { entraAddresses, entraWaitSeconds } from '../../sign-in/connections/entra-rules.ts'
import { maxPauseMinutes, pauseConnection, resumeConnection } from '../../sign-in/connections/pause-connection.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'

const organization = Type.Optional(Type.String())

export const createConnectionCommand = defineCommand({
  name: 'create-connection',
  args: Type.Object({
    organization,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    redirectUris: Type.Array(Type.String({ maxLength: 2_000 }), { minItems: 1, maxItems: 20 }),
    /** The JSON text of a key set (RFC 7517). */
    requestKeys: Type.Optional(Type.String({ maxLength: 100_000 })),
    startUrl: Type.Optional(Type.String({ maxLength: 2_000 })),
    isPublic: Type.Optional(Type.Boolean()),
    isHintTrusted: Type.Optional(Type.Boolean()),
    isBrowserManaged: Type.Optional(Type.Boolean()),
    waitSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 1_800 })),
    upstreamId: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
  }),
  async run({ connection, secrets, config, now }, { organization: named, requestKeys, ...asked }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const keys = requestKeys === undefined ? undefined : readKeys(requestKeys)
    const wanted = { ...asked, ...(keys && { requestKeys: keys }) }
    const made = await transact(connection.db, (tx) =>
      createConnection(tx, secrets, wanted, terminalChange(organizationId, now)),
    )
    await io.line(`Issuer:        ${address}/signin/oidc`)
    await io.line(`Client ID:     ${made.clientId}`)
    if (made.clientSecret !== undefined) await io.line(`Client secret: ${made.clientSecret}`)
    if (made.clientSecret !== undefined) await io.error('The secret is not shown again.')
    if (!keys && asked.upstreamId === undefined) await io.error(asked.isHintTrusted ? hintNote : unsignedNote)
    return 0
  },
})

export const createEntraConnectionCommand = defineCommand({
  name: 'create-entra-connection',
  args: Type.Object(
    {
      organization,
      name: Type.String({ minLength: 1, maxLength: 200 }),
      cloud: Type.Optional(Type.Enum(['global', 'us_government', 'china'])),
      tenantIds: Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: 20 }),
      appId: Type.String({ maxLength: 36 }),
      startUrl: Type.Optional(Type.String({ maxLength: 2_000 })),
      isBrowserManaged: Type.Optional(Type.Boolean()),
      waitSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: entraWaitSeconds })),
    },
    { additionalProperties: false },
  ),
  async run({ connection, config, now }, { organization: named, cloud = 'global', ...asked }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const made = await transact(connection.db, (tx) =>
      createEntraConnection(tx, { cloud, ...asked }, terminalChange(organizationId, now)),
    )
    const { discoveryUrl, authorizationEndpoint } = entraAddresses(address, made.id)
    await io.line(`Client ID:          ${made.clientId}`)
    await io.line(`Discovery endpoint: ${discoveryUrl}`)
    await io.line(`Reply URL:          ${authorizationEndpoint}`)
    await io.error(
      'Enter the reply URL in the app registration, and the client ID and discovery endpoint in the external method.',
    )
    return 0
  },
})

export const listConnectionsCommand = defineCommand({
  name: 'list-connections',
  args: Type.Object({ organization }),
  async run({ connection, now }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const rows = (await listConnections(connection.db, id)).map((one) => [
      one.id,
      one.name,
      one.mode === 'enforce' && (one.paused_until ?? '') > now ? `paused until ${one.paused_until}` : one.mode,
      one.kind,
      evidenceOf(one),
      one.upstream_id ?? '',
      one.client_id,
    ])
    for (const line of alignColumns(['ID', 'NAME', 'MODE', 'KIND', 'EVIDENCE', 'UPSTREAM', 'CLIENT ID'], rows))
      await io.line(line)
    return 0
  },
})

const connectionId = Type.String({ pattern: '^[0-9]{1,18}$' })

export const setConnectionModeCommand = defineCommand({
  name: 'set-connection-mode',
  args: Type.Object({ organization, id: connectionId, mode: Type.Enum(['enforce', 'observe', 'disabled']) }),
  async run({ connection, config, now }, { organization: named, id, mode }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    if (mode !== 'disabled') await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    await transact(connection.db, (tx) => changeConnection(tx, { id, mode }, terminalChange(organizationId, now)))
    await io.line(`Connection ${id}: ${mode}`)
    return 0
  },
})

export const pauseConnectionCommand = defineCommand({
  name: 'pause-connection',
  args: Type.Object({
    ...{ organization, id: connectionId },
    minutes: Type.Integer({ minimum: 1, maximum: maxPauseMinutes }),
    reason: Type.String({ minLength: 1, maxLength: 200 }),
  }),
  async run({ connection, now }, { organization: named, ...pause }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const context = terminalChange(organizationId, now)
    const { pausedUntil } = await transact(connection.db, (tx) => pauseConnection(tx, pause, context))
    await io.line(`Connection ${pause.id}: paused until ${pausedUntil}`)
    return 0
  },
})

export const resumeConnectionCommand = defineCommand({
  name: 'resume-connection',
  args: Type.Object({ organization, id: connectionId }),
  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, (tx) => resumeConnection(tx, { id }, terminalChange(organizationId, now)))
    await io.line(`Connection ${id}: not paused`)
    return 0
  },
})

export const rollConnectionSecretCommand = defineCommand({
  name: 'roll-connection-secret',
  args: Type.Object({ organization, id: connectionId }),
  async run({ connection, secrets, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const context = terminalChange(organizationId, now)
    const { clientSecret } = await transact(connection.db, (tx) => rollConnectionSecret(tx, secrets, { id }, context))
    await io.line(`Client secret: ${clientSecret}`)
    await io.error('The secret is not shown again, and the earlier one is refused.')
    return 0
  },
})

export const deleteConnectionCommand = defineCommand({
  name: 'delete-connection',
  args: Type.Object({ organization, id: connectionId }),
  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, (tx) => deleteConnection(tx, { id }, terminalChange(organizationId, now)))
    await io.line(`Connection ${id} deleted`)
    return 0
  },
})

const hintNote =
  'Its requests are not signed: only people whose device is registered get in. Give --request-keys to let them register one.'
const unsignedNote =
  'Its requests are not signed, so nobody gets in. Give --request-keys, or --trust-hint if the caller has signed the person in before it asks.'

function readKeys(text: string) {
  try {
    const keys = readRequestKeys(JSON.parse(text))
    if (keys) return keys
  } catch {}
  throw new CommandError(exitCodes.usage, 'Give a JWK set of public keys as --request-keys: {"keys": [...]}')
}
