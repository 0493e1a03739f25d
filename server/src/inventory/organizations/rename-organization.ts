import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Renaming = { name: string }

const maxNameLength = 200

/** Gives an organization another name; the same name again writes nothing. */
export async function renameOrganization(tx: Tx, change: Renaming, context: ChangeContext): Promise<void> {
  const { organizationId } = context
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
  const changes = [{ field: 'name', from: before, to: name }]
  const description = `Renamed the organization from "${before}" to "${name}".`
  await recordAudit(
    tx,
    { action: 'organization.updated', about: { organization: organizationId }, description, changes },
    context,
  )
}
