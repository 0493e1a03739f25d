import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { DemoPerson } from './demo-people.ts'

export type Standing = {
  deviceId: string
  state: 'good' | 'notified' | 'will_block' | 'blocked'
  isRegistered: boolean
  willBlockAt: string | null
  /** Issues that block now. */
  issues: number
}

/** How the devices of the demo stand, by the machine's name. */
export async function listStandings(
  reader: Reader,
  organizationId: string,
  serials: ReadonlyMap<string, string>,
  now: string,
): Promise<Map<Exclude<DemoPerson['seat'], null>, Standing>> {
  const devices = await reader
    .selectFrom('devices')
    .select(['id', 'serial', 'auth_state', 'will_block_at', 'registered_owner_id'])
    .select((build) =>
      build
        .selectFrom('issues')
        .select((count) => count.fn.countAll<string>().as('count'))
        .whereRef('issues.organization_id', '=', 'devices.organization_id')
        .whereRef('issues.device_id', '=', 'devices.id')
        .where('issues.resolved_at', 'is', null)
        .where('issues.exempted', '=', false)
        .where('issues.blocks_device_at', '<=', now)
        .as('blocking'),
    )
    .where(inOrganization('devices', organizationId))
    .where('deleted_at', 'is', null)
    .limit(100)
    .execute()
  const names = new Map([...serials].map(([name, serial]) => [serial, name]))
  return new Map(
    devices.map(
      ({ id, serial, auth_state: state, will_block_at: willBlockAt, registered_owner_id: owner, blocking }) => [
        names.get(serial ?? '') ?? 'this machine',
        { deviceId: id, state, isRegistered: owner !== null, willBlockAt, issues: Number(blocking ?? 0) },
      ],
    ),
  )
}
