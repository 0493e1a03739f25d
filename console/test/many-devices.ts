import { type Connection, connectEmbedded } from '../../server/src/base/db/connect.ts'
import { embeddedFolder } from '../../server/src/open-deployment.ts'

/** A long name with umlauts, one without a space, and one that would like to be markup, among so many usual ones. */
const names = `case number % 97
  when 0 then 'Büro-Überwachungsrechner-Größe-XL-für-Qualitätsprüfung-Süd-' || number
  when 1 then repeat('x', 190) || number
  when 2 then '<img src=x onerror=alert(1)>' || chr(8238) || number
  else (array['ana', 'noor', 'HALDEN-FIN', 'build', 'lab'])[1 + number % 5] || '-' || lpad(number::text, 5, '0') end`

/** Devices with numbers from..to: owners, presence, results of four checks each, issues of those that fail. */
const statements = (from: number, to: number): readonly string[] => [
  `
insert into people (organization_id, id, name, email, created_at)
  select organization.id, 1000000 + number, 'Person ' || number, 'person' || number || '@halden.example', now()
  from (select min(id) as id from organizations) as organization, generate_series(${from}, ${to}) as number
  where number % 10 <> 0`,
  `insert into devices (organization_id, id, name, device_type, form_factor, operating_system, serial, note,
    registered_owner_id, registered_at, auth_state, will_block_at, created_at)
  select organization.id, 1000000 + number, ${names},
    (array['Mac', 'Windows', 'Linux'])[1 + number % 3], 'computer', 'macOS 26.' || number % 4, 'C02' || lpad(number::text, 9, 'X'),
    case when number % 50 = 0 then 'Kept in the lab' end,
    case when number % 10 <> 0 then 1000000 + number end, case when number % 10 <> 0 then now() end,
    case when number % 10 = 0 then 'good' when number % 41 = 0 then 'blocked' when number % 17 = 0 then 'will_block'
      when number % 7 = 0 then 'notified' else 'good' end,
    case when number % 10 <> 0 and number % 41 <> 0 and number % 17 = 0 then now() + make_interval(mins => 30 + number) end,
    now()
  from (select min(id) as id from organizations) as organization, generate_series(${from}, ${to}) as number`,
  `insert into device_presence (organization_id, device_id, last_seen_at)
  select organization_id, id, now() - make_interval(secs => case when id % 31 = 0 then 900000 else id % 3000 end)
  from devices where id between 1000000 + ${from} and 1000000 + ${to} and id % 43 <> 0`,
  `insert into check_results (organization_id, device_id, check_id, status, ran_at, rows)
  select devices.organization_id, devices.id, checks.id,
    case when auth_state <> 'good' and (devices.id + checks.id) % 3 = 0 then 'failing' else 'passing' end, now(), '[]'
  from devices join (select organization_id, id from checks order by id limit 4) as checks
    on checks.organization_id = devices.organization_id
  where devices.id between 1000000 + ${from} and 1000000 + ${to}`,
  `insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at, blocks_device_at)
  select result.organization_id, result.device_id, result.check_id, checks.issue_title, '{}',
    now() - make_interval(mins => (result.device_id % 5000)::int), now(),
    case devices.auth_state when 'blocked' then now() - interval '1 hour' when 'will_block' then devices.will_block_at end
  from check_results as result
  join devices on devices.organization_id = result.organization_id and devices.id = result.device_id
  join checks on checks.organization_id = result.organization_id and checks.id = result.check_id
  where result.status = 'failing' and devices.id between 1000000 + ${from} and 1000000 + ${to}`,
  'delete from check_tallies',
  `insert into check_tallies (organization_id, check_id, shard, counted, passing, failing)
  select organization_id, check_id, 0, count(*), count(*) filter (where status = 'passing'),
    count(*) filter (where status = 'failing')
  from check_results where status in ('passing', 'failing') group by organization_id, check_id`,
  'analyze',
]

async function addDevices({ executeScript }: Connection, from: number, to: number): Promise<void> {
  for (const statement of statements(from, to)) await executeScript(statement)
}

/** Adds them to a stopped trial, in statements: one by one they would take many minutes. */
export async function addDevicesTo(dataDir: string, from: number, to: number): Promise<void> {
  const connection = await connectEmbedded({ dataDir: embeddedFolder(dataDir) })
  try {
    await addDevices(connection, from, to)
  } finally {
    await connection.close()
  }
}
