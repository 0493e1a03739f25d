import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { purgeDevices } from '../../src/administration/registrations/purge-devices.ts'
import { listEnrolledDevices } from '../../src/agents/protocol/enrollment-queries.ts'
import { transact } from '../../src/base/db/transact.ts'
import { settleDueDevices } from '../../src/inventory/devices/settle-due-devices.ts'
import { testApp } from '../support/app.ts'
import { addAdmin, openBrowser } from '../support/console.ts'
import { testOnPostgres } from '../support/database.ts'
import { contextAt, makeIn } from '../support/make.ts'
import { until } from '../support/muster-process.ts'

const app = testApp()
const make = makeIn(app)
const rows = 10_000
const waitMs = 60_000
const tables = ['devices', 'issues', 'auth_logs']

/** Whether every page is known to be visible: it is not while autovacuum reads, and then the planner takes other indexes. */
async function vacuum(): Promise<boolean> {
  await sql`vacuum analyze`.execute(app.db)
  const { rows: hidden } = await sql`
    select relname from pg_class where relname = any(${tables}::text[]) and relallvisible < relpages
  `.execute(app.db)
  return hidden.length === 0
}

/** Copies of one record of each table, alike as those of a large fleet are. In a `select`, `.*` would make a copy for each column. */
async function fill(organizationId: string) {
  const [check, owner] = [await make.check(organizationId), await make.person(organizationId)]
  const first = await make.device(organizationId)
  const issue = await make.issue({ device: first, check })
  const log = await make.authLog(organizationId)
  const numbers = sql`generate_series(1, ${sql.lit(rows)}) as number`
  const at = sql`${app.now()}::timestamptz - number * interval '1 minute'`
  await sql`
    insert into devices select copy.* from devices as d, ${numbers}, jsonb_populate_record(d, jsonb_build_object('id', 1000 + number,
      'name', 'Laptop ' || number, 'serial', 'C02' || number, 'note', 'Room ' || number,
      'hardware_uuid', case when number % 2 = 0 then gen_random_uuid()::text end,
      'machine_id', case when number % 50 = 1 then md5(number::text) end, 'device_type', case when number % 5000 = 0 then 'Windows' else 'Mac' end,
      'has_had_owner', number % 100 <> 5, 'registered_owner_id', case when number % 500 = 0 then ${owner.id}::bigint end,
      'registered_at', case when number % 500 = 0 then ${at} end, 'is_registered_by_owner', number % 500 = 0, 'last_authenticated_at', ${at},
      'will_block_at', case when number % 500 = 1 then ${app.now()}::timestamptz + number * interval '1 minute' end,
      'deleted_at', case when number % 2000 = 2 then ${at} end,
      'registration_suspended_at', case when number % 2000 = 3 then ${at} end,
      'identity_conflict_since', case when number % 2000 = 4 then ${at} end)) as copy
    where d.id = ${first.id}::bigint`.execute(app.db)
  // Devices of another organization, so that an index without the organization finds too many.
  const other = await make.device((await app.addTenant()).organizationId)
  await sql`
    insert into devices select copy.* from devices as d, generate_series(1, 5000) as number, jsonb_populate_record(d, jsonb_build_object('id', 500000 + number, 'name', 'Other ' || number,
      'will_block_at', case when number % 50 = 0 then ${at} + interval '20 years' end)) as copy
    where d.id = ${other.id}::bigint`.execute(app.db)
  await sql`
    insert into issues select copy.* from issues as i, ${numbers}, jsonb_populate_record(i, jsonb_build_object('id', 1000 + number, 'device_id', 1000 + number,
      'title', 'Issue ' || number, 'issue_value', 'value ' || number, 'detected_at', ${at}, 'last_rechecked_at', ${at},
      'resolved_at', case when number % 100 > 0 then ${at} end,
      'hold_id', case when number % 500 = 0 then 1 end,
      'blocks_device_at', case when number % 500 = 0 then ${at} + interval '1 month' end)) as copy
    where i.id = ${issue.id}::bigint`.execute(app.db)
  await sql`
    insert into block_holds (organization_id, id, check_id, began_at, owner_limit)
    values (${organizationId}::bigint, 1, ${check.id}::bigint, ${app.now()}::timestamptz, 100)`.execute(app.db)
  await sql`
    insert into auth_logs select copy.* from auth_logs as l, ${numbers}, jsonb_populate_record(l, jsonb_build_object('id', 1000 + number, 'started_at', ${at},
      'person_id', case when number % 1000 = 0 then ${owner.id}::bigint end, 'person_name', 'Person ' || number % 300,
      'person_email', number % 300 || '@acme.test', 'device_id', number, 'device_name', 'Laptop ' || number,
      'ip_address', '192.0.2.' || number % 250, 'country', 'Country ' || number % 90, 'city', 'City ' || number % 700,
      'agent_version', '5.' || number % 40, 'browser_name', 'Browser ' || number % 20,
      'connection_id', case when number % 500 = 0 then 77 end,
      'failure_reason', case when number % 1000 = 0 then 'abandoned' end,
      'result', case when number % 1000 = 0 then 'Fail' else 'Success' end)) as copy
    where l.id = ${log.id}::bigint`.execute(app.db)
  await until(waitMs, vacuum)
  return { check, owner }
}

