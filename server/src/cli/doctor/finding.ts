import { ServiceError } from '../../base/errors.ts'

export type Finding = { name: string; state: 'ok' | 'warning' | 'failed'; detail: string }

export const ok = (name: string, detail: string): Finding => ({ name, state: 'ok', detail })
export const warning = (name: string, detail: string): Finding => ({ name, state: 'warning', detail })
export const failed = (name: string, detail: string): Finding => ({ name, state: 'failed', detail })

/** What a check could not find out counts as failed. */
export async function judge(name: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [failed(name, wordsOf(error))]
  }
}

/** A refusal names what is wrong by field. */
function wordsOf(error: unknown): string {
  const [fault] = error instanceof ServiceError ? (error.errors ?? []) : []
  if (fault) return `${fault.field} ${fault.message}`
  return error instanceof Error ? error.message : String(error)
}

const marks = { ok: '✓', warning: '!', failed: '✗' }

export const describeFinding = ({ name, state, detail }: Finding): string => `${marks[state]} ${name}: ${detail}`
