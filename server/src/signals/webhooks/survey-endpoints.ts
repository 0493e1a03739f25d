import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** `host` is of its URL, whose path may hold secrets. */
export type TroubledEndpoint = {
  id: string
  host: string
  /** `gone`: it asked to be sent nothing more. The last two were disabled by the service. */
  trouble: 'failing' | 'disabled_failing' | 'disabled_gone'
  since: string
  error: string
}

export type EndpointSurvey = {
  /** Endpoints of all organizations. */
  count: number
  troubledCount: number
  /** Some of them, those in trouble for the longest time first. */
  troubled: TroubledEndpoint[]
}

const maxListed = 5

/** How all webhook endpoints of the deployment stand, for its operator. */
export async function surveyEndpoints(db: Db): Promise<EndpointSurvey> {
  const { rows } = await sql<{ count: number; troubledCount: number }>`
    select count(*)::integer as count, (count(*) filter (where ${isTroubled}))::integer as "troubledCount"
    from ${endpointsWithStandings}`.execute(db)
  const { rows: troubled } = await sql<Omit<TroubledEndpoint, 'host'> & { url: string }>`
    select webhook_endpoints.id, webhook_endpoints.url, coalesce(standing.last_error, '') as error,
      case when webhook_endpoints.disabled_at is null then 'failing'
        else 'disabled_' || webhook_endpoints.disabled_reason end as trouble,
      coalesce(webhook_endpoints.disabled_at, standing.failing_since) as since
    from ${endpointsWithStandings} and ${isTroubled}
    order by since limit ${sql.lit(maxListed)}`.execute(db)
  const [counts = { count: 0, troubledCount: 0 }] = rows
  return { ...counts, troubled: troubled.map(({ url, ...rest }) => ({ ...rest, host: new URL(url).host })) }
}

const endpointsWithStandings = sql`webhook_endpoints
    join webhook_standings as standing
      on standing.organization_id = webhook_endpoints.organization_id and standing.endpoint_id = webhook_endpoints.id
    where webhook_endpoints.deleted_at is null`

const isTroubled = sql`(webhook_endpoints.disabled_reason in ('gone', 'failing')
      or (webhook_endpoints.disabled_at is null and standing.failing_since is not null))`
