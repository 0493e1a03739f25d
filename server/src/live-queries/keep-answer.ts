import { setImmediate as nextTurn } from 'node:timers/promises'
import { maxRowsInPart } from '@muster/contract/live-queries.ts'
import { warningOf } from './answer-rules.ts'

type ResultRow = Record<string, string>

/** What a device said. `isCut`: the row has lost columns or the end of a value. */
export type GivenAnswer =
  | { kind: 'rows'; rowCount: number; rows: Iterable<{ row: ResultRow; isCut: boolean }> }
  | { kind: 'error'; message: string }

/** Rows that are stored and handed out together; `rows` is their JSON text. */
type AnswerPart = { firstRow: number; rows: string }

export type KeptAnswer = {
  rowCount: number
  /** JSON text of the first rows. */
  rows: string
  errorMessage: string | null
  warningMessage: string | null
  /** The other rows, where there are any. */
  more?: {
    parts: readonly AnswerPart[]
    rowCount: number
    characters: number
    /** Where there is no room for them. */
    warningWithout: string | null
  }
}

/** What is kept of a device's answer: rows, and characters of their JSON text. */
const maxRows = 50_000
const maxCharacters = 10_000_000
/** A page of a hundred first parts stays at ten megabytes. */
const maxCharactersInPart = 100_000

export const failedAnswer = (message: string): KeptAnswer => ({
  ...{ rowCount: 0, rows: '[]', errorMessage: message, warningMessage: null },
})

/** The part of an answer that is stored. Large answers take time: others get their turn in between. */
export async function keepAnswer(answer: GivenAnswer): Promise<KeptAnswer> {
  if (answer.kind === 'error') return failedAnswer(answer.message)
  const kept = { rows: 0, characters: 0, isCut: false }
  const parts: AnswerPart[] = []
  let part = emptyPart(1)
  for (const { row, isCut } of answer.rows) {
    const text = JSON.stringify(row)
    const length = text.length + 1
    if (kept.rows === maxRows || kept.characters + length > maxCharacters) break
    // The first part may be empty: its only row would be too long for it.
    if (part.texts.length === maxRowsInPart || part.length + length > maxCharactersInPart) {
      parts.push(ended(part))
      part = emptyPart(kept.rows + 1)
      await nextTurn()
    }
    part.texts.push(text)
    part.length += length
    kept.rows += 1
    kept.characters += length
    kept.isCut ||= isCut
  }
  return assembled(answer.rowCount, kept, [...parts, ended(part)])
}

const emptyPart = (firstRow: number) => ({ firstRow, texts: [] as string[], length: 0 })

const ended = ({ firstRow, texts }: ReturnType<typeof emptyPart>): AnswerPart => ({
  firstRow,
  rows: `[${texts.join()}]`,
})

function assembled(
  rowCount: number,
  kept: { rows: number; isCut: boolean },
  [first, ...parts]: readonly AnswerPart[],
): KeptAnswer {
  const rowsInFirst = (parts[0]?.firstRow ?? kept.rows + 1) - 1
  const rowsInParts = kept.rows - rowsInFirst
  const counts = { rowCount, rowsInFirst, rowsInParts, isCut: kept.isCut }
  const stored = { rowCount, rows: first?.rows ?? '[]', errorMessage: null, warningMessage: warningOf(counts) }
  if (parts.length === 0) return stored
  const characters = parts.reduce((sum, { rows }) => sum + rows.length, 0)
  const warningWithout = warningOf({ ...counts, rowsInParts: 0 })
  return { ...stored, more: { parts, rowCount: rowsInParts, characters, warningWithout } }
}
