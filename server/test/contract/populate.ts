import { sql } from 'kysely'
import { newChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { recordAudit } from '../../src/signals/audit/record-audit.ts'
import type { TestApp } from '../support/app.ts'
import { makeIn } from '../support/make.ts'
import { minute, nameOf, numbers } from './plenty.ts'
import { populateRecords } from './populate-records.ts'
import { populateRequests } from './populate-requests.ts'
import { populateStreams } from './populate-streams.ts'
import { populateWebhooks } from './populate-webhooks.ts'

/** Identifiers by collection: those of the first have something in every list below them. */
export type World = { readonly [collection: string]: readonly string[] }

const types = ['Mac', 'Windows', 'Linux', 'iOS', 'Android', 'Mac', 'Windows', 'Linux', 'Mac'] as const

/** Fills an organization so that each of its lists has several pages of three, with nulls where there may be any. */
export async function populate(harness: TestApp, organizationId: string): Promise<World> {
  const make = makeIn(harness.database)
  const world: Record<string, string[]> = {}
  const keep = (collection: string, id: string) => {
    world[collection] = [...(world[collection] ?? []), id]
    return id
  }

  const people: { id: string }[] = []
  for (const index of numbers) {
    const authenticated = index % 3 === 0 ? null : minute(index)
    const columns = { name: nameOf(index), email: `Person.${index}@acme.example`, last_authenticated_at: authenticated }
    const person = await make.person(organizationId, columns)
    people.push(person)
    keep('people', person.id)
    const gone = { ...columns, email: `gone.${index}@acme.example`, deprovisioned_at: minute(index) }
    keep('deprovisioned_people', (await make.person(organizationId, gone)).id)
  }
  const owner = people[0]?.id ?? ''
  for (const index of numbers) {
    const personIds = index === 0 ? people.map(({ id }) => id) : [owner]
    keep('person_groups', (await make.personGroup(organizationId, { name: `Team ${nameOf(index)}`, personIds })).id)
    const description = index % 2 === 0 ? `For ${nameOf(index)}` : null
    const columns = { name: `Fleet ${nameOf(index)}`, description, created_at: minute(index) }
    keep('device_groups', (await make.deviceGroup(organizationId, columns)).id)
  }
  const [group = ''] = world['device_groups'] ?? []
  const devices = []
  for (const index of numbers) {
    const isPlain = index % 3 === 2
    const type = types[index] ?? 'Mac'
    const device = await make.device(organizationId, {
      name: nameOf(index),
      device_type: type,
      form_factor: type === 'iOS' || type === 'Android' ? 'phone' : 'computer',
      groupIds: [group],
      serial: isPlain ? null : `C02X${index}`,
      hardware_uuid: isPlain ? null : `5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D1${index}`,
      note: isPlain ? null : `Note ${nameOf(index)}`,
      last_authenticated_at: isPlain ? null : minute(index),
      registration_suspended_at: index === 3 ? minute(index) : null,
      identity_conflict_since: index === 4 ? minute(index) : null,
      ...(index === 6
        ? {}
        : { registered_owner_id: (index === 5 ? people[1]?.id : undefined) ?? owner, registered_at: minute(index) }),
    })
    devices.push(device)
    keep('devices', device.id)
  }
  const checks = []
  for (const index of numbers) {
    const configuration = {
      remediation_strategy:
        (['block_immediately', 'warn_then_block', 'report_only'] as const)[index % 3] ?? 'report_only',
    }
    const type = index === 5 ? ('custom' as const) : ('osquery' as const)
    const columns = { name: `Check ${nameOf(index)}`, description: `Looks at ${nameOf(index)}`, slug: `look-${index}` }
    const check = await make.check(organizationId, { ...columns, type, is_provided: type !== 'custom', configuration })
    checks.push(check)
    keep('checks', check.id)
  }
  keep('external_checks', (await make.check(organizationId, { name: 'External', type: 'external' })).id)
  await tagChecks(harness, organizationId, world['checks'] ?? [])
  const [firstDevice, secondDevice, otherDevice] = devices
  const [firstCheck, secondCheck] = checks
  if (!firstDevice || !secondDevice || !otherDevice || !firstCheck || !secondCheck) throw new Error('There are some')
  const keyed = await make.check(organizationId, { name: 'Keyed', slug: 'keyed', primary_key_column: 'user' })
  const rows = ['ada', 'bob'].map((user) => ({ user, KOLIDE_CHECK_STATUS: 'FAIL' }))
  await make.result({ device: firstDevice, check: keyed, rows, at: minute(9) })
  for (const [index, check] of checks.entries()) {
    keep('issues', (await make.issue({ device: firstDevice, check, at: minute(10 + index) })).id)
  }
  await make.issue({ device: secondDevice, check: secondCheck, at: minute(20) })
  await make.issue({ device: otherDevice, check: firstCheck, at: minute(21) })
  await make.result({ device: firstDevice, check: firstCheck, rows: 'PASS', at: minute(40) })
  for (const index of numbers) {
    const actor = {
      type: 'User' as const,
      id: null,
      name: `Admin ${nameOf(index)}`,
      email: 'admin@acme.example',
      source: null,
    }
    const entry = { action: 'records.exported', about: {}, description: `Looked at "${nameOf(index)}".` } as const
    await transact(harness.db, (tx) => recordAudit(tx, entry, newChange(actor, organizationId, minute(index))))
  }
  const [, secondIssue = ''] = world['issues'] ?? []
  await exempt(harness, organizationId, secondIssue)
  const parts = { harness, organizationId, keep, people, devices, issues: world['issues'] ?? [] }
  await populateRequests(parts)
  await populateRecords(parts)
  await populateStreams(parts)
  await populateWebhooks(parts)
  const logs = await harness.db
    .selectFrom('audit_logs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute()
  for (const { id } of logs) keep('audit_logs', id)
  return world
}

/** Tags have no command yet but those of the catalogue. */
async function tagChecks(harness: TestApp, organizationId: string, checkIds: readonly string[]): Promise<void> {
  for (const index of [0, 1, 2]) {
    const { rows } = await sql<{ id: string }>`
      insert into check_tags (organization_id, name, description, color)
      values (${organizationId}, ${`Tag ${nameOf(index)}`}, ${index === 0 ? null : `About ${nameOf(index)}`}, null)
      returning id`.execute(harness.db)
    for (const checkId of checkIds.slice(index, index + 3)) {
      await sql`insert into check_tag_assignments (organization_id, check_id, check_tag_id)
        values (${organizationId}, ${checkId}, ${rows[0]?.id})`.execute(harness.db)
    }
  }
}

const exempt = (harness: TestApp, organizationId: string, issueId: string) =>
  harness.db
    .updateTable('issues')
    .set({ exempted: true, blocks_device_at: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', issueId)
    .execute()
