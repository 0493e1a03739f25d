import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export type KeySurvey = {
  /** Active keys, of all organizations. */
  count: number
  /** Those that an administrator without full access had a part in, and that nobody with full access has reviewed. */
  toReview: number
  expired: number
  /** Within 14 days. */
  expiring: number
}

/** How the API keys of the deployment stand, for its operator. */
export async function surveyKeys(db: Db, now: string): Promise<KeySurvey> {
  const { rows } = await sql<KeySurvey>`
    select count(*)::integer as count,
      (count(*) filter (where needs_review_since is not null))::integer as "toReview",
      (count(*) filter (where expires_at <= ${now}::timestamptz))::integer as expired,
      (count(*) filter (where expires_at > ${now}::timestamptz
        and expires_at <= ${now}::timestamptz + interval '14 days'))::integer as expiring
    from api_keys where revoked_at is null`.execute(db)
  return rows[0] ?? { count: 0, toReview: 0, expired: 0, expiring: 0 }
}
