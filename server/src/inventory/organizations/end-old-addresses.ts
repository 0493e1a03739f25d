import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

/**
 * From here on the organization's keys and SCIM tokens are refused everywhere but at its own address, and addresses
 * that were its own serve nobody. What ended before stays so. Fails with invalid without an address of its own, and
 * while streams have an issuer elsewhere.
 */
export async function endOldAddresses(tx: Tx, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const organization = await tx
    .selectFrom('organizations')
    .select(['base_url', 'old_addresses_ended_at'])
    .where('id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  const { base_url: baseUrl, old_addresses_ended_at: endedAt } = orNotFound(organization)
  if (baseUrl === null) fail('invalid', { message: 'The organization has no base address of its own: set one first.' })
  if (endedAt !== null) return
  const unmoved = await tx
    .selectFrom('ssf_streams')
    .select('name')
    .where(inOrganization('ssf_streams', organizationId))
    .where('deleted_at', 'is', null)
    .where('issuer', '<>', baseUrl)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (unmoved)
    fail('invalid', { message: `The stream "${unmoved.name}" has an issuer elsewhere: move all streams first.` })
  await tx.updateTable('organizations').set({ old_addresses_ended_at: now }).where('id', '=', organizationId).execute()
  await tx
    .updateTable('former_addresses')
    .set({ ended_at: now })
    .where(inOrganization('former_addresses', organizationId))
    .where('ended_at', 'is', null)
    .execute()
  const description = `Ended the old addresses: keys are valid at ${baseUrl} only.`
  await recordAudit(
    tx,
    { action: 'organization.old_addresses_ended', about: { organization: organizationId }, description },
    context,
  )
}
