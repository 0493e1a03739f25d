import { isDeepStrictEqual } from 'node:util'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

type PersonChange = {
  organizationId: string
  personId: string
  name: string
  email: string
  usernames: string[]
  actor: Actor
  now: string
}

/** Changes who a person is called and reached; an equal repeat writes nothing. Deprovisioned people change, too. */
export async function updatePerson(tx: Tx, change: PersonChange): Promise<void> {
  const { organizationId, personId, name, email, usernames, actor, now } = change
  const before = orNotFound(await lockAny(tx, organizationId, personId))
  const changes = [
    before.name === name ? undefined : `the name from "${before.name}" to "${name}"`,
    before.email === email ? undefined : `the e-mail address from ${before.email} to ${email}`,
  ].filter((text) => text !== undefined)
  if (changes.length === 0 && isDeepStrictEqual(before.usernames, usernames)) return
  await tx
    .updateTable('people')
    .set({ name, email, usernames })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .execute()
  if (changes.length === 0) return
  const description = `Changed ${changes.join(' and ')} of the person "${name}".`
  await recordAudit(tx, { organizationId, actor, about: { person: personId }, description, now })
}

const lockAny = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select(['name', 'email', 'usernames'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirst()
