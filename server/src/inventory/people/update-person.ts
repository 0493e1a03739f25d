import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

/** What is undefined stays as it is. */
type PersonChange = {
  personId: string
  name?: string | undefined
  email?: string | undefined
  usernames?: string[] | undefined
}

/** Changes who a person is called and reached; an equal repeat writes nothing. Deprovisioned people change, too. */
export async function updatePerson(tx: Tx, change: PersonChange, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { personId } = change
  const before = orNotFound(await lockAny(tx, organizationId, personId))
  const { name = before.name, email = before.email, usernames = before.usernames } = change
  const news = [
    before.name === name ? undefined : `the name from "${before.name}" to "${name}"`,
    before.email === email ? undefined : `the e-mail address from ${before.email} to ${email}`,
  ].filter((text) => text !== undefined)
  if (news.length === 0 && isDeepStrictEqual(before.usernames, usernames)) return
  await tx
    .updateTable('people')
    .set({ name, email, usernames, is_duplicate: sql<boolean>`is_duplicate and email = ${email}` })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .execute()
  if (news.length === 0) return
  const changes = changesBetween(before, { name, email }, ['name', 'email'])
  const description = `Changed ${news.join(' and ')} of the person "${name}".`
  await recordAudit(tx, { action: 'person.updated', about: { person: personId }, description, changes }, context)
}

const lockAny = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select(['name', 'email', 'usernames'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirst()
