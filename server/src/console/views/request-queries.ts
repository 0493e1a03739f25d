import type { RequestViewFilter } from '@muster/contract/console-issues.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

type Covered = {
  id: string
  title: string
  issue_value: string | null
  blocks_at: string | null
  resolved_at: string | null
}

const instant = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

const covered = sql<Covered[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', id::text, 'title', title, 'issue_value', issue_value,
    'blocks_at', ${instant('blocks_device_at')}, 'resolved_at', ${instant('resolved_at')}) order by id), '[]')
  from (
    select issues.id, issues.title, left(issues.issue_value, 500) as issue_value, issues.blocks_device_at, issues.resolved_at
    from exemption_request_issues as link
    join issues on issues.organization_id = link.organization_id and issues.id = link.issue_id
    where link.organization_id = exemption_requests.organization_id and link.exemption_request_id = exemption_requests.id
    order by issues.id limit 50
  ) as listed
)`

export type ExemptionRequestViewRow = Awaited<ReturnType<typeof listExemptionRequestViews>>[number]

const newestExemption: Keyset = { id: { column: 'exemption_requests.id', type: 'bigint' }, direction: 'desc' }
const newestRegistration: Keyset = { id: { column: 'registration_requests.id', type: 'bigint' }, direction: 'desc' }

const exemptionRequests = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('exemption_requests')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'exemption_requests.organization_id')
        .onRef('devices.id', '=', 'exemption_requests.device_id'),
    )
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'exemption_requests.organization_id')
        .onRef('people.id', '=', 'exemption_requests.person_id'),
    )
    .select([
      'exemption_requests.id',
      'exemption_requests.status',
      'exemption_requests.requested_at',
      'exemption_requests.decided_at',
      'exemption_requests.requester_message as message',
      'exemption_requests.internal_explanation as internal_note',
      'exemption_requests.denial_explanation as denial_note',
      'people.id as person_id',
      'people.name as person_name',
      'devices.id as device_id',
      'devices.name as device_name',
      covered.as('issues'),
    ])
    .where(inOrganization('exemption_requests', organizationId))
    .where('devices.deleted_at', 'is', null)

/** Newest first. */
export const listExemptionRequestViews = (reader: Reader, page: ListPage, { status }: RequestViewFilter) =>
  exemptionRequests(reader, page.organizationId)
    .$if(status !== undefined, (query) =>
      query.where('exemption_requests.status', '=', status === 'waiting' ? 'open' : (status ?? 'open')),
    )
    .$call(nextRows(newestExemption, page.after, page.limit))
    .execute()

export const findExemptionRequestView = (reader: Reader, organizationId: string, id: string) =>
  exemptionRequests(reader, organizationId).where('exemption_requests.id', '=', id).executeTakeFirst()

export type RegistrationRequestViewRow = Awaited<ReturnType<typeof listRegistrationRequestViews>>[number]

/** For the API a request that was taken back is denied. */
const statusOfRegistration = sql<'pending' | 'approved' | 'denied' | 'withdrawn'>`case
  when registration_requests.withdrawn_at is not null then 'withdrawn' else registration_requests.status end`
const statusFor = { waiting: 'pending', approved: 'approved', denied: 'denied', withdrawn: 'denied' } as const

const registrationRequests = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('registration_requests')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'registration_requests.organization_id')
        .onRef('devices.id', '=', 'registration_requests.device_id'),
    )
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'registration_requests.organization_id')
        .onRef('people.id', '=', 'registration_requests.person_id'),
    )
    .leftJoin('ended_registrations as ended', (join) =>
      join
        .onRef('ended.organization_id', '=', 'registration_requests.organization_id')
        .onRef('ended.device_id', '=', 'registration_requests.device_id')
        .onRef('ended.person_id', '=', 'registration_requests.person_id'),
    )
    .leftJoin('people as owner', (join) =>
      join
        .onRef('owner.organization_id', '=', 'devices.organization_id')
        .onRef('owner.id', '=', 'devices.registered_owner_id'),
    )
    .select([
      'registration_requests.id',
      'registration_requests.requested_at',
      'registration_requests.decided_at',
      'registration_requests.requester_message as message',
      'registration_requests.internal_note',
      'registration_requests.end_user_denial_note as denial_note',
      'people.id as person_id',
      'people.name as person_name',
      'devices.id as device_id',
      'devices.name as device_name',
      ...(['devices.hardware_model', 'devices.serial', 'devices.operating_system'] as const),
      ...(['devices.registration_suspended_at', 'registration_requests.evidence'] as const),
      ...(['ended.ended_at', 'ended.ended_by'] as const),
      'owner.id as owner_id',
      'owner.name as owner_name',
    ])
    .select(statusOfRegistration.as('status'))
    .where(inOrganization('registration_requests', organizationId))
    .where('devices.deleted_at', 'is', null)

/** Newest first. */
export const listRegistrationRequestViews = (reader: Reader, page: ListPage, { status }: RequestViewFilter) =>
  registrationRequests(reader, page.organizationId)
    .$if(status !== undefined, (query) =>
      query
        .where('registration_requests.status', '=', statusFor[status ?? 'waiting'])
        .$if(status === 'withdrawn', (withdrawn) =>
          withdrawn.where('registration_requests.withdrawn_at', 'is not', null),
        )
        .$if(status === 'denied', (denied) => denied.where('registration_requests.withdrawn_at', 'is', null)),
    )
    .$call(nextRows(newestRegistration, page.after, page.limit))
    .execute()

export const findRegistrationRequestView = (reader: Reader, organizationId: string, id: string) =>
  registrationRequests(reader, organizationId).where('registration_requests.id', '=', id).executeTakeFirst()

const living = sql<boolean>`not exists (select from devices where devices.organization_id = asked.organization_id
  and devices.id = asked.device_id and devices.deleted_at is not null)`

export async function countWaiting(reader: Reader, organizationId: string) {
  const [exemptions, registrations] = await Promise.all([
    reader
      .selectFrom('exemption_requests as asked')
      .select(sql<number>`count(*)::int`.as('count'))
      .where(sql<boolean>`asked.organization_id = ${organizationId}::bigint`)
      .where('asked.status', '=', 'open')
      .where(living)
      .executeTakeFirstOrThrow(),
    reader
      .selectFrom('registration_requests as asked')
      .select(sql<number>`count(*)::int`.as('count'))
      .where(sql<boolean>`asked.organization_id = ${organizationId}::bigint`)
      .where('asked.status', '=', 'pending')
      .where(living)
      .executeTakeFirstOrThrow(),
  ])
  return { exemptions: exemptions.count, registrations: registrations.count }
}
