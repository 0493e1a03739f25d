import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { fail } from '../../base/errors.ts'
import { giveTurns } from '../../base/jobs/give-turns.ts'
import type { OwnerListRow } from './owner-list-rules.ts'

const maxLines = 5_000
/** So many bytes are parsed at once: it takes a few milliseconds, also where each is a separator. */
const bytesAtOnce = 4_096

/** How the columns are called in lists by hand and in those of Jamf, Intune and Google; without `_` and `-`. */
const deviceColumns = ['serial', 'serial number', 'hardware uuid', 'uuid', 'udid']
const emailColumns = ['email', 'e mail', 'email address', 'e mail address', 'user email', 'owner', 'primary user upn']

/**
 * Reads a list of devices and owners: two columns in either order, or more with their names in the first line. Fails
 * with invalid for `csv` where it is no such list; a line that lacks one of both has an empty text.
 */
export async function readOwnerList(csv: string): Promise<OwnerListRow[]> {
  const [first, ...others] = await recordsOf(csv)
  if (!first) return refuse('has no lines')
  const hasHead = !first.cells.some((cell) => cell.includes('@'))
  const records = hasHead ? others : [first, ...others]
  if (records.length === 0) return refuse('has no lines after the names of the columns')
  if (records.length > maxLines) return refuse(`has more than ${maxLines.toLocaleString('en')} lines; split it`)
  const named = hasHead ? namedColumns(first.cells) : undefined
  if (named) return records.map(({ line, cells }) => ({ line, ...named(cells) }))
  if (records.some(({ cells }) => cells.length > 2)) {
    return refuse('has more than two columns: name them in the first line, such as serial and email')
  }
  return records.map(({ line, cells }) => ({ line, ...eitherOrder(cells) }))
}

type Cells = readonly string[]
type Described = { readonly info: { readonly lines: number }; readonly record: Cells }

/** With a turn of the event loop for everyone else in between. */
async function recordsOf(csv: string): Promise<{ line: number; cells: Cells }[]> {
  const parser = parse({
    bom: true,
    delimiter: [',', ';', '\t'],
    info: true,
    maxRecordSize: 10_000,
    relaxColumnCount: true,
    skipEmptyLines: true,
    skipRecordsWithEmptyValues: true,
    trim: true,
  })
  try {
    const records: { line: number; cells: Cells }[] = []
    // With `info` each is more than its cells, which the types of the library do not know.
    for await (const one of Readable.from(piecesOf(csv)).compose(parser)) {
      const { info, record } = one as Described
      records.push({ line: info.lines, cells: record })
      // One more than is taken, and the names of the columns.
      if (records.length === maxLines + 2) break
    }
    return records
  } catch (error) {
    if (error instanceof CsvError) return refuse(`is not valid CSV: ${error.message}`)
    throw error
  }
}

async function* piecesOf(csv: string): AsyncGenerator<Buffer> {
  const giveTurn = giveTurns()
  const bytes = Buffer.from(csv)
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    yield bytes.subarray(from, from + bytesAtOnce)
    await giveTurn()
  }
}

function namedColumns(head: Cells) {
  const names = head.map((name) => name.toLowerCase().replace(/[_-]/g, ' '))
  const email = names.findIndex((name) => emailColumns.includes(name))
  const device = names.flatMap((name, index) => (deviceColumns.includes(name) ? [index] : []))
  if (email < 0 || device.length === 0) return undefined
  return (cells: Cells) => ({
    deviceText: device.map((index) => cells[index] ?? '').find((text) => text !== '') ?? '',
    email: cells[email] ?? '',
  })
}

function eitherOrder([first = '', second = '']: Cells) {
  return first.includes('@') ? { deviceText: second, email: first } : { deviceText: first, email: second }
}

function refuse(message: string): never {
  return fail('invalid', { errors: [{ field: 'csv', message }] })
}
