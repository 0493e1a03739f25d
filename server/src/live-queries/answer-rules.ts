/** What the parts of all answers to a campaign may have, as JSON text; then devices keep their first rows only. */
export const maxCharactersOfCampaign = 2_000_000_000

type Counts = { rowCount: number; rowsInFirst: number; rowsInParts: number; isCut: boolean }

/** What of an answer is not in the rows of its result, in words; null when they are whole. */
export function warningOf({ rowCount, rowsInFirst, rowsInParts, isCut }: Counts): string | null {
  const kept = rowsInFirst + rowsInParts
  const lost = kept < rowCount ? [`Only ${kept} of ${rowCount} rows were kept.`] : []
  const others = rowsInParts > 0 ? [`The first ${rowsInFirst} rows are here, all that were kept at rows_url.`] : []
  const cut = isCut ? ['Long values and columns past the 200th were cut.'] : []
  const warnings = [...lost, ...others, ...cut]
  return warnings.length === 0 ? null : warnings.join(' ')
}
