import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { forgetInstallation } from '../../base/secrets/installation.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { splitLines } from '../split-lines.ts'
import { readCatalog, readSchemaVersion, type Table } from './read-catalog.ts'
import {
  endLine,
  headerLine,
  rowLine,
  type SequencePosition,
  sequenceLine,
  transferVersion,
} from './transfer-format.ts'

type TextRow = Record<string, string | null>

const maxLineBytes = 256 << 20
const maxRows = 1000
const maxBytes = 4 << 20

/**
 * Reads what `exportDeployment` wrote into an empty database with the same tables; returns how many rows of each. The
 * caller's transaction makes it all or nothing: the end, which vouches for every byte before it, is judged inside it.
 */
export async function importDeployment(
  tx: Tx,
  fingerprint: string,
  input: AsyncIterable<Uint8Array>,
): Promise<Record<string, number>> {
  const tables = await readCatalog(tx)
  await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in exclusive mode`.execute(tx)
  const loader = loadInto(tx, tables)
  const hash = createHash('sha256')
  let isStarted = false
  let isEnded = false
  for await (const bytes of splitLines(input, maxLineBytes)) {
    if (isEnded) throw refusal('something follows its end')
    const line = parseLine(bytes)
    if (!isStarted) {
      await requireFit(tx, line, fingerprint)
      // Every command and start notes the master key, which is part of the export.
      await forgetInstallation(tx)
      await requireEmpty(tx, tables)
      isStarted = true
    } else if (rowLine.Check(line)) {
      await loader.add(line.t, line.r)
    } else if (sequenceLine.Check(line)) {
      await loader.flush()
      await advance(tx, tables, line.sequence)
    } else if (endLine.Check(line)) {
      await loader.flush()
      if (line.end.sha256 !== hash.digest('hex')) throw refusal('its contents were changed')
      requireCounts(line.end.rows, loader.counts)
      isEnded = true
    } else {
      throw refusal('it has a line of an unknown kind')
    }
    if (!isEnded) hash.update(bytes).update('\n')
  }
  if (!isEnded) throw refusal(isStarted ? 'it is cut short' : 'it is empty')
  return loader.counts
}

function refusal(reason: string): CommandError {
  return new CommandError(exitCodes.failure, `The export cannot be imported: ${reason}. Nothing was changed`)
}

function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw refusal('it is damaged, or it is not an export of Muster')
  }
}

async function requireFit(tx: Tx, line: unknown, fingerprint: string): Promise<void> {
  if (!headerLine.Check(line)) throw refusal('it is not an export of Muster')
  if (line.version !== transferVersion) throw refusal(`it has the format ${line.version}, this is ${transferVersion}`)
  const here = await readSchemaVersion(tx)
  if (line.schema.checksum !== here.checksum) {
    throw refusal(
      `it was made with schema ${line.schema.version} and the database has ${here.version}; export and import with the same version of Muster, then migrate`,
    )
  }
  if (line.master_key_fingerprint !== fingerprint) {
    throw refusal(
      `its secrets are sealed with the master key ${line.master_key_fingerprint}, but the configured one is ${fingerprint} (fingerprints); set MUSTER_MASTER_KEY to the key of the old installation, which is in master.key of its data folder unless it was configured`,
    )
  }
}

async function requireEmpty(tx: Tx, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx)
    if (rows.length > 0) throw refusal(`the database is not empty (${name}); use a new, migrated one`)
  }
}

function requireCounts(expected: Record<string, number>, actual: Record<string, number>): void {
  const different = Object.keys({ ...expected, ...actual }).filter((name) => expected[name] !== actual[name])
  if (different.length > 0) throw refusal(`its counts of rows do not match: ${different.join(', ')}`)
}

/** Gathers rows of one table and inserts them together. */
function loadInto(tx: Tx, tables: Table[]) {
  const counts: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]))
  let table: Table | undefined
  let rows: TextRow[] = []
  let bytes = 0

  async function flush(): Promise<void> {
    if (table && rows.length > 0) await insertRows(tx, table, rows)
    rows = []
    bytes = 0
  }

  async function add(name: string, row: TextRow): Promise<void> {
    if (name !== table?.name) {
      await flush()
      table = tables.find((one) => one.name === name)
    }
    if (!table || !hasColumns(table, row)) throw refusal(`the database has no such table or column: ${name}`)
    counts[name] = (counts[name] ?? 0) + 1
    rows.push(row)
    for (const value of Object.values(row)) bytes += value?.length ?? 0
    if (rows.length >= maxRows || bytes >= maxBytes) await flush()
  }

  return { counts, add, flush }
}

function hasColumns(table: Table, row: TextRow): boolean {
  return Object.keys(row).length === table.columns.length && table.columns.every(({ name }) => Object.hasOwn(row, name))
}

/** One array of texts for each column, so that the statement is the same whatever the number of rows. */
async function insertRows(tx: Tx, { name, columns }: Table, rows: TextRow[]): Promise<void> {
  const names = sql.join(columns.map((column) => sql.id(column.name)))
  const values = sql.join(columns.map((column) => sql`${sql.id(column.name)}::${sql.raw(column.type)}`))
  const arrays = sql.join(columns.map((column) => sql`${rows.map((row) => row[column.name])}::text[]`))
  await sql`insert into ${sql.table(name)} (${names}) overriding system value
    select ${values} from unnest(${arrays}) as given (${names})`
    .execute(tx)
    .catch((error: unknown) => {
      if (isRefusedValue(error)) throw refusal(`the database refuses its rows of ${name}: ${error.message}`)
      throw error
    })
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
function isRefusedValue(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}

async function advance(tx: Tx, tables: Table[], position: SequencePosition): Promise<void> {
  const sequences = tables.find(({ name }) => name === position.table)?.sequences
  const sequence = sequences?.find(({ column }) => column === position.column)
  if (!sequence) throw refusal(`the database has no such identity: ${position.table}.${position.column}`)
  await sql`select setval(${sequence.name}::regclass, ${position.last_value}::bigint)`.execute(tx)
}
