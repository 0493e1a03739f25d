import { sql } from 'kysely'
import { connectEmbedded } from '../../connect.ts'
import { transact } from '../../transact.ts'

// Writes rows in order, alone and in pairs, and says each number once its commit is acknowledged.
const connection = await connectEmbedded({ dataDir: process.argv[2] ?? '' })
await connection.executeScript('create table if not exists numbers (value int primary key, pair int)')
const { rows } = await sql<{ count: string; max: number; halves: string }>`
  select count(*), coalesce(max(value), 0) as max,
    (select count(*) from (select pair from numbers where pair is not null group by pair having count(*) <> 2) odd) as halves
  from numbers`.execute(connection.db)
process.stdout.write(`${JSON.stringify(rows[0])}\n`)

for (let value = (rows[0]?.max ?? 0) + 1; ; value += 3) {
  await sql`insert into numbers (value) values (${value})`.execute(connection.db)
  process.stdout.write(`${value}\n`)
  await transact(connection.db, async (tx) => {
    await sql`insert into numbers values (${value + 1}, ${value})`.execute(tx)
    await sql`insert into numbers values (${value + 2}, ${value})`.execute(tx)
  })
  process.stdout.write(`${value + 2}\n`)
}
