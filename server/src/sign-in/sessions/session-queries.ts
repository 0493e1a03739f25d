import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

export type SignInSession = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** A sign-in with the connection that it came through. */
export function findSession(reader: Reader, organizationId: string, id: string) {
  return withConnection(reader, organizationId).where('session.id', '=', id).executeTakeFirst()
}

/** As much of a sign-in as shows whose browser it is in. */
export const findVisited = (reader: Reader, organizationId: string, id: string) =>
  reader
    .selectFrom('signin_sessions')
    .select(['organization_id', 'id', 'cookie_hash'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()

/** The same, which no one else changes until the transaction ends. */
export const lockSession = (tx: Reader, organizationId: string, id: string) =>
  withConnection(tx, organizationId).where('session.id', '=', id).forUpdate('session').executeTakeFirst()

export const findSessionOfInteraction = (reader: Reader, organizationId: string, uid: string) =>
  withConnection(reader, organizationId).where('session.interaction_uid', '=', uid).executeTakeFirst()

const withConnection = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('signin_sessions as session')
    // Without statistics a join would read all sign-ins of the connection.
    .innerJoinLateral(
      (build) =>
        build
          .selectFrom('signin_connections')
          .selectAll()
          .whereRef('signin_connections.organization_id', '=', 'session.organization_id')
          .whereRef('signin_connections.id', '=', 'session.connection_id')
          .limit(1)
          .as('connection'),
      (join) => join.onTrue(),
    )
    .innerJoin('organizations as organization', 'organization.id', 'session.organization_id')
    .leftJoin('signin_upstreams as upstream', (join) =>
      join
        .onRef('upstream.organization_id', '=', 'connection.organization_id')
        .onRef('upstream.id', '=', 'connection.upstream_id'),
    )
    .selectAll('session')
    .select([
      'connection.mode',
      'connection.paused_until',
      'connection.kind',
      'connection.name as application_name',
      'connection.start_url',
      'connection.client_id',
      'connection.is_browser_managed',
      'connection.upstream_id',
      'upstream.name as upstream_name',
      'organization.name as organization_name',
    ])
    .where('session.organization_id', '=', organizationId)

type Beginning = { organizationId: string; connectionId: string; network: string }

/** How many of a network have begun at a connection since then. */
export async function countBegun(reader: Reader, place: Beginning, since: string): Promise<number> {
  const { organizationId, connectionId, network } = place
  const { count } = await reader
    .selectFrom('signin_sessions')
    .select((build) => build.fn.countAll<string>().as('count'))
    .where(inOrganization('signin_sessions', organizationId))
    .where('connection_id', '=', connectionId)
    .where('network', '=', network)
    .where('started_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Checks of a device that were asked to run since then and have not run yet: all of them, those that may block, and those
 * of these whose last result no longer counts.
 */
export async function countPendingChecks(
  reader: Reader,
  { organizationId, deviceId }: { organizationId: string; deviceId: string },
  { since, countsSince }: { since: string; countsSince: string },
): Promise<{ pending: number; blocking: number; outdated: number }> {
  const mayBlock = sql<boolean>`configuration.remediation_strategy in ('block_immediately', 'warn_then_block')`
  const lastRan = sql`greatest(result.ran_at, noted.ran_at[array_position(noted.check_ids, refresh.check_id)])`
  const isOutdated = sql<boolean>`coalesce(${lastRan}, '-infinity') <= ${countsSince}::timestamptz`
  const row = await reader
    .selectFrom('check_refreshes as refresh')
    .innerJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'refresh.organization_id')
        .onRef('result.device_id', '=', 'refresh.device_id')
        .onRef('result.check_id', '=', 'refresh.check_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'refresh.organization_id')
        .onRef('configuration.check_id', '=', 'refresh.check_id')
        .on('configuration.paused_at', 'is', null),
    )
    .leftJoin('device_check_runs as noted', (join) =>
      join
        .onRef('noted.organization_id', '=', 'refresh.organization_id')
        .onRef('noted.device_id', '=', 'refresh.device_id'),
    )
    .select([
      sql<number>`count(*)::int`.as('pending'),
      sql<number>`(count(*) filter (where ${mayBlock}))::int`.as('blocking'),
      sql<number>`(count(*) filter (where ${mayBlock} and ${isOutdated}))::int`.as('outdated'),
    ])
    .where('refresh.organization_id', '=', organizationId)
    .where('refresh.device_id', '=', deviceId)
    .where('refresh.requested_at', '>=', since)
    .executeTakeFirstOrThrow()
  return row
}

/** What is wrong with a device and blocks it, now or later: the soonest first. */
export const listIssues = (reader: Reader, organizationId: string, deviceId: string) =>
  reader
    .selectFrom('issues')
    .select(['id', 'check_id'])
    .where(inOrganization('issues', organizationId))
    .where('device_id', '=', deviceId)
    .where('resolved_at', 'is', null)
    .where('exempted', '=', false)
    .where('blocks_device_at', 'is not', null)
    .orderBy('blocks_device_at')
    .orderBy('id')
    .limit(100)
    .execute()
