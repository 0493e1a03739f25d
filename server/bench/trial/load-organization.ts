import { checksSql } from './load-agents.ts'
import { devicesSql } from './load-devices.ts'
import { issuesSql } from './load-issues.ts'
import { recordsSql } from './load-records.ts'
import { loadResults } from './load-results.ts'
import type { Trial } from './open-trial.ts'

/** An organization in which every list of the API is as long as a large fleet makes it. */
export async function loadOrganization(trial: Trial, devices: number, checks: number): Promise<void> {
  const { organizationId } = trial
  await trial.load(devicesSql(organizationId, devices))
  await trial.load(checksSql(organizationId, checks))
  await loadResults(trial)
  await trial.load(issuesSql(organizationId))
  await trial.load(groupsSql(organizationId))
  await trial.load(auditSql(organizationId, devices))
  for (const text of recordsSql(organizationId, devices)) await trial.load(text)
  await trial.analyze()
}

/** Groups of people and of devices, the first of each with everyone in it. */
const groupsSql = (organizationId: string): string => `
  insert into person_groups (organization_id, name, created_at)
  select ${organizationId}, 'Team ' || n, now() from generate_series(1, 1000) as n;
  insert into person_group_members (organization_id, person_group_id, person_id)
  select ${organizationId}, min(person_groups.id), people.id from person_groups, people
  where person_groups.organization_id = ${organizationId} and people.organization_id = ${organizationId}
  group by people.id;
  insert into device_groups (organization_id, name, description, created_at)
  select ${organizationId}, 'Fleet ' || n, 'Devices of office ' || n, now() from generate_series(1, 1000) as n;
  insert into device_group_members (organization_id, device_group_id, device_id)
  select ${organizationId}, min(device_groups.id), devices.id from device_groups, devices
  where device_groups.organization_id = ${organizationId} and devices.organization_id = ${organizationId}
  group by devices.id;
  update people set deprovisioned_at = now() where organization_id = ${organizationId} and id % 10 = 0
    and not exists (select from devices where devices.registered_owner_id = people.id)`

const auditSql = (organizationId: string, count: number): string => `
  insert into audit_logs (organization_id, timestamp, actor_type, actor_name, description, previous_hash, hash)
  select ${organizationId}, now() - n * interval '1 minute', 'User', 'Admin ' || n % 20,
    'Changed the note of the device "Laptop ' || n || '".', '\\x00', '\\x00'
  from generate_series(1, ${count}) as n`
