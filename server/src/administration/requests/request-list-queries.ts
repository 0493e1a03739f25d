import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

type Asked = { isWhole: boolean; limit: number }

/** The oldest requests of both kinds, those that wait for a decision or all, with whom and what they are about. */
export async function listRequestsOfBothKinds(reader: Reader, organizationId: string, asked: Asked) {
  const exemptions = await listExemptions(reader, organizationId, asked)
  return [...exemptions, ...(await listRegistrations(reader, organizationId, asked))]
}

export type ListedRequest = Awaited<ReturnType<typeof listRequestsOfBothKinds>>[number]

const listExemptions = (reader: Reader, organizationId: string, { isWhole, limit }: Asked) =>
  reader
    .selectFrom('exemption_requests')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'exemption_requests.organization_id')
        .onRef('people.id', '=', 'exemption_requests.person_id'),
    )
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'exemption_requests.organization_id')
        .onRef('devices.id', '=', 'exemption_requests.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select([
      'exemption_requests.id',
      'exemption_requests.status',
      'exemption_requests.requested_at',
      'exemption_requests.requester_message',
      'exemption_requests.device_id',
    ])
    .select(['people.email as person_email', 'devices.name as device_name'])
    .select(
      sql<number | null>`(
        select count(*)::int from exemption_request_issues as covered
        where covered.organization_id = exemption_requests.organization_id and covered.exemption_request_id = exemption_requests.id
      )`.as('issue_count'),
    )
    .where(inOrganization('exemption_requests', organizationId))
    .$if(!isWhole, (query) => query.where('exemption_requests.status', '=', 'open'))
    .orderBy('exemption_requests.id')
    .limit(limit)
    .execute()

const listRegistrations = (reader: Reader, organizationId: string, { isWhole, limit }: Asked) =>
  reader
    .selectFrom('registration_requests')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'registration_requests.organization_id')
        .onRef('people.id', '=', 'registration_requests.person_id'),
    )
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'registration_requests.organization_id')
        .onRef('devices.id', '=', 'registration_requests.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select([
      'registration_requests.id',
      'registration_requests.status',
      'registration_requests.requested_at',
      'registration_requests.requester_message',
      'registration_requests.device_id',
    ])
    .select(['people.email as person_email', 'devices.name as device_name'])
    .select(sql<number | null>`null::int`.as('issue_count'))
    .where(inOrganization('registration_requests', organizationId))
    .$if(!isWhole, (query) => query.where('registration_requests.status', '=', 'pending'))
    .orderBy('registration_requests.id')
    .limit(limit)
    .execute()
