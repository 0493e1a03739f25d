import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { readReadiness } from './readiness-queries.ts'

type Confirmation = { organizationId: string; connectionId: string; refusedCount: number | undefined; now: string }

/**
 * Holds whoever turns enforcement on to the number of people who would be refused at this moment. Fails with invalid without a
 * number, and with preview_outdated with another one. A connection that enforces already asks for none.
 */
export async function confirmEnforcement(tx: Tx, confirmation: Confirmation): Promise<void> {
  const { organizationId, connectionId, refusedCount, now } = confirmation
  const connection = await tx
    .selectFrom('signin_connections')
    .select('mode')
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', connectionId)
    .forUpdate()
    .executeTakeFirst()
  if (!connection || connection.mode === 'enforce') return
  const { refused_count: count } = await readReadiness(tx, { organizationId, connectionId, now })
  if (refusedCount === count) return
  if (refusedCount === undefined) {
    const message = `is needed to enforce: ${peopleOf(count)} would be refused today`
    return fail('invalid', { errors: [{ field: 'refused_count', message }] })
  }
  const message = `Now ${peopleOf(count)} would be refused, not ${refusedCount}. Read the report again.`
  return fail('preview_outdated', { message, errors: [{ field: 'refused_count', message }] })
}

const peopleOf = (count: number): string => (count === 1 ? '1 person' : `${count} people`)
