import type { Static } from 'typebox'
import { changePermissions } from '../../access/api-keys/change-permissions.ts'
import { createApiKey } from '../../access/api-keys/create-api-key.ts'
import { listApiKeys } from '../../access/api-keys/queries.ts'
import { revealApiKey } from '../../access/api-keys/reveal-api-key.ts'
import { reviewApiKey } from '../../access/api-keys/review-api-key.ts'
import { revokeApiKey } from '../../access/api-keys/revoke-api-key.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalActor, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { keyGroup } from './key-group.ts'

export const keyCommands = implement(keyGroup, {
  async list({ connection, now }, args, io) {
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
  },

  async create({ connection, secrets, now }, args, io) {
    const { permissions = [] } = args
    if (permissions.length > 0 && args.rationale === undefined) {
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
          permissions: Object.fromEntries(permissions.map((permission) => [permission, args.rationale ?? ''])),
          ...(args.expiresAt !== undefined && { expiresAt: new Date(args.expiresAt).toISOString() }),
        },
        newChange(actor, organizationId, now),
      ),
    )
    await io.line(key)
  },

  grant: (context, args, io) => changeBy('grant', context, args, io),
  withdraw: (context, args, io) => changeBy('withdraw', context, args, io),

  async reveal(context, { organization: named, id }, io) {
    await io.line(await changeIn(context, named, (tx, change) => revealApiKey(tx, context.secrets, { id }, change)))
  },

  async review(context, { organization: named, id }, io) {
    const review = { id }
    const wasWaiting = await changeIn(context, named, (tx, change) => reviewApiKey(tx, review, change))
    await io.line(wasWaiting ? `Reviewed key ${id}` : `Key ${id} does not wait for a review`)
  },

  async revoke(context, { organization: named, id }, io) {
    await changeIn(context, named, (tx, change) => revokeApiKey(tx, { id }, change))
    await io.line(`Revoked key ${id}`)
  },
})

type Change = Static<typeof keyGroup.commands.grant.args>

async function changeBy(
  change: 'grant' | 'withdraw',
  { connection, now }: CommandContext,
  { organization: named, ...asked }: Change,
  io: CommandIo,
): Promise<number> {
  const { id: organizationId } = await organizationOf(connection.db, named)
  const isChanged = await transact(connection.db, (tx) =>
    changePermissions(tx, { ...asked, change }, terminalChange(organizationId, now)),
  )
  await io.line(isChanged ? `Changed the permissions of key ${asked.id}` : `Key ${asked.id} is unchanged`)
  return 0
}
