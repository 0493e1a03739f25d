import type { DeviceAuthenticationMode } from '@muster/contract/device-authentication-modes.ts'
import type { Device } from '@muster/contract/devices.ts'
import type { Links } from '../../base/links.ts'
import type { DeviceRow } from './queries.ts'
import { shownState } from './rules.ts'

export function presentDevice(row: DeviceRow, links: Links): Device {
  return {
    id: row.id,
    name: row.name,
    registered_at: row.registered_at,
    last_authenticated_at: row.last_authenticated_at,
    last_seen_at: row.last_seen_at,
    registered_owner_info: links.person(row.registered_owner_id),
    operating_system: row.operating_system,
    hardware_model: row.hardware_model,
    serial: row.serial,
    hardware_uuid: row.hardware_uuid,
    note: row.note,
    auth_state: shownState[row.auth_state],
    will_block_at: row.will_block_at,
    product_image_url: row.product_image_url,
    auth_configuration: row.registered_owner_id === null ? null : presentAuthenticationMode(row),
    device_type: row.device_type,
    form_factor: row.form_factor,
    registration_suspended_at: row.registration_suspended_at,
    agent_version: row.agent_version,
    enrolled_at: row.enrolled_at,
    identity_conflict_since: row.identity_conflict_since,
  }
}

export const presentAuthenticationMode = (row: DeviceRow): DeviceAuthenticationMode => ({
  device_id: row.id,
  authentication_mode: row.authentication_mode,
  person_groups: row.person_groups ?? [],
})
