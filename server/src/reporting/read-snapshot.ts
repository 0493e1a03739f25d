import { createHash } from 'node:crypto'
import { giveTurns } from '../base/jobs/give-turns.ts'
import { storable } from '../base/storable.ts'
import { valueText } from '../base/value-text.ts'
import type { InventoryTable } from './reporting-table.ts'

type Row = Readonly<Record<string, string>>

/** A table of one device as it was reported, within bounds. */
export type Snapshot = {
  readonly table: InventoryTable
  readonly rows: readonly Row[]
  readonly isTruncated: boolean
  /** Equal for snapshots with the same rows. */
  readonly digest: Buffer
  readonly takenAt: string
  /** False for the first round, which a device is asked for when it has just enrolled. */
  readonly isScheduled: boolean
}

export const maxRows = 10_000
/** Beyond these, what is cut off depends on the order in which the device sent them. */
const maxRowsRead = 2 * maxRows
/** In UTF-16 units. A hundred of the longest rows make an answer of less than 2 MB, escapes included. */
export const maxValueLength = 1_000
export const maxRowLength = 3_000
const maxUnits = 4_000_000

/**
 * Reads the rows of a snapshot as leniently as agents write them. Each row gets exactly the columns of its table; what
 * has none of them is no row, and rows that say the same are one, in an order that does not depend on the device, so that what is cut off is always the same.
 */
export async function readSnapshot(
  reported: { table: InventoryTable; rows: unknown; takenAt: string; isScheduled: boolean },
  /** One for all tables of a device: many short ones make a long turn, too. */
  giveTurn = giveTurns(),
): Promise<Snapshot> {
  const { table, takenAt, isScheduled } = reported
  const texts = new Map<string, Row>()
  const all: unknown[] = Array.isArray(reported.rows) ? reported.rows : []
  for (const row of all.slice(0, maxRowsRead)) {
    const read = readRow(table, row)
    if (read) texts.set(JSON.stringify(read), read)
    await giveTurn()
  }
  const hash = createHash('sha256')
  const rows: Row[] = []
  let units = 0
  for (const [text, row] of [...texts].sort(byText)) {
    units += text.length
    if (rows.length === maxRows || units > maxUnits) break
    hash.update(text).update('\n')
    rows.push(row)
    await giveTurn()
  }
  const isTruncated = rows.length < texts.size || all.length > maxRowsRead
  return { table, rows, isTruncated, digest: hash.digest().subarray(0, 16), takenAt, isScheduled }
}

const byText = ([one]: [string, Row], [other]: [string, Row]): number => (one < other ? -1 : 1)

/** Undefined for what has none of the columns. */
function readRow({ columns }: InventoryTable, row: unknown): Row | undefined {
  const fields = typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}
  if (!columns.some(({ name }) => Object.hasOwn(fields, name))) return undefined
  let left = maxRowLength
  return Object.fromEntries(
    columns.map(({ name }) => {
      const text = storable(
        valueText(Object.hasOwn(fields, name) ? fields[name] : undefined),
        Math.min(left, maxValueLength),
      )
      left -= text.length
      return [name, text]
    }),
  )
}
