import type { SignInReadiness } from '@muster/contract/console-sign-in.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { readReadiness } from './readiness-queries.ts'

type Asked = { organizationId: string; connectionId: string; now: string }
type Confirmation = Asked & { refusedCount: number | undefined }

/**
 * Whom a connection would refuse at this moment if it enforced, while nobody else changes it; undefined of one that is not there or
 * enforces already, which needs no confirmation.
 */
export async function readBeforeEnforcing(tx: Tx, asked: Asked): Promise<SignInReadiness | undefined> {
  const { organizationId, connectionId } = asked
  const connection = await tx
    .selectFrom('signin_connections')
    .select('mode')
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', connectionId)
    .forUpdate()
    .executeTakeFirst()
  return !connection || connection.mode === 'enforce' ? undefined : readReadiness(tx, asked)
}

/**
 * Holds whoever turns enforcement on to the number of people who would be refused at this moment. Fails with invalid without a
 * number, and with preview_outdated with another one. A connection that enforces already asks for none.
 */
export async function confirmEnforcement(tx: Tx, { refusedCount, ...asked }: Confirmation): Promise<void> {
  const readiness = await readBeforeEnforcing(tx, asked)
  if (!readiness) return
  const { refused_count: count } = readiness
  if (refusedCount === count) return
  if (refusedCount === undefined) {
    const message = `is needed to enforce: ${peopleOf(count)} would be refused today`
    return fail('invalid', { errors: [{ field: 'refused_count', message }] })
  }
  const message = `Now ${peopleOf(count)} would be refused, not ${refusedCount}. Read the report again.`
  return fail('preview_outdated', { message, errors: [{ field: 'refused_count', message }] })
}

const peopleOf = (count: number): string => (count === 1 ? '1 person' : `${count} people`)
