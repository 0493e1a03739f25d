import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { fail } from '../../base/errors.ts'
import type { OwnerListRow } from './owner-list-rules.ts'

const maxLines = 5_000

/** How the columns are called in lists by hand and in those of Jamf, Intune and Google; without `_` and `-`. */
const deviceColumns = ['serial', 'serial number', 'hardware uuid', 'uuid', 'udid']
const emailColumns = ['email', 'e mail', 'email address', 'e mail address', 'user email', 'owner', 'primary user upn']

/**
 * Reads a list of devices and owners: two columns in either order, or more with their names in the first line. Fails
 * with invalid for `csv` where it is no such list; a line that lacks one of both has an empty text.
 */
export function readOwnerList(csv: string): OwnerListRow[] {
  const [first, ...others] = recordsOf(csv)
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

function recordsOf(csv: string): { line: number; cells: Cells }[] {
  try {
    const records = parse(csv, {
      bom: true,
      delimiter: [',', ';', '\t'],
      info: true,
      maxRecordSize: 10_000,
      relaxColumnCount: true,
      skipEmptyLines: true,
      skipRecordsWithEmptyValues: true,
      // One more than is taken, and the names of the columns.
      to: maxLines + 2,
      trim: true,
    })
    // With `info` each is more than its cells, which the types of the library do not know.
    return (records as unknown as Described[]).map(({ info, record }) => ({ line: info.lines, cells: record }))
  } catch (error) {
    if (error instanceof CsvError) return refuse(`is not valid CSV: ${error.message}`)
    throw error
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
