/** What a spreadsheet takes for the beginning of a formula, in both widths, also behind what it may leave out. */
const formula = /^(?:[\s\p{C}"]*[=+\-@＝＋－＠]|[\t\r\n])/u

/**
 * What stands before such a sign within a text. A reader that separates cells by semicolons or tabs splits there: of our
 * quotation marks it heeds only those that its own cell begins with. Begins nowhere within itself, so that it takes linear time.
 */
const beforeSign = /(?<![;\s\p{C}"])[;\s\p{C}"]+(?=[=+\-@＝＋－＠])/gu

/** One cell; text that a spreadsheet would compute is kept from it by an apostrophe, wherever one may see a cell begin. */
function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const kept = value.replace(beforeSign, (run) => run.replace(/[;\t\r\n]/g, "$&'"))
  const text = formula.test(value) ? `'${kept}` : kept
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Cells = readonly (string | number | null)[]

/** RFC 4180: commas, and quotation marks doubled; without the end of the line. */
export const csvRow = (cells: Cells): string => cells.map(cellOf).join(',')

/** With the CRLF of RFC 4180. */
export const csvLine = (cells: Cells): string => `${csvRow(cells)}\r\n`
