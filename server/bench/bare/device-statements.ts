import type { Statement } from './open-rows.ts'

/** The columns, joins and order of `GET /devices`, for one page of 25; `$1` is the organization. */
const page = (condition: string) => `
  select devices.id, devices.name, devices.registered_at, devices.last_authenticated_at, presence.last_seen_at,
    devices.registered_owner_id, devices.operating_system, devices.hardware_model, devices.serial,
    devices.hardware_uuid, devices.note, devices.auth_state, devices.will_block_at, devices.product_image_url,
    devices.authentication_mode, devices.device_type, devices.form_factor,
    case devices.authentication_mode when 'only_registered_owner_or_group_members' then (
      select jsonb_agg(jsonb_build_object('id', person_groups.id::text, 'name', person_groups.name) order by person_groups.id)
      from device_authentication_groups as allowed
      join person_groups on person_groups.organization_id = allowed.organization_id
        and person_groups.id = allowed.person_group_id
      where allowed.organization_id = devices.organization_id and allowed.device_id = devices.id
    ) end as person_groups
  from devices
  left join device_presence as presence
    on presence.organization_id = devices.organization_id and presence.device_id = devices.id
  where devices.organization_id = $1 and devices.deleted_at is null ${condition}
  order by devices.id limit 25`

export const deviceStatements = {
  first: { name: 'first', text: page('') },
  after: { name: 'after', text: page('and devices.id > $2') },
  search: { name: 'search', text: page('and lower(devices.device_type) = lower($2::text)') },
} satisfies Record<string, Statement>
