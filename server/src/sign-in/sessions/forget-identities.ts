import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

/**
 * Forgets which accounts at identity providers are a person's: the next account with their address is bound to them, as at a
 * first sign-in. Fails with not_found; one who has no account bound is left as they are, without an entry.
 */
export async function forgetIdentities(
  tx: Tx,
  { personId }: { personId: string },
  context: ChangeContext,
): Promise<void> {
  const { organizationId } = context
  const { name } = orNotFound(
    await tx
      .selectFrom('people')
      .select('name')
      .where(inOrganization('people', organizationId))
      .where('id', '=', personId)
      .executeTakeFirst(),
  )
  const forgotten = await tx
    .deleteFrom('person_identities')
    .where(inOrganization('person_identities', organizationId))
    .where('person_id', '=', personId)
    .returning('issuer')
    .execute()
  if (forgotten.length === 0) return
  const accounts = forgotten.length === 1 ? '1 sign-in account' : `${forgotten.length} sign-in accounts`
  const issuers = [...new Set(forgotten.map(({ issuer }) => issuer))].toSorted().map((issuer) => `"${issuer}"`)
  const description = `Forgot ${accounts} of "${name}", given by ${issuers.join(', ')}.`
  await recordAudit(tx, { action: 'person.identities_forgotten', about: { person: personId }, description }, context)
}
