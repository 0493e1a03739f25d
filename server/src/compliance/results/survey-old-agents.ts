import { sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'

/** What an upgrade of osquery would settle; the versions that most answers wait for. */
export type OldAgentSurvey = { version: string; checks: number; devices: number }[]

const mostVersions = 5

/** Over all organizations: where nothing is known because osquery is older than a check needs, by the version that it needs. */
export const surveyOldAgents = (reader: Reader): Promise<OldAgentSurvey> =>
  reader
    .selectFrom('check_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'check_results.organization_id')
        .onRef('devices.id', '=', 'check_results.device_id'),
    )
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_results.organization_id')
        .onRef('checks.id', '=', 'check_results.check_id'),
    )
    .select([
      sql<string>`check_results.needs_osquery`.as('version'),
      sql<number>`count(distinct checks.slug)::int`.as('checks'),
      sql<number>`count(distinct devices.id)::int`.as('devices'),
    ])
    .where('check_results.needs_osquery', 'is not', null)
    .where('check_results.status', '=', 'unknown')
    .where('devices.deleted_at', 'is', null)
    .groupBy('check_results.needs_osquery')
    .orderBy('devices', 'desc')
    .orderBy('version')
    .limit(mostVersions)
    .execute()
