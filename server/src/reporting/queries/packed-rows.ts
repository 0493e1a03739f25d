import { createHash } from 'node:crypto'
import type { ReportRow } from '../sandbox/report-row.ts'

/** Of stored runs as well: another number needs a migration. */
export const rowsPerSlice = 25

export type PackedRows = {
  readonly rowCount: number
  /** Each row's JSON and a line feed, which JSON has within no row. */
  readonly content: string
  /** The byte at which each slice of rows ends. */
  readonly sliceEnds: readonly number[]
  /** SHA-256 of the content. */
  readonly digest: Buffer
}

/** The rows of a run as one value, and where its slices are. */
export function packRows(rows: readonly ReportRow[]): PackedRows {
  const hash = createHash('sha256')
  const sliceEnds: number[] = []
  let content = ''
  let bytes = 0
  for (let start = 0; start < rows.length; start += rowsPerSlice) {
    let slice = ''
    for (const row of rows.slice(start, start + rowsPerSlice)) {
      slice += `${row.content}\n`
      bytes += row.bytes + 1
    }
    hash.update(slice)
    content += slice
    sliceEnds.push(bytes)
  }
  return { rowCount: rows.length, content, sliceEnds, digest: hash.digest() }
}

/** The rows of a part of the value that begins and ends with a row. */
export const unpackRows = (part: string): Record<string, unknown>[] =>
  JSON.parse(`[${part.slice(0, -1).replaceAll('\n', ',')}]`) as Record<string, unknown>[]

/** The whole rows of a part that begins with a row and may end within one. */
export const unpackWholeRows = (part: string): Record<string, unknown>[] =>
  unpackRows(part.slice(0, part.lastIndexOf('\n') + 1))
