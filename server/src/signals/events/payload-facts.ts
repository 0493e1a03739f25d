import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { StoredAuthState } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'

export type DeviceFacts = {
  id: string
  name: string
  status: StoredAuthState
  owner: { id: string; name: string; email: string } | null
}
export type CheckFacts = { id: string; name: string; tags: string[] }
export type PayloadFacts = { devices: ReadonlyMap<string, DeviceFacts>; checks: ReadonlyMap<string, CheckFacts> }

const byId = <Facts extends { id: string }>(rows: readonly Facts[]) => new Map(rows.map((row) => [row.id, row]))

/** What payloads say of devices and checks, as it is within the transaction. */
export async function readPayloadFacts(
  tx: Tx,
  organizationId: string,
  wanted: { devices: readonly string[]; checks: readonly string[] },
): Promise<PayloadFacts> {
  return {
    devices: byId(wanted.devices.length === 0 ? [] : await readDevices(tx, organizationId, wanted.devices)),
    checks: byId(wanted.checks.length === 0 ? [] : await readChecks(tx, organizationId, wanted.checks)),
  }
}

async function readDevices(tx: Tx, organizationId: string, ids: readonly string[]): Promise<DeviceFacts[]> {
  const { rows } = await sql<DeviceFacts>`
    select devices.id, devices.name, devices.auth_state as status,
      case when people.id is not null
        then jsonb_build_object('id', people.id::text, 'name', people.name, 'email', people.email) end as owner
    from devices
    left join people on people.organization_id = devices.organization_id and people.id = devices.registered_owner_id
    where ${inOrganization('devices', organizationId)} and devices.id = any(${ids}::bigint[])
  `.execute(tx)
  return rows
}

async function readChecks(tx: Tx, organizationId: string, ids: readonly string[]): Promise<CheckFacts[]> {
  const { rows } = await sql<CheckFacts>`
    select checks.id, checks.name, array(
      select check_tags.name from check_tag_assignments
      join check_tags on check_tags.organization_id = check_tag_assignments.organization_id
        and check_tags.id = check_tag_assignments.check_tag_id
      where check_tag_assignments.organization_id = checks.organization_id and check_tag_assignments.check_id = checks.id
      order by check_tags.name collate "C"
    ) as tags
    from checks where ${inOrganization('checks', organizationId)} and checks.id = any(${ids}::bigint[])
  `.execute(tx)
  return rows
}
