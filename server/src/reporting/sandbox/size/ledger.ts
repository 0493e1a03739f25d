/** What a query keeps in memory at the same time, in bytes, and what it computes without a pause. */
export type Ledger = {
  /** Results of expressions: of constants until the query ends, of others until their row does. */
  values: number
  /** The most that one expression needs in addition, for a copy in another form. */
  largestTemporary: number
  /** What aggregates and lists collect over all rows. */
  held: number
  /** Sorts and stores, each of which spills to disk at its share of the memory. */
  areas: number
  /** Rows that they hold when they read back what they spilled. */
  areaRows: number
  /** All values that the largest sort by a single value would hold, if it held them all. */
  sortedValues: number
  /** The same of aggregates, which sort by themselves what they are given, together. */
  sortedByAggregates: number
  /** The widest row of the answer. */
  answer: number
  /** Steps, of a byte each, between two moments at which the query can be interrupted. */
  work: number
  /** Text that became JSON in this query, whose numbers may be written with exponents. */
  castsToJson: boolean
  makesJsonb: boolean
  /** The largest of each kind, for messages. */
  largest: { values: Entry; held: Entry; work: Entry }
}

type Entry = { name: string; amount: number }
type Kind = keyof Ledger['largest']

export function openLedger(): Ledger {
  const nothing = () => ({ name: '', amount: 0 })
  return {
    values: 0,
    largestTemporary: 0,
    held: 0,
    areas: 0,
    areaRows: 0,
    sortedValues: 0,
    sortedByAggregates: 0,
    answer: 0,
    work: 0,
    castsToJson: false,
    makesJsonb: false,
    largest: { values: nothing(), held: nothing(), work: nothing() },
  }
}

/** Adds to one of the sums, and remembers what added most. */
export function note(ledger: Ledger, kind: Kind, name: string, amount: number): void {
  const bounded = Number.isNaN(amount) ? Number.POSITIVE_INFINITY : amount
  ledger[kind] += bounded
  if (bounded > ledger.largest[kind].amount) ledger.largest[kind] = { name, amount: bounded }
}

/** So many sorts or stores of rows of this width. */
export function noteAreas(ledger: Ledger, count: number, rowBytes: number): void {
  if (count === 0) return
  ledger.areas += count
  ledger.areaRows += count * rowsPerArea * rowBytes
}

/** A sort of so many rows by one of these values, if by one alone. */
export function noteSort(ledger: Ledger, rows: number, widths: readonly number[]): void {
  ledger.sortedValues = Math.max(ledger.sortedValues, bytesOfSort(rows, widths))
}

/** An aggregate that sorts its values. */
export function noteSortedAggregate(ledger: Ledger, rows: number, widths: readonly number[]): void {
  ledger.sortedByAggregates += bytesOfSort(rows, widths)
}

function bytesOfSort(rows: number, widths: readonly number[]): number {
  const bytes = rows * (Math.max(0, ...widths) + besideSorted)
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes
}

/** What is kept beside a value: its header, and what aligns it. */
const besideSorted = 16

const kilobyte = 2 ** 10
const megabyte = 2 ** 20

/** What one reporting query may take of the database's memory. */
export const maxPeakBytes = 128 * megabyte
/** A session before its first query and while it plans one. */
const sessionBytes = 20 * megabyte
const areaBytes = 32 * megabyte
const [minArea, maxArea] = [64 * kilobyte, 8 * megabyte]
/** Rows that a merge of sorted runs holds at once (MINORDER of PostgreSQL's tuplesort.c, and one). */
const rowsPerArea = 7
/** A value twice where a growing buffer is copied. */
const copies = 2
/** The row as JSON, as text, and cut: JSON may have six bytes for one. */
const answerCopies = 18

const maxValuesBytes = 8 * megabyte
/** About a second. */
const maxWork = 200_000_000

/** What each sort and store may take, `work_mem` in kilobytes. */
export const workMemoryKilobytes = ({ areas }: Ledger): number =>
  Math.floor(Math.min(maxArea, Math.max(minArea, areaBytes / Math.max(1, areas))) / kilobyte)

/**
 * What sorts by one value hold whatever share of the memory they have, where the database does not count it: those of
 * aggregates, and so many of the plan.
 */
export const uncountedBytes = (ledger: Ledger, sorts: number): number =>
  ledger.sortedByAggregates + (sorts === 0 ? 0 : sorts * ledger.sortedValues)

/** The most memory that the query can need at any moment, in bytes; Infinity when nothing bounds it. */
export function peakBytes(ledger: Ledger, uncounted = 0): number {
  const areas = ledger.areas * workMemoryKilobytes(ledger) * kilobyte + ledger.areaRows
  const values = copies * ledger.values + ledger.largestTemporary
  return sessionBytes + areas + uncounted + values + ledger.held + answerCopies * ledger.answer
}

/** Why the query could take more than it may, as a sentence for its author, or undefined. See `uncountedBytes`. */
export function faultOfLedger(ledger: Ledger, uncounted = 0): string | undefined {
  const { values, work, largest } = ledger
  if (ledger.castsToJson && ledger.makesJsonb) {
    return 'Text that is cast to json cannot become jsonb in the same query: use the functions of json.'
  }
  if (values > maxValuesBytes) {
    return `${largest.values.name} could make a value of ${inWords(largest.values.amount)}, and all values of a row may have ${inWords(maxValuesBytes)}: shorten its arguments, for example with left(…, 1000).`
  }
  const peak = peakBytes(ledger, uncounted)
  const most = `and a query may use ${inWords(maxPeakBytes)}`
  if (peak > maxPeakBytes && ledger.held > maxPeakBytes / 4) {
    return `${largest.held.name} could collect ${inWords(largest.held.amount)}, ${most}: shorten what it collects with left(…, 100), or take fewer rows from a subquery with a limit.`
  }
  if (work > maxWork) {
    return `${largest.work.name} could compute for too long: shorten its arguments, for example with left(…, 1000).`
  }
  if (peak <= maxPeakBytes) return undefined
  if (peakBytes(ledger) <= maxPeakBytes) {
    return `The query could sort ${inWords(uncounted)} by one value, ${most}: shorten it with left(…, 100), or sort fewer rows.`
  }
  return `The query could need ${inWords(peak)}, ${most}: select fewer or shorter columns, or sort and combine less.`
}

function inWords(bytes: number): string {
  if (!Number.isFinite(bytes)) return 'any amount of memory'
  if (bytes < megabyte) return `${Math.ceil(bytes / kilobyte)} kB`
  return bytes < 1_024 * megabyte ? `${Math.ceil(bytes / megabyte)} MB` : `${Math.ceil(bytes / megabyte / 1_024)} GB`
}
