import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export type DoubtfulDevice = {
  id: string
  name: string
  organization: string
  /** Its registration waits to be confirmed, or two agents take turns enrolling as the device. */
  doubt: 'suspended' | 'conflict'
  since: string
}

export type IdentitySurvey = {
  /** Doubts in all organizations. */
  count: number
  /** Some of them, the latest first. */
  listed: DoubtfulDevice[]
}

const maxListed = 10

/** The devices of the deployment whose identity is in doubt, for its operator. */
export async function surveyIdentities(db: Db): Promise<IdentitySurvey> {
  const { rows } = await sql<DoubtfulDevice & { count: number }>`
    select doubts.id, doubts.name, organizations.name as organization, doubts.doubt, doubts.since,
      (count(*) over ())::integer as count
    from (
      select organization_id, id, name, 'suspended' as doubt, registration_suspended_at as since from devices
      where registration_suspended_at is not null and deleted_at is null
      union all
      select organization_id, id, name, 'conflict', identity_conflict_since from devices
      where identity_conflict_since is not null and deleted_at is null
    ) as doubts
    join organizations on organizations.id = doubts.organization_id
    order by doubts.since desc, doubts.id limit ${sql.lit(maxListed)}`.execute(db)
  return { count: rows[0]?.count ?? 0, listed: rows.map(({ count: _count, ...device }) => device) }
}