type Filled = Awaited<ReturnType<typeof fill>>
type Use =
  | { api: string }
  | { console: string }
  | { job: (organizationId: string) => Promise<unknown> }
  | { constraint: string }

const unknownMachine = {
  ...{ name: 'Laptop', device_type: 'Mac' as const, operating_system: null, hardware_model: null, agent_version: null },
  ...{ hardware_uuid: null, serial: null, machine_id: 'f', host_identifier: 'f' },
} as const

/** What each index is for. An index without a use is dropped, not listed. */
const usesOf = ({ check, owner }: Filled): Record<string, Use> => ({
  devices_search: { api: '/devices?query=note~"Room 777"' },
  devices_serial: { api: '/devices?query=serial:C02777' },
  devices_name: { api: '/devices?query=name:"Laptop 777"' },
  devices_hardware_uuid: { api: '/devices?query=hardware_uuid:9d2b1f0e-0000-4000-8000-000000000000' },
  devices_registered_at: { api: '/devices?query=registered_at<2020-01-01T00:00:00Z' },
  devices_registered_by_owner: { console: '/views/summary' },
  devices_last_authenticated_at: { api: '/devices?query=last_authenticated_at<2020-01-01T00:00:00Z' },
  devices_will_block_at: { api: '/devices?query=will_block_at>2026-01-01T00:00:00Z' },
  devices_device_type: { api: '/devices?query=device_type:Windows' },
  devices_suspended: { api: '/devices?query=registration_suspended_at>2020-01-01T00:00:00Z' },
  devices_in_identity_conflict: { api: '/devices?query=identity_conflict_since>2020-01-01T00:00:00Z' },
  devices_never_owned: { console: '/views/owner_rule_preview' },
  devices_owner: { api: `/people/${owner.id}/registered_devices` },
  devices_by_urgency: { console: '/views/devices?per_page=25' },
  devices_by_name: { console: '/views/devices?sort=name&per_page=25' },
  devices_soonest_to_block: { console: '/views/devices?sort=will_block_at&per_page=25' },
  devices_latest_to_block: { console: '/views/devices?sort=-will_block_at&per_page=25' },
  devices_due_to_block: { job: () => settleDueDevices(app.db, () => contextAt()) },
  devices_deleted_at: { job: () => purgeDevices(app.db, '2020-01-01T00:00:00.000Z', contextAt()) },
  devices_machine_id: { job: (id) => transact(app.db, (tx) => listEnrolledDevices(tx, id, unknownMachine)) },
  issues_search: { api: '/issues?query=issue_value~"value 777"' },
  issues_identifiers_search: { api: '/issues?query=device_id~7771' },
  issues_by_device: { api: '/issues?query=device_id:7771' },
  issues_by_check: { api: `/issues?query=check_id:9999` },
  issues_detected_at: { api: '/issues?query=detected_at<2020-01-01T00:00:00Z' },
  issues_resolved_at: { api: '/issues?query=resolved_at<2020-01-01T00:00:00Z' },
  issues_last_rechecked_at: { api: '/issues?query=last_rechecked_at<2020-01-01T00:00:00Z' },
  issues_blocks_device_at: { api: '/issues?query=blocks_device_at<2020-01-01T00:00:00Z' },
  issues_open_by_check: { console: `/views/checks/${check.id}` },
  issues_held: { console: '/views/block_holds' },
  issues_open_newest: { console: '/views/issues?per_page=25' },
  issues_open_by_deadline: { console: '/views/issues?sort=blocks_at&per_page=25' },
  issues_one_open: { constraint: 'a device has one open issue of a check and a value' },
  auth_logs_search: { api: '/auth_logs?query=person_name~"person 77"' },
  auth_logs_identifiers_search: { api: '/auth_logs?query=device_id~7771' },
  auth_logs_started_at: { api: '/auth_logs?query=timestamp<2020-01-01T00:00:00Z' },
  auth_logs_by_person: { api: `/auth_logs?query=person_id:${owner.id}` },
  auth_logs_by_connection: { console: '/views/sign_ins?connection_id=77' },
  auth_logs_by_reason: { console: '/views/sign_ins?failure_reason=abandoned' },
  auth_logs_by_device: { api: '/auth_logs?query=device_id:7771' },
  auth_logs_person_name: { api: '/auth_logs?query=person_name:"Person 77"' },
  auth_logs_person_email: { api: '/auth_logs?query=person_email:77@acme.test' },
  auth_logs_ip_address: { api: '/auth_logs?query=ip_address:192.0.2.77' },
  auth_logs_country: { api: '/auth_logs?query=country:"Country 77"' },
  auth_logs_city: { api: '/auth_logs?query=city:"City 77"' },
  auth_logs_agent_version: { api: '/auth_logs?query=agent_version:9.9' },
  auth_logs_browser_name: { api: '/auth_logs?query=browser_name:"Browser 7"' },
  auth_logs_result: { api: '/auth_logs?query=result:Fail' },
  auth_logs_device_name_search: { console: '/views/sign_ins?search=laptop%20777&per_page=25' },
})

