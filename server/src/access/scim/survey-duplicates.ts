import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export type DuplicateName = {
  kind: 'person' | 'administrator' | 'SCIM user' | 'SCIM group'
  id: string
  /** The address or name that another one has in another form. */
  name: string
  organization: string
}

export type DuplicateSurvey = {
  /** In all organizations. */
  count: number
  listed: DuplicateName[]
}

const maxListed = 10

/** Records from before names were compared without regard to width, case and form, whose name another one has. */
export async function surveyDuplicates(db: Db): Promise<DuplicateSurvey> {
  const { rows } = await sql<DuplicateName & { count: number }>`
    select same.kind, same.id, same.name, organizations.name as organization, (count(*) over ())::integer as count
    from (
      select organization_id, id, email as name, 'person' as kind from people where is_duplicate
      union all
      select organization_id, id, email, 'administrator' from admin_users where is_duplicate
      union all
      select organization_id, person_id, user_name, 'SCIM user' from scim_users where is_duplicate and deleted_at is null
      union all
      select organization_id, person_group_id, display_name, 'SCIM group' from scim_groups where is_duplicate
    ) as same
    join organizations on organizations.id = same.organization_id
    order by same.organization_id, same.kind collate "C", same.id limit ${sql.lit(maxListed)}`.execute(db)
  return { count: rows[0]?.count ?? 0, listed: rows.map(({ count: _count, ...duplicate }) => duplicate) }
}
