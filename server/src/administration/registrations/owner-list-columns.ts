import { CsvError, parse } from 'csv-parse/sync'
import { foldText } from '../../base/fold-text.ts'
import { asText, tidy } from './owner-list-cells.ts'

export type Separator = ',' | ';' | '\t'
export type Column = { readonly name: string | null; readonly index: number; readonly means: 'device' | 'owner' }

/** How a list is written: decided once, by the line with the names of its columns. */
export type Form = {
  readonly separator: Separator
  readonly columns: readonly Column[]
  /** How many cells a line has at most. */
  readonly width: number
  /** Number of the line with the names; null where none has any. */
  readonly namesLine: number | null
  /** Where the lines with devices begin, in characters, and how many lines are above. */
  readonly from: number
  readonly linesBefore: number
}

/** By `compact`, as lists by hand, Intune, Jamf, Kandji, Google, Snipe-IT, Fleet and Microsoft Graph call them. */
const meanings: Readonly<Record<Column['means'], readonly string[]>> = {
  device: [
    ...['serial', 'serialnumber', 'serialno', 'deviceserialnumber', 'hardwareserial'],
    ...['uuid', 'udid', 'hardwareuuid'],
  ],
  owner: [
    ...['email', 'emailaddress', 'mail', 'useremail', 'useremailaddress', 'username', 'user', 'annotateduser'],
    ...['owner', 'owneremail', 'assignedto', 'assigneduser', 'userprincipalname', 'upn'],
    ...['primaryuser', 'primaryuserupn', 'primaryuseremail', 'primaryuseremailaddress'],
  ],
}
const kinds = ['device', 'owner'] as const
const separators: readonly Separator[] = [',', ';', '\t']
/** Above the names may be the title of a report, and the like. */
const maxLinesAbove = 10
/** Intune's line of names has 900. */
const maxNamesLength = 4_000
/** Each line of the preview repeats them. */
const maxNameLength = 60
const maxOpening = 64_000

type Line = { readonly number: number; readonly text: string; readonly start: number; readonly end: number }

/** Undefined where neither names nor two columns say what is what; `named` is what the names that are known mean. */
export function formOf(csv: string): Form | { named: Column['means'] | undefined } {
  const lines = openingLines(csv)
  const declared = lines.map(({ text }) => /^sep=([,;\t])$/i.exec(text)?.[1]).find((one) => one !== undefined)
  const tried = separators.filter((separator) => declared === undefined || separator === declared)
  const candidates = lines.filter(({ text }) => !/^(#|sep=)/i.test(text))
  const heads = candidates.flatMap((line) => tried.map((separator) => headOf(line, separator)))
  const head = heads.find(({ columns }) => isWhole(columns))
  if (head) return head
  return twoColumns(candidates, tried) ?? { named: heads.flatMap(({ columns }) => columns)[0]?.means }
}

/** The first lines that are not blank. */
function openingLines(csv: string): Line[] {
  const opening = csv.slice(0, maxOpening)
  const lines: Line[] = []
  let [start, number] = [0, 1]
  for (const { 0: lineBreak, index } of opening.matchAll(/\r\n|\n|\r|$/g)) {
    const text = opening.slice(start, index)
    const end = index + lineBreak.length
    if (tidy(text) !== '') lines.push({ number, text, start, end })
    if (lines.length > maxLinesAbove) break
    number += 1
    start = end
  }
  return lines
}

function headOf({ number, text, end }: Line, separator: Separator): Form {
  const cells = cellsOf(text, separator)
  const columns = cells.flatMap((cell, index): Column[] => {
    const name = asText(tidy(cell))
    const means = kinds.find((kind) => meanings[kind].includes(compact(name)))
    return means === undefined || name.length > maxNameLength ? [] : [{ name, index, means }]
  })
  return { separator, columns, width: cells.length, namesLine: number, from: end, linesBefore: number }
}

const isWhole = (columns: readonly Column[]): boolean =>
  kinds.every((kind) => columns.some(({ means }) => means === kind))

/** Names make no difference by case, blanks, `_`, `-` and `.`. */
const compact = (name: string): string => foldText(name).replace(/[\s_.-]/g, '')

/** Two columns without names that are known: the device and its owner, in either order from line to line. */
function twoColumns(lines: readonly Line[], tried: readonly Separator[]): Form | undefined {
  const [first] = lines
  const separator = lines.flatMap(({ text }) => tried.filter((one) => isPair(cellsOf(text, one))))[0]
  if (!first || separator === undefined) return undefined
  const columns = kinds.map((means, index) => ({ name: null, index, means }))
  // Names that are not known, such as those of another language.
  const hasNames = !first.text.includes('@') && cellsOf(first.text, separator).length === 2
  return {
    ...{ separator, columns, width: 2 },
    namesLine: hasNames ? first.number : null,
    from: hasNames ? first.end : first.start,
    linesBefore: hasNames ? first.number : first.number - 1,
  }
}

const isPair = (cells: readonly string[]): boolean =>
  cells.length === 2 && cells.every((cell) => cell !== '') && cells.filter((cell) => cell.includes('@')).length === 1

/** None where the line is too long for names, or no line of its own. */
function cellsOf(text: string, separator: Separator): string[] {
  if (text.length > maxNamesLength) return []
  try {
    const [cells = []] = parse(text, { delimiter: separator, relaxQuotes: true, trim: true })
    return cells
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}
