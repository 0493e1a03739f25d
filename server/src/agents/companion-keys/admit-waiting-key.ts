import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { hourMs, plusMs } from '../../base/time.ts'

type EnrollingKey = { organizationId: string; kid: string; enrollmentSecretId: string; now: string }

/** Of the keys that one secret has enrolled within an hour, this many may wait for their link. */
const maxWaiting = 1_000
/** No more than this many enroll at the same moment. */
const maxAtOnce = 100

/**
 * Whether a key may wait for its link: whoever has an enrollment secret may make up any number of machines. A key that was
 * linked once always may.
 */
export async function admitWaitingKey(tx: Tx, key: EnrollingKey): Promise<boolean> {
  const waiting = await countWaiting(tx, key)
  if (waiting < maxWaiting - maxAtOnce || (await wasLinked(tx, key))) return true
  if (waiting >= maxWaiting) return false
  // Only near the limit do enrollments wait for each other, so that each is counted.
  await tx
    .selectFrom('enrollment_secrets')
    .select('id')
    .where(inOrganization('enrollment_secrets', key.organizationId))
    .where('id', '=', key.enrollmentSecretId)
    .forNoKeyUpdate()
    .execute()
  return (await countWaiting(tx, key)) < maxWaiting
}

/** How many others wait, up to the limit. */
async function countWaiting(tx: Tx, { organizationId, kid, enrollmentSecretId, now }: EnrollingKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from companion_keys
      where ${inOrganization('companion_keys', organizationId)} and enrollment_secret_id = ${enrollmentSecretId}::bigint
        and enrolled_at > ${plusMs(now, -hourMs)}::timestamptz and linked_at is null and kid <> ${kid}
      limit ${sql.lit(maxWaiting)}
    ) as waiting`.execute(tx)
  return rows[0]?.count ?? 0
}

async function wasLinked(tx: Tx, { organizationId, kid }: EnrollingKey): Promise<boolean> {
  const found = await tx
    .selectFrom('companion_keys')
    .select('kid')
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .where('linked_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}
