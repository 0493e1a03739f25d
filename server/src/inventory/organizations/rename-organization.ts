import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

type Renaming = { organizationId: string; name: string; actor: Actor; now: string }

const maxNameLength = 200

/** Gives an organization another name; the same name again writes nothing. */
export async function renameOrganization(tx: Tx, change: Renaming): Promise<void> {
  const { organizationId, actor, now } = change
  const name = change.name.trim()
  const isPlain = name.isWellFormed() && !/\p{Cc}/u.test(name)
  if (name === '' || name.length > maxNameLength || !isPlain) {
    const message = name === '' ? 'must not be blank' : `must be text of at most ${maxNameLength} characters`
    fail('invalid', { errors: [{ field: 'name', message }] })
  }
  const organization = await tx
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  const { name: before } = orNotFound(organization)
  if (before === name) return
  await tx.updateTable('organizations').set({ name }).where('id', '=', organizationId).execute()
  const description = `Renamed the organization from "${before}" to "${name}".`
  await recordAudit(tx, { organizationId, actor, about: { organization: organizationId }, description, now })
}
