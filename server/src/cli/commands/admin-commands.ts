import type { Static } from 'typebox'
import { addAdminUser } from '../../access/administrators/add-admin-user.ts'
import { listAdminUsers } from '../../access/administrators/queries.ts'
import { removeAdminUser } from '../../access/administrators/remove-admin-user.ts'
import { updateAdminUser } from '../../access/administrators/update-admin-user.ts'
import { firstRunLink } from '../../access/sessions/first-run-link.ts'
import { inviteAdmin } from '../../access/sessions/invite-admin.ts'
import { hasAccounts } from '../../access/sessions/queries.ts'
import { equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { adminGroup } from './admin-group.ts'

type Naming = Static<typeof adminGroup.commands.invite.args>

const giveLink =
  (purpose: 'invite' | 'reset') =>
  async (
    { connection, secrets, config, now }: CommandContext,
    { organization: named, admin }: Naming,
    io: CommandIo,
  ) => {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const adminUserId = await adminOf(connection.db, organizationId, admin)
    const asked = { adminUserId, purpose, baseUrl: config.baseUrl }
    const { url, expiresAt } = await transact(connection.db, (tx) =>
      inviteAdmin(tx, secrets, asked, terminalChange(organizationId, now)),
    )
    await io.line(url)
    await io.error(`The link lets its holder choose a password; it is good once, until ${expiresAt}`)
    return 0
  }

export const adminCommands = implement(adminGroup, {
  async list({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const rows = (await everyAdmin(connection.db, organizationId, now)).map((admin) => [
      admin.id,
      admin.email,
      `${admin.first_name} ${admin.last_name}`.trim(),
      admin.access,
      admin.restrictions.join(', ') || null,
    ])
    for (const line of alignColumns(['ID', 'E-MAIL', 'NAME', 'ACCESS', 'RESTRICTIONS'], rows)) await io.line(line)
  },

  async add(context, { organization: named, lastName = '', access = 'full', ...given }, io) {
    await io.line(
      await changeIn(context, named, (tx, change) => addAdminUser(tx, { ...given, lastName, access }, change)),
    )
  },

  async update(context, { organization: named, ...asked }, io) {
    const isChanged = await changeIn(context, named, (tx, change) => updateAdminUser(tx, asked, change))
    await io.line(isChanged ? `Changed administrator ${asked.id}` : `Administrator ${asked.id} is unchanged`)
  },

  async remove(context, { organization: named, id: asked }, io) {
    await changeIn(context, named, (tx, change) => removeAdminUser(tx, { id: asked }, change))
    await io.line(`Removed administrator ${asked}`)
  },

  async firstLink({ connection, secrets, config, now }, _args, io) {
    const link = await firstRunLink(connection.db, secrets, { baseUrl: config.baseUrl, now })
    if (!link) {
      const reason = (await hasAccounts(connection.db))
        ? 'An administrator can sign in already. Run `muster admins invite <e-mail>` to add others'
        : 'There is no organization yet. Run `muster organizations create <name>` first'
      throw new CommandError(exitCodes.failure, reason)
    }
    await io.line(link.url)
  },

  invite: giveLink('invite'),
  reset: giveLink('reset'),
})

async function everyAdmin(db: Db, organizationId: string, now: string) {
  const limit = 100
  const admins: Awaited<ReturnType<typeof listAdminUsers>> = []
  for (;;) {
    const after = admins.at(-1)?.id
    const page = { organizationId, params: {}, search: undefined, after, limit, order: 'ascending', now } as const
    const rows = await listAdminUsers(db, page)
    admins.push(...rows)
    if (rows.length < limit) return admins
  }
}

/** By identifier or by e-mail address. */
async function adminOf(db: Db, organizationId: string, named: string): Promise<string> {
  const admin = await db
    .selectFrom('admin_users')
    .select('id')
    .where(inOrganization('admin_users', organizationId))
    .where((is) => (/^\d{1,18}$/.test(named) ? is('id', '=', named) : equalsFolded('email', named)))
    .executeTakeFirst()
  return admin?.id ?? notThere(named)
}

const notThere = (named: string): never => {
  throw new CommandError(exitCodes.notFound, `There is no administrator ${named}: muster admins list`)
}
