import { connectEmbedded } from '../../server/src/base/db/connect.ts'
import { embeddedFolder } from '../../server/src/open-deployment.ts'

const people = [
  ...['Ana Ruiz', 'Tomás Ferreira', 'Priya Raghunathan', 'Jonas Lindqvist', 'Łukasz Wójcik', 'Maren Solberg'],
  ...['Chidi Okafor', 'Elif Yılmaz', 'Noah Brandt', 'Grace Kimani', 'Kenji Watanabe', 'Maximiliane von Hohenfels'],
]

/** Gives a stopped trial what time would: owners of its devices, issues of several ages, and 30 days behind it. */
export async function agePastOf(dataDir: string): Promise<void> {
  const connection = await connectEmbedded({ dataDir: embeddedFolder(dataDir) })
  try {
    await connection.executeScript(`update organizations set name = 'Halden Instruments'`)
    for (const name of people) {
      const email = `${name
        .normalize('NFD')
        .replace(/[^A-Za-z ]/g, '')
        .toLowerCase()
        .replaceAll(' ', '.')}@halden.example`
      await connection.executeScript(`insert into people (organization_id, name, email, created_at)
        select id, '${name}', '${email}', now() from organizations`)
    }
    await connection.executeScript(`update devices set registered_owner_id = (
      select id from people where email like '%halden.example' order by id offset devices.id % ${people.length} limit 1)
      where id % 9 <> 0`)
    await connection.executeScript(`update issues set detected_at = detected_at - make_interval(hours => (device_id * 13 % 83)::int),
      blocks_device_at = blocks_device_at - make_interval(hours => (device_id * 13 % 83)::int)
      where resolved_at is null and blocks_device_at > now()`)
    await connection.executeScript(`update devices set will_block_at = (select min(blocks_device_at) from issues
        where issues.organization_id = devices.organization_id and issues.device_id = devices.id and resolved_at is null)
      where auth_state = 'will_block'`)
    await connection.executeScript(`insert into compliance_days (organization_id, day, blocked, will_block, notified, good, stale, never)
      select organizations.id, (now() at time zone 'utc')::date - ago, 3 + ago / 9 + ago % 3,
        case when ago < 17 then 13 - (17 - ago) / 4 else 5 + ago % 3 end, 14 + ago % 4,
        64 - ago / 3 - ago % 3, 2, 0
      from organizations, generate_series(1, 30) as ago`)
    await connection.executeScript(`insert into check_days (organization_id, check_id, day, counted, passing, failing)
      select organization_id, check_id, (now() at time zone 'utc')::date - 7, sum(counted),
        greatest(0, sum(passing) - check_id % 5), sum(failing) + least(sum(passing), check_id % 5)
      from check_tallies group by organization_id, check_id having sum(counted) > 0`)
  } finally {
    await connection.close()
  }
}
