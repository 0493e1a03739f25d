import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Candidate } from './plan-sign-in.ts'

const maxCandidates = 1_000

/** People of the organization, once for each device that is registered to them, or once without one. */
export async function listCandidates(reader: Reader, organizationId: string): Promise<Candidate[]> {
  const rows = await reader
    .selectFrom('people')
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'people.organization_id')
        .onRef('devices.registered_owner_id', '=', 'people.id')
        .on('devices.deleted_at', 'is', null),
    )
    .select([
      'people.id as person_id',
      'people.name',
      'devices.id as device_id',
      'devices.name as device_name',
      'devices.auth_state',
    ])
    .where(inOrganization('people', organizationId))
    .where('people.deprovisioned_at', 'is', null)
    .orderBy('people.id')
    .orderBy('devices.id')
    .limit(maxCandidates)
    .execute()
  return rows.map(({ person_id, name, device_id, device_name, auth_state }) => ({
    personId: person_id,
    name,
    device:
      device_id === null || auth_state === null
        ? null
        : { id: device_id, name: device_name ?? '', authState: auth_state },
  }))
}
