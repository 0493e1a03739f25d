import type { ErrorCode } from '@muster/contract/errors.ts'
import type { World } from './populate.ts'

export type Write = {
  /** Which record of each collection in the path it is about; PUT takes the one after it. */
  place: number
  body?: (world: World) => unknown
  /** Well-formed bodies that are refused with 422. */
  wrong?: readonly unknown[]
  /** Members of the answer. */
  shows: Record<string, unknown>
  /** What the same request does afterwards: `nothing`, unless given; another entry in the audit log; or an error. Nothing is left for DELETE. */
  again?: 'nothing' | 'audited' | ErrorCode
}

const first = (world: World, collection: string): string => world[collection]?.[0] ?? ''

const change = 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change'

/** How every operation that changes something is asked, by its operationId without `WithPut`. */
export const writes: Readonly<Record<string, Write>> = {
  updateDeviceAuthenticationMode: {
    place: 0,
    body: (world) => ({
      authentication_mode: 'only_registered_owner_or_group_members',
      person_group_ids: [Number(first(world, 'person_groups'))],
    }),
    wrong: [{}, { authentication_mode: 'everyone' }],
    shows: { authentication_mode: 'only_registered_owner_or_group_members' },
  },
  assignDeviceOwner: {
    place: 0,
    body: (world) => ({ person_id: Number(first(world, 'people')) }),
    wrong: [{}, { person_id: 1, person_email: 'ana@acme.example' }, { person_email: 'nobody@acme.example' }],
    shows: {},
  },
  registerDevices: {
    place: 0,
    body: (world) => ({ registrations: [{ device_id: first(world, 'devices'), person_id: first(world, 'people') }] }),
    wrong: [{}, { registrations: [] }, { registrations: [{ device_id: 'x', person_id: '1' }] }],
    shows: { refused: [] },
  },
  previewOwnerList: {
    place: 0,
    body: () => ({ csv: 'serial,email\nNONE,ana@acme.example\n' }),
    wrong: [{}, { csv: '' }, { csv: 'serial,email' }],
    shows: { separator: 'comma', names_line: 1 },
  },
  addPerson: {
    place: 0,
    body: () => ({ name: 'Cleo', email: 'cleo@acme.example' }),
    wrong: [{}, { name: '', email: 'dora@acme.example' }, { name: 'Dora', email: 'dora' }],
    again: 'invalid',
    shows: { is_restored: false },
  },
  restorePerson: { place: 0, shows: { has_registered_device: false } },
  deprovisionPerson: { place: 3, shows: { has_registered_device: false } },
  createCheckRefresh: {
    place: 0,
    body: (world) => ({ check_id: first(world, 'checks') }),
    wrong: [{ check_id: 'x' }, { check_ids: [] }, { check_id: 1, check_ids: [1] }],
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
  decideExemptionRequest: {
    place: 0,
    body: () => ({ status: 'approved', internal_message: 'Until the new laptop comes.' }),
    wrong: [
      {},
      { status: 'approved' },
      { status: 'denied', internal_message: 'No.' },
      { status: 'open', internal_message: 'x' },
    ],
    again: 'request_decided',
    shows: { status: 'approved', internal_explanation: 'Until the new laptop comes.', denial_explanation: null },
  },
  decideRegistrationRequest: {
    place: 0,
    body: () => ({
      status: 'denied',
      end_user_denial_message: 'Not yours.',
      internal_denial_reason: 'Unknown device.',
    }),
    wrong: [{}, { status: 'denied' }, { status: 'pending' }],
    again: 'request_decided',
    shows: { status: 'denied', end_user_denial_note: 'Not yours.', internal_denial_note: 'Unknown device.' },
  },
  createLiveQueryCampaign: {
    place: 0,
    body: (world) => ({
      name: 'Users',
      sql: 'select * from users',
      targeted_device_ids: [Number(first(world, 'devices'))],
    }),
    wrong: [
      {},
      { name: 'x', sql: 'select * from users' },
      { name: 'x', sql: 'selec', target_all_devices: true },
      { name: 'x', sql: 'select * from curl', target_all_devices: true },
      { name: 'x', sql: 'select 1', targeted_device_ids: ['900000000000000001'] },
    ],
    again: 'audited',
    shows: { name: 'Users', tables_used: ['users'], revision: 1, published: true, waiting_devices_count: 1 },
  },
  updateLiveQueryCampaign: {
    place: 0,
    body: () => ({ sql: 'select * from mounts', target_macs: true }),
    wrong: [{ sql: 'drop table users' }, { targeted_device_ids: ['900000000000000001'] }],
    shows: { tables_used: ['mounts'], revision: 2 },
  },
  createSsfStream: {
    place: 0,
    body: () => ({
      name: 'Another',
      delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://a.example.com/' },
    }),
    wrong: [
      { name: 7 },
      { events_requested: 'all' },
      { delivery: { method: 'urn:ietf:rfc:8935' } },
      { ssf_stream: { delivery_type: 'push', aud: 'http://a.example.com/' } },
    ],
    again: 'audited',
    shows: { name: 'Another', aud: 'https://a.example.com/', enabled: true },
  },
  updateSsfStream: {
    place: 0,
    body: () => ({ name: 'Renamed' }),
    wrong: [{ name: '' }, { delivery: { method: 'mail' } }],
    shows: { name: 'Renamed' },
  },
  configureSsfStream: {
    place: 0,
    body: (world) => ({ stream_id: first(world, 'ssf_streams'), name: 'Renamed again', events_requested: [change] }),
    wrong: [{}, { stream_id: '1', name: '' }],
    shows: { name: 'Renamed again' },
  },
  rotateSsfPollToken: {
    place: 1,
    body: () => ({ mode: 'overlap', overlap_seconds: 60 }),
    wrong: [{}, { mode: 'overlap' }, { mode: 'overlap', overlap_seconds: 86_401 }, { mode: 'never' }],
    again: 'audited',
    shows: { delivery_type: 'poll' },
  },
  testSsfStream: {
    place: 1,
    body: () => ({ email: 'nobody@acme.example' }),
    wrong: [{}, { email: 'nobody' }],
    again: 'audited',
    shows: { success: true, response_code: '202' },
  },
  pollOrAcknowledgeSsfStream: {
    place: 4,
    body: () => ({ ack: ['unknown'] }),
    wrong: [{ ack: 'x' }, { maxEvents: -1 }, { setErrs: { x: 'y' } }],
    shows: { sets: {} },
  },
  setSsfStreamStatus: {
    place: 0,
    body: (world) => ({ stream_id: first(world, 'ssf_streams'), status: 'enabled', reason: 'Back again' }),
    wrong: [{}, { stream_id: '1', status: 'on' }],
    shows: { status: 'enabled', reason: 'Back again' },
  },
  verifySsfStream: {
    place: 0,
    body: (world) => ({ stream_id: first(world, 'ssf_streams'), state: 'x' }),
    wrong: [{}, { stream_id: '1', state: 7 }],
    shows: {},
  },
  moveSsfStream: { place: 1, shows: { iss: 'https://muster.test' } },
  deleteSsfStream: { place: 2, shows: {} },
  removeSsfStream: { place: 3, shows: {} },
  replaySsfStreamEvents: {
    place: 0,
    body: () => ({ from: '2026-11-20', to: '2026-11-21', states: ['rejected'] }),
    wrong: [{}, { jtis: [] }, { jtis: ['x'], from: '2026-11-20' }, { from: 'soon', to: '2026-11-21' }],
    shows: { next_after_id: null },
  },
  createWebhookEndpoint: {
    place: 0,
    body: () => ({ url: 'https://hooks.example.com/', events: ['issues.new'] }),
    wrong: [{}, { url: 'http://hooks.example.com/', events: ['issues.new'] }, { url: 'https://a.example.com/' }],
    again: 'audited',
    shows: { url: 'https://hooks.example.com/', events: ['issues.new'], enabled: true },
  },
  updateWebhookEndpoint: {
    place: 0,
    body: () => ({ description: 'Another', events: ['issues.resolved'] }),
    wrong: [{ events: [] }, { events: ['webhook.test'] }, { url: 'https://127.0.0.1/' }],
    shows: { description: 'Another', events: ['issues.resolved'] },
  },
  deleteWebhookEndpoint: { place: 3, shows: {} },
  revealWebhookSecret: { place: 0, again: 'audited', shows: {} },
  rollWebhookSecret: {
    place: 0,
    body: () => ({ overlap_seconds: 60 }),
    wrong: [{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }],
    again: 'secret_overlapping',
    shows: { enabled: true },
  },
  testWebhookEndpoint: {
    place: 0,
    body: () => ({ message: 'Does this arrive?' }),
    wrong: [{ message: '' }, { message: 7 }],
    again: 'audited',
    shows: { event: 'webhook.test', state: 'pending' },
  },
  resendWebhookDelivery: { place: 0, again: 'delivery_pending', shows: { state: 'pending', attempts_count: 0 } },
  resendWebhookDeliveries: {
    place: 0,
    body: () => ({ from: '2026-11-20', states: ['failed', 'delivered'] }),
    wrong: [{}, { from: 'soon' }, { from: '2026-11-20', states: ['pending'] }],
    shows: { next_after_id: null },
  },
  deleteLiveQueryCampaign: { place: 2, shows: { revision: 1 } },
  deleteCustomCheckDraft: { place: 0, shows: { published: false } },
  removeDeviceGroupMember: { place: 0, shows: {} },
  deleteDeviceRegistration: { place: 0, again: 'device_not_registered', shows: {} },
  deleteDevice: { place: 3, shows: {} },
}
