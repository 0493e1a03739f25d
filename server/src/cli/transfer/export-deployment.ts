import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { readCatalog, readSchemaVersion, type Table } from './read-catalog.ts'
import { type SequencePosition, transferFormat, transferVersion } from './transfer-format.ts'

type TextRow = Record<string, string | null>

export type ExportSettings = { fingerprint: string; now: string; write: (text: string) => Promise<void> }

const maxRows = 1000
const roomyBytes = 1 << 20

/**
 * Writes everything as it is at one moment; returns how many rows of each table. The transaction must be repeatable
 * read. Memory is bounded by a batch, which shrinks where rows are large.
 */
export async function exportDeployment(tx: Tx, settings: ExportSettings): Promise<Record<string, number>> {
  const hash = createHash('sha256')
  const write = async (lines: readonly object[]) => {
    if (lines.length === 0) return
    const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
    hash.update(text)
    await settings.write(text)
  }
  const tables = await readCatalog(tx)
  await write([
    {
      format: transferFormat,
      version: transferVersion,
      schema: await readSchemaVersion(tx),
      master_key_fingerprint: settings.fingerprint,
      created_at: settings.now,
    },
  ])
  const counts: Record<string, number> = {}
  for (const table of tables) {
    counts[table.name] = 0
    for await (const rows of readBatches(tx, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + rows.length
      await write(rows.map((row) => ({ t: table.name, r: row })))
    }
  }
  await write(await readSequences(tx, tables))
  const sha256 = hash.digest('hex')
  await settings.write(`${JSON.stringify({ end: { rows: counts, sha256 } })}\n`)
  return counts
}

async function* readBatches(tx: Tx, table: Table): AsyncGenerator<TextRow[]> {
  let after: TextRow | undefined
  for (let limit = 16; ; ) {
    const rows = await readBatch(tx, table, after, limit)
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = rows.at(-1)
    const bytes = rows.reduce((sum, row) => sum + lengthOf(row), 0)
    limit = bytes > roomyBytes ? Math.max(1, Math.floor(limit / 2)) : Math.min(maxRows, limit * 2)
  }
}

function lengthOf(row: TextRow): number {
  return Object.values(row).reduce((sum, value) => sum + (value?.length ?? 0), 0)
}

async function readBatch(tx: Tx, table: Table, after: TextRow | undefined, limit: number): Promise<TextRow[]> {
  // Qualified, because a bare name in `order by` would mean the text beside it.
  const column = (name: string) => sql.ref(`${table.name}.${name}`)
  const values = table.columns.map(({ name }) => sql`${column(name)}::text as ${sql.id(name)}`)
  const key = sql.join(table.key.map(column))
  const typeOf = (name: string) => sql.raw(table.columns.find((one) => one.name === name)?.type ?? 'text')
  const start = after && sql.join(table.key.map((name) => sql`${after[name]}::${typeOf(name)}`))
  const { rows } = await sql<TextRow>`
    select ${sql.join(values)} from ${sql.table(table.name)}
    ${start ? sql`where (${key}) > (${start})` : sql``} order by ${key} limit ${limit}`.execute(tx)
  return rows
}

async function readSequences(tx: Tx, tables: Table[]): Promise<{ sequence: SequencePosition }[]> {
  const lines: { sequence: SequencePosition }[] = []
  for (const { name: table, sequences } of tables) {
    for (const { name, column } of sequences) {
      const { rows } = await sql<{ last_value: string; is_called: boolean }>`
        select last_value, is_called from ${sql.raw(name)}`.execute(tx)
      if (rows[0]?.is_called) lines.push({ sequence: { table, column, last_value: rows[0].last_value } })
    }
  }
  return lines
}
