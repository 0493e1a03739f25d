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

/** What an endpoint reports may hold escape sequences. */
export const plainText = (text: string): string => text.replace(/\p{Cc}/gu, '\u{FFFD}')
