import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { fail } from '../../base/errors.ts'
import { giveTurns } from '../../base/jobs/give-turns.ts'
import { addressesIn, deviceText, tidy } from './owner-list-cells.ts'
import { type Form, formOf, type Separator } from './owner-list-columns.ts'
import type { OwnerListRow, ReadCell } from './owner-list-rules.ts'

const maxLines = 5_000
/** So many bytes are parsed at once: it takes a few milliseconds, also where each is a separator. */
const bytesAtOnce = 4_096
/** Of one meaning in a line: each is looked up. */
const maxTexts = 5

export type OwnerList = { readonly form: Form; readonly rows: OwnerListRow[] }

/**
 * Reads a list of devices and owners: two columns in either order, or more with their names in one of the first lines. Fails
 * with invalid for `csv` where it is no such list.
 */
export async function readOwnerList(text: string): Promise<OwnerList> {
  const csv = text.replace(/^\uFEFF/, '')
  if (!/[^\s,;]/.test(csv)) return refuse('has no lines')
  const form = formOf(csv)
  if (!('separator' in form)) return refuse(unnamed[form.named ?? 'nothing'])
  const rows = await rowsOf(csv, form)
  if (rows.length === 0) return refuse('has no lines after the names of the columns')
  if (rows.length > maxLines) return refuse(`has more than ${maxLines.toLocaleString('en')} lines; split it`)
  return { form, rows }
}

const unnamed = {
  nothing: 'does not say which column is which: name them in the first line, such as serial and email',
  device: 'has no column for the owners: name it in the first line, such as email',
  owner: 'has no column for the devices: name it in the first line, such as serial',
}

type Described = { readonly info: { readonly lines: number }; readonly record: readonly string[] }

/** With a turn of the event loop for everyone else in between. */
async function rowsOf(csv: string, form: Form): Promise<OwnerListRow[]> {
  const parser = parse({
    delimiter: form.separator,
    info: true,
    maxRecordSize: 10_000,
    relaxColumnCount: true,
    skipEmptyLines: true,
    skipRecordsWithEmptyValues: true,
    trim: true,
  })
  try {
    const rows: OwnerListRow[] = []
    // With `info` each is more than its cells, which the types of the library do not know.
    for await (const one of Readable.from(piecesOf(withoutFormulas(csv.slice(form.from), form.separator))).compose(
      parser,
    )) {
      const { info, record } = one as Described
      rows.push(rowOf(form.linesBefore + info.lines, record, form))
      // One more than is taken.
      if (rows.length > maxLines) break
    }
    return rows
  } catch (error) {
    if (error instanceof CsvError) return refuse(`is not valid CSV: ${faultOf(error, form)}`)
    throw error
  }
}

/** `="0012"` is text for spreadsheets, and a misplaced quotation mark for everyone else. */
const withoutFormulas = (csv: string, separator: Separator): string =>
  csv.includes('="') ? csv.replace(new RegExp(`(^|[\r\n${separator}])="`, 'g'), '$1"') : csv

async function* piecesOf(csv: string): AsyncGenerator<Buffer> {
  const giveTurn = giveTurns()
  const bytes = Buffer.from(csv)
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    yield bytes.subarray(from, from + bytesAtOnce)
    await giveTurn()
  }
}

function rowOf(line: number, record: readonly string[], { columns, width }: Form): OwnerListRow {
  if (record.length > width) {
    const fault = `The line has ${record.length} cells, and the list has ${width} columns. Put quotation marks around a cell that holds a separator.`
    return { line, cells: [], fault }
  }
  // Without names, the order can differ from line to line.
  const isSwapped = columns.every(({ name }) => name === null) && (record[0] ?? '').includes('@')
  const cells = columns.flatMap(({ name, index, means }): ReadCell[] => {
    const cell = record[isSwapped ? 1 - index : index] ?? ''
    if (cell === '') return []
    if (means === 'device') return [{ column: name, means, text: deviceText(cell) }]
    const addresses = addressesIn(cell)
    const texts = addresses.length === 0 ? [tidy(cell)] : addresses
    return texts.map((text) => ({ column: name, means, text }))
  })
  return { line, ...settled(cells.filter(({ text }) => text !== '')) }
}

/** A name of the owner says nothing beside their address. */
function settled(cells: readonly ReadCell[]): Pick<OwnerListRow, 'cells' | 'fault'> {
  const devices = cells.filter(({ means }) => means === 'device')
  const owners = cells.filter(({ means }) => means === 'owner')
  const addresses = owners.filter(({ text }) => text.includes('@'))
  const kept = [...devices, ...(addresses.length > 0 ? addresses : owners)]
  if (devices.length > maxTexts || addresses.length > maxTexts) {
    return { cells: [], fault: `The line names more than ${maxTexts} devices or owners.` }
  }
  return { cells: kept }
}

function faultOf({ code, lines }: CsvError & { readonly lines?: number }, { linesBefore }: Form): string {
  const at = lines === undefined ? '' : ` in line ${linesBefore + lines}`
  if (code === 'CSV_MAX_RECORD_SIZE') return `a line is too long${at}, or a quotation mark opens and none closes`
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? `a quotation mark opens${at} and none closes`
    : `a quotation mark is out of place${at}`
}

function refuse(message: string): never {
  return fail('invalid', { errors: [{ field: 'csv', message }] })
}
