import type { registrationRequestSearch } from '@muster/contract/registration-requests.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  status: { column: 'registration_requests.status', type: 'text' },
  requested_at: { column: 'registration_requests.requested_at', type: 'timestamptz' },
  requester_message: { column: 'registration_requests.requester_message', type: 'text' },
} satisfies SearchColumns<typeof registrationRequestSearch>

const byId: Keyset = { id: { column: 'registration_requests.id', type: 'bigint' }, direction: 'asc' }

/** A deleted device takes its requests out of sight until it is restored. */
const fromRegistrationRequests = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('registration_requests')
    .select([
      'registration_requests.id',
      'registration_requests.status',
      'registration_requests.requester_message',
      'registration_requests.internal_note',
      'registration_requests.end_user_denial_note',
      'registration_requests.requested_at',
      'registration_requests.withdrawn_at',
      'registration_requests.person_id',
      'registration_requests.device_id',
    ])
    .where(inOrganization('registration_requests', organizationId))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('devices')
            .select('devices.id')
            .whereRef('devices.organization_id', '=', 'registration_requests.organization_id')
            .whereRef('devices.id', '=', 'registration_requests.device_id')
            .where('devices.deleted_at', 'is not', null),
        ),
      ),
    )

export type RegistrationRequestRow = Awaited<ReturnType<typeof listRegistrationRequests>>[number]

export const listRegistrationRequests = compileList((reader, page: ListPage) =>
  fromRegistrationRequests(reader, page.organizationId).$call(onPage(page, byId, searchColumns)),
)

export const findRegistrationRequest = (reader: Reader, organizationId: string, id: string) =>
  fromRegistrationRequests(reader, organizationId).where('registration_requests.id', '=', id).executeTakeFirst()

type Pair = { organizationId: string; deviceId: string; personId: string }

/** The request by which the person waits for a decision about the device. */
export const findPendingRequest = (reader: Reader, { organizationId, deviceId, personId }: Pair) =>
  reader
    .selectFrom('registration_requests')
    .select('id')
    .where(inOrganization('registration_requests', organizationId))
    .where('device_id', '=', deviceId)
    .where('person_id', '=', personId)
    .where('status', '=', 'pending')
    .executeTakeFirst()
