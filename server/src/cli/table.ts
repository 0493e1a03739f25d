/** Rows as aligned columns under their heads; device names and the like cannot reach the terminal's controls. */
export function alignColumns(heads: readonly string[], rows: readonly (readonly (string | null)[])[]): string[] {
  const cells = [heads, ...rows.map((row) => row.map((cell) => plainText(cell ?? '–')))]
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Named values, one a line and aligned; a value that is null has none. */
export function alignFields(fields: readonly (readonly [name: string, value: string | null])[]): string[] {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${plainText(value ?? '–')}`)
}

/** What an endpoint reports may hold escape sequences. */
export const plainText = (text: string): string => text.replace(/\p{Cc}/gu, '\u{FFFD}')
