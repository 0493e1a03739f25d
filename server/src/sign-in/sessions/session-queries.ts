import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { SignInConnection } from '../connections/connection-queries.ts'

export type SignInSession = NonNullable<Awaited<ReturnType<typeof findSession>>>

type Mode = SignInConnection['mode']

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

export type VisitedSession = NonNullable<Awaited<ReturnType<typeof findVisited>>>

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
      'connection.kind',
      'connection.name as application_name',
      'connection.start_url',
      'connection.client_id',
      'connection.is_browser_managed',
      'connection.upstream_id',
      'connection.group_ids',
      'upstream.name as upstream_name',
      'organization.name as organization_name',
    ])
    // A test shows what the connection does once it enforces.
    .select([
      sql<Mode>`case when session.is_test then 'enforce' else connection.mode end`.as('mode'),
      sql<string | null>`case when session.is_test then null else connection.paused_until end`.as('paused_until'),
    ])
    .where('session.organization_id', '=', organizationId)

type Beginning = { organizationId: string; connectionId: string; network: string }

/** How many of a network have begun at a connection since then, in browsers that are not known. */
export async function countBegun(reader: Reader, place: Beginning, since: string): Promise<number> {
  const { organizationId, connectionId, network } = place
  const { count } = await reader
    .selectFrom('signin_sessions')
    .select((build) => build.fn.countAll<string>().as('count'))
    .where(inOrganization('signin_sessions', organizationId))
    .where('connection_id', '=', connectionId)
    .where('network', '=', network)
    .where('is_known_browser', '=', false)
    .where('started_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

type OnDevice = { organizationId: string; deviceId: string }
/** Asked to run since then; a last result from after `countsSince` still counts. */
type Asked = { since: string; countsSince: string }

const mayBlock = sql<boolean>`configuration.remediation_strategy in ('block_immediately', 'warn_then_block')`
const lastRan = sql<
  string | null
>`greatest(result.ran_at, noted.ran_at[array_position(noted.check_ids, refresh.check_id)])`

/** Checks of a device that were asked to run since then and have not run yet. */
const selectPending = (reader: Reader, { organizationId, deviceId }: OnDevice, since: string) =>
  reader
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
    .where('refresh.organization_id', '=', organizationId)
    .where('refresh.device_id', '=', deviceId)
    .where('refresh.requested_at', '>=', since)

/** How many of the checks that wait there are: all, those that may block, and those of these whose last result no longer counts. */
export function countPendingChecks(
  reader: Reader,
  place: OnDevice,
  { since, countsSince }: Asked,
): Promise<{ pending: number; blocking: number; outdated: number }> {
  const isOutdated = sql<boolean>`coalesce(${lastRan}, '-infinity') <= ${countsSince}::timestamptz`
  return selectPending(reader, place, since)
    .select([
      sql<number>`count(*)::int`.as('pending'),
      sql<number>`(count(*) filter (where ${mayBlock}))::int`.as('blocking'),
      sql<number>`(count(*) filter (where ${mayBlock} and ${isOutdated}))::int`.as('outdated'),
    ])
    .executeTakeFirstOrThrow()
}

/** The checks that may block and have not run yet, by name, with when each ran last. */
export const listPendingChecks = (reader: Reader, place: OnDevice, since: string) =>
  selectPending(reader, place, since)
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'refresh.organization_id').onRef('checks.id', '=', 'refresh.check_id'),
    )
    .select(['checks.name', lastRan.as('ran_at')])
    .where(mayBlock)
    .orderBy('checks.name', (order) => order.collate('C'))
    .limit(200)
    .execute()

/** Of a check that blocks no more nothing blocks, also where its issues are yet to be decided again. */
const blocksAt = sql<string | null>`case when ${mayBlock} then issues.blocks_device_at end`

/** The issues of a device that its person is shown, also resolved ones: the soonest to block first, then those that block nobody. */
export const selectShownIssues = (reader: Reader, { organizationId, deviceId }: OnDevice) =>
  reader
    .selectFrom('issues')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .select(['issues.id', 'issues.check_id', blocksAt.as('blocks_device_at')])
    .where(inOrganization('issues', organizationId))
    .where('issues.device_id', '=', deviceId)
    .where('issues.exempted', '=', false)
    .where('configuration.paused_at', 'is', null)
    .where('configuration.remediation_strategy', '<>', 'report_only')
    .orderBy(sql`${blocksAt} asc nulls last`)
    .orderBy('issues.id')
    .limit(500)

export const listIssues = (reader: Reader, organizationId: string, deviceId: string) =>
  selectShownIssues(reader, { organizationId, deviceId }).where('issues.resolved_at', 'is', null).execute()
