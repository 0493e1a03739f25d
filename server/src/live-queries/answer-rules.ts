export type ResultRow = Record<string, string>

/** What a device said, as it came from the agent, with what was lost on the way. */
export type GivenAnswer =
  | { kind: 'rows'; rows: readonly ResultRow[]; rowCount: number; isCut: boolean }
  | { kind: 'error'; message: string }

export type KeptAnswer = {
  rowCount: number
  /** JSON text of the rows. */
  rows: string
  errorMessage: string | null
  warningMessage: string | null
}

const mostRows = 1_000
/** Of JSON text. A page of a hundred results stays at ten megabytes. */
const mostCharacters = 100_000

/** The part of an answer that is stored, and a warning where that is not all. */
export function keepAnswer(answer: GivenAnswer): KeptAnswer {
  if (answer.kind === 'error') {
    return { rowCount: 0, rows: '[]', errorMessage: answer.message, warningMessage: null }
  }
  const kept: string[] = []
  let length = 0
  for (const row of answer.rows) {
    const text = JSON.stringify(row)
    length += text.length + 1
    if (kept.length === mostRows || length > mostCharacters) break
    kept.push(text)
  }
  const warnings = [
    kept.length < answer.rowCount ? `Only ${kept.length} of ${answer.rowCount} rows were kept.` : undefined,
    answer.isCut ? 'Long values and columns past the 200th were cut.' : undefined,
  ].filter((warning) => warning !== undefined)
  const warningMessage = warnings.length === 0 ? null : warnings.join(' ')
  return { rowCount: answer.rowCount, rows: `[${kept.join()}]`, errorMessage: null, warningMessage }
}
