import type { World } from './populate.ts'

export type Write = {
  /** Which record of each collection in the path it is about; PUT takes the one after it. */
  place: number
  body?: (world: World) => unknown
  /** Well-formed bodies that are refused with 422. */
  wrong?: readonly unknown[]
  /** Members of the answer. */
  shows: Record<string, unknown>
}

const first = (world: World, collection: string): string => world[collection]?.[0] ?? ''

/** How every operation that changes something is asked, by its operationId without `WithPut`. */
export const writes: Readonly<Record<string, Write>> = {
  updateDeviceAuthenticationMode: {
    place: 0,
    body: (world) => ({
      authentication_mode: 'only_registered_owner_or_group_members',
      person_group_ids: [Number(first(world, 'person_groups'))],
    }),
    wrong: [{}, { authentication_mode: 'everybody' }],
    shows: { authentication_mode: 'only_registered_owner_or_group_members' },
  },
  createCheckRefresh: {
    place: 0,
    body: (world) => ({ check_id: first(world, 'checks') }),
    wrong: [{}, { check_id: 'x' }],
    shows: {},
  },
  addDeviceGroupMembers: {
    place: 1,
    body: (world) => ({ device_ids: world['devices']?.slice(0, 2) }),
    wrong: [{}, { device_ids: [] }, { device_ids: ['900000000000000001'] }],
    shows: {},
  },
  updateCheckConfiguration: {
    place: 0,
    body: () => ({ remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 3, paused: true }),
    wrong: [{ remediation_strategy: 'scold' }, { block_auth_grace_period_days: -1 }, { targeted_groups: ['mars'] }],
    shows: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 3, paused: true },
  },
  runExternalCheck: {
    place: 0,
    body: (world) => ({ device_id: Number(first(world, 'devices')), check_data: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }),
    wrong: [{}, { device_id: 1, person_id: 1, check_data: {} }, { device_id: 1, check_data: '{' }],
    shows: { status: 'FAIL', person_id: null },
  },
  removeDeviceGroupMember: { place: 0, shows: {} },
  deleteDeviceRegistration: { place: 0, shows: {} },
  deleteDevice: { place: 3, shows: {} },
}
