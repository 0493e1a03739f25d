import { type Permission, permissions } from '@muster/contract/permissions.ts'
import Type from 'typebox'
import { changePermissions } from '../../access/api-keys/change-permissions.ts'
import { createApiKey } from '../../access/api-keys/create-api-key.ts'
import { listApiKeys } from '../../access/api-keys/queries.ts'
import { revealApiKey } from '../../access/api-keys/reveal-api-key.ts'
import { reviewApiKey } from '../../access/api-keys/review-api-key.ts'
import { revokeApiKey } from '../../access/api-keys/revoke-api-key.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalActor, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'

const organization = Type.Optional(Type.String())

const permissionList = Type.Array(Type.Enum(Object.keys(permissions) as [Permission, ...Permission[]]))

export const createKeyCommand = defineCommand({
  name: 'create-key',
  args: Type.Object({
    organization,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    administrator: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    permissions: permissionList,
    rationale: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  async run({ connection, secrets, now }, args, io) {
    if (args.permissions.length > 0 && args.rationale === undefined) {
      throw new CommandError(exitCodes.usage, 'Permissions to write need a reason: --rationale <text>')
    }
    const actor = terminalActor()
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const { key } = await transact(connection.db, (tx) =>
      createApiKey(
        tx,
        secrets,
        {
          name: args.name,
          responsibleAdministrator: args.administrator ?? actor.name,
          permissions: Object.fromEntries(args.permissions.map((permission) => [permission, args.rationale ?? ''])),
          ...(args.expiresAt !== undefined && { expiresAt: new Date(args.expiresAt).toISOString() }),
        },
        newChange(actor, organizationId, now),
      ),
    )
    await io.line(key)
    return 0
  },
})

export const changePermissionsCommand = defineCommand({
  name: 'change-key-permissions',
  args: Type.Object({
    organization,
    id: Type.String({ pattern: '^[0-9]{1,18}$' }),
    change: Type.Enum(['grant', 'withdraw']),
    permissions: permissionList,
    rationale: Type.String({ minLength: 1, maxLength: 2_000 }),
  }),
  async run({ connection, now }, { organization: named, ...change }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const isChanged = await transact(connection.db, (tx) =>
      changePermissions(tx, change, terminalChange(organizationId, now)),
    )
    await io.line(isChanged ? `Changed the permissions of key ${change.id}` : `Key ${change.id} is so already`)
    return 0
  },
})

export const listKeysCommand = defineCommand({
  name: 'list-keys',
  args: Type.Object({ organization }),
  async run({ connection, now }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const rows = (await listApiKeys(connection.db, id)).map((key) => [
      key.id,
      key.name,
      key.responsible_administrator,
      Object.keys(key.permissions).join(', ') || 'read only',
      key.last_used_at,
      key.expires_at === null ? null : key.expires_at <= now ? `expired ${key.expires_at}` : key.expires_at,
      key.needs_review_since === null ? null : 'to review',
    ])
    const heads = ['ID', 'NAME', 'ADMINISTRATOR', 'PERMISSIONS', 'LAST USED', 'EXPIRES', 'REVIEW']
    for (const line of alignColumns(heads, rows)) await io.line(line)
    return 0
  },
})

export const revealKeyCommand = defineCommand({
  name: 'reveal-key',
  args: Type.Object({ organization, id: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
  async run({ connection, secrets, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const asked = { id }
    await io.line(
      await transact(connection.db, (tx) => revealApiKey(tx, secrets, asked, terminalChange(organizationId, now))),
    )
    return 0
  },
})

export const reviewKeyCommand = defineCommand({
  name: 'review-key',
  args: Type.Object({ organization, id: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const review = { id }
    const wasWaiting = await transact(connection.db, (tx) =>
      reviewApiKey(tx, review, terminalChange(organizationId, now)),
    )
    await io.line(wasWaiting ? `Reviewed key ${id}` : `Key ${id} does not wait for a review`)
    return 0
  },
})

export const revokeKeyCommand = defineCommand({
  name: 'revoke-key',
  args: Type.Object({ organization, id: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, (tx) => revokeApiKey(tx, { id }, terminalChange(organizationId, now)))
    await io.line(`Revoked key ${id}`)
    return 0
  },
})
