import fs from 'node:fs'
import { sql } from 'kysely'
import { connectEmbedded } from '../../connect.ts'

// A commit that cannot reach the disk must fail, and the next use must find everything that was acknowledged.
const marker = process.env['BREAK_FSYNC_WHILE'] ?? ''
const connection = await connectEmbedded({ dataDir: process.argv[2] ?? '' })
const insert = (value: number) => sql`insert into numbers values (${value})`.execute(connection.db)
const heard: string[] = []
await connection.executeScript('create table numbers (value int primary key)')
await connection.listen('wake', (payload) => heard.push(payload))
await insert(1)
fs.writeFileSync(marker, '')
const failure = await insert(2).then(
  () => 'acknowledged',
  (error: Error) => error.message,
)
fs.rmSync(marker)
await insert(3)
await sql`select pg_notify('wake', 'after')`.execute(connection.db)
const { rows } = await sql<{ value: number }>`select value from numbers order by value`.execute(connection.db)
await connection.close()
process.stdout.write(JSON.stringify({ failure, values: rows.map(({ value }) => value), heard }))