/** How often each index was read, but for those of primary keys. */
async function scansOf(): Promise<Map<string, number>> {
  const { rows: found } = await sql<{ name: string; scans: number }>`
    select indexrelname as name, idx_scan::int as scans from pg_stat_user_indexes
    where relname = any(${tables}::text[]) and indexrelname not like '%_pkey' order by 1
  `.execute(app.db)
  return new Map(found.map(({ name, scans }) => [name, scans]))
}

const assertAnswered = ({ status, body }: { status: number; body: unknown }, name: string) =>
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)

testOnPostgres(
  'every index of the largest tables is named with what uses it, and the planner uses it there',
  async () => {
    const { organizationId } = app.tenant
    const uses = usesOf(await fill(organizationId))
    assert.deepEqual([...(await scansOf()).keys()], Object.keys(uses).sort())
    const browser = openBrowser(app)
    assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
    const isAsked = (use: Use) => !('constraint' in use)
    await sql`select pg_stat_reset()`.execute(app.db)
    for (const [name, use] of Object.entries(uses)) {
      if ('api' in use) assertAnswered(await app.ask('GET', encodeURI(use.api)), name)
      if ('console' in use) assertAnswered(await browser.ask('GET', use.console), name)
      if ('job' in use) await use.job(organizationId)
    }
    const unused = async () => {
      const scans = await scansOf()
      return Object.entries(uses).flatMap(([name, use]) => (isAsked(use) && !scans.get(name) ? [name] : []))
    }
    // Sessions tell their counts up to ten seconds later.
    await until(waitMs, async () => (await unused()).length === 0).catch(() => undefined)
    const left = await unused()
    assert.deepEqual(left, [], `what should read them did not: ${left.join(', ')}`)
  },
)
