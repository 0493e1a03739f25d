const maxColumns = 100

/** As wide as what stands in them, up to a bound, and not of another width when other rows come into sight. */
export function columnWidthsOf(rows: Iterable<Readonly<Record<string, string>>>): { name: string; width: number }[] {
  const letters = new Map<string, number>()
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      letters.set(name, Math.max(letters.get(name) ?? name.length, value.length))
    }
  }
  return [...letters]
    .slice(0, maxColumns)
    .map(([name, longest]) => ({ name, width: Math.min(360, Math.max(72, Math.round(longest * 7.4) + 26)) }))
}
