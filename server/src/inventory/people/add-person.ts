import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

export type NewPerson = { organizationId: string; name: string; email: string; usernames?: string[]; now: string }

/** Adds a person, or finds the one with this e-mail address and brings them back if they were deprovisioned. */
export async function addPerson(tx: Tx, person: NewPerson): Promise<string> {
  const existing = await lockPersonByEmail(tx, person.organizationId, person.email)
  if (existing) {
    if (existing.deprovisioned_at !== null) await reinstate(tx, person.organizationId, existing.id)
    return existing.id
  }
  const { id } = await tx
    .insertInto('people')
    .values({
      organization_id: person.organizationId,
      name: person.name,
      email: person.email,
      usernames: person.usernames ?? [],
      created_at: person.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The person of this address, deprovisioned ones included. */
export const lockPersonByEmail = (tx: Tx, organizationId: string, email: string) =>
  tx
    .selectFrom('people')
    .select(['id', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
    .where(equalsFolded('email', email))
    .orderBy(closestSpelling('email', email), 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

async function reinstate(tx: Tx, organizationId: string, personId: string): Promise<void> {
  await tx
    .updateTable('people')
    .set({ deprovisioned_at: null })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .execute()
}
