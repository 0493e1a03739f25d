/** Spreadsheets take what begins like this for a formula. */
const formula = /^[=+\-@\t\r]/

/** One cell; text that a spreadsheet would compute is kept from it by an apostrophe. */
function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180: commas, quotation marks doubled, lines that end in CRLF. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cellOf).join(',')}\r\n`
