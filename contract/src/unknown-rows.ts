type Row = Readonly<Record<string, string>>

/** Beside `UNKNOWN` in a row of a check: why nothing is known, for people. */
export const reasonColumn = 'unknown_reason'
/** Beside it: the version of osquery from which on it is known. */
export const neededColumn = 'needs_osquery'

/** Anyone's SQL may have such a column. */
const versionPattern = /^\d{1,5}(?:\.\d{1,5}){1,3}$/

/** Why rows of a check that say `UNKNOWN` know nothing, and which osquery would; null where they do not tell. */
export function whyUnknown(rows: readonly Row[]): { reason: string | null; needsOsquery: string | null } {
  const unknown = rows.filter((row) => row['KOLIDE_CHECK_STATUS'] === 'UNKNOWN')
  const said = (column: string) => unknown.map((row) => row[column]?.trim()).find(Boolean) ?? null
  const needed = said(neededColumn)
  const needsOsquery = needed !== null && versionPattern.test(needed) ? needed : null
  return { needsOsquery, reason: said(reasonColumn) ?? (needsOsquery && `Needs osquery ${needsOsquery} or newer`) }
}
