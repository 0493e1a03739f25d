import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { textFields } from '../../compliance/issues/owner-text-queries.ts'
import { type SignInSession, selectShownIssues } from '../sessions/session-queries.ts'

type OnDevice = { organizationId: string; deviceId: string }

export type IssueRow = Awaited<ReturnType<typeof listShownIssues>>[number]

/** What is wrong with a device and what was fixed since then; the order stays when one is fixed. */
export function listShownIssues(reader: Reader, place: OnDevice, since: string) {
  return selectShownIssues(reader, place)
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'issues.organization_id').onRef('checks.id', '=', 'issues.check_id'),
    )
    .innerJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'issues.organization_id')
        .onRef('result.device_id', '=', 'issues.device_id')
        .onRef('result.check_id', '=', 'issues.check_id'),
    )
    .select([
      ...(['issues.title', 'issues.value', 'issues.issue_value', 'issues.issue_key'] as const),
      ...(['issues.resolved_at', 'issues.hold_id', 'checks.name as check_name', 'checks.is_provided'] as const),
      ...(['configuration.snooze_disallowed', 'configuration.exemptions_disallowed'] as const),
      ...(['result.snoozed_at', 'result.snoozed_until'] as const),
      // A run that changed nothing moves on the issue alone.
      sql<string>`greatest(result.ran_at, issues.last_rechecked_at)`.as('ran_at'),
      ...textFields,
    ])
    .where((build) => build.or([build('issues.resolved_at', 'is', null), build('issues.resolved_at', '>=', since)]))
    .execute()
}

/** The requests of a person for exemptions on a device that wait or were denied, the latest first. */
export function listExemptionRequests(reader: Reader, { organizationId, deviceId }: OnDevice, personId: string) {
  return reader
    .selectFrom('exemption_requests as request')
    .innerJoin('exemption_request_issues as asked', (join) =>
      join
        .onRef('asked.organization_id', '=', 'request.organization_id')
        .onRef('asked.exemption_request_id', '=', 'request.id'),
    )
    .select(['request.id', 'request.status', 'request.requested_at', 'request.denial_explanation', 'asked.issue_id'])
    .where('request.organization_id', '=', organizationId)
    .where('request.device_id', '=', deviceId)
    .where('request.person_id', '=', personId)
    .where('request.status', 'in', ['open', 'denied'])
    .orderBy('request.id', 'desc')
    .limit(500)
    .execute()
}

/** The checks that run on a platform, by name. */
export async function listCheckNames(reader: Reader, organizationId: string, platform: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select('checks.name')
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)
    .where('configuration.paused_at', 'is', null)
    .where(sql<boolean>`${platform} = any(checks.platforms)`)
    .orderBy('checks.name', (order) => order.collate('C'))
    .limit(200)
    .execute()
  return rows.map(({ name }) => name)
}

/** How many checks of a device are asked for and have not brought a result. */
export async function countRunningChecks(reader: Reader, { organizationId, deviceId }: OnDevice): Promise<number> {
  const { count } = await reader
    .selectFrom('check_refreshes')
    .select((build) => build.fn.countAll<string>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

type Owned = { organizationId: string; personId: string; deviceType: 'Mac' | 'Linux' | 'Windows' }

/** The devices of a kind that are registered to a person, with when each was last heard of; two at most. */
export function listOwnDevices(reader: Reader, { organizationId, personId, deviceType }: Owned) {
  return reader
    .selectFrom('devices')
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .select(['devices.id', 'devices.name', 'presence.last_seen_at'])
    .where(inOrganization('devices', organizationId))
    .where('devices.registered_owner_id', '=', personId)
    .where('devices.device_type', '=', deviceType)
    .where('devices.deleted_at', 'is', null)
    .limit(2)
    .execute()
}

/** The devices that answered in a sign-in where more than one did, by name. */
export async function listAnswered(reader: Reader, session: SignInSession): Promise<string[]> {
  const rows = await reader
    .selectFrom('devices')
    .select('name')
    .where(inOrganization('devices', session.organization_id))
    .where('id', 'in', session.answered_devices)
    .where('deleted_at', 'is', null)
    .orderBy('name', (order) => order.collate('C'))
    .execute()
  return rows.map(({ name }) => name)
}
