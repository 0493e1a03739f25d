import { CommandError, exitCodes } from '../command-error.ts'
import { configureWords } from './configure-words.ts'

type Question = {
  /** How many devices the terminal says are newly blocked. */
  blocking: number | undefined
  /** What the change does, line by line. */
  seen: readonly string[]
  /** The change, as it is typed. */
  words: Parameters<typeof configureWords>[0]
}

/**
 * Refuses a change that blocks devices, or blocks them sooner, as a usage error that says which, unless their number was given. The
 * console asks before each of these, and has the number of many typed.
 */
export function requireBlocking(hit: number, { blocking, seen, words }: Question): void {
  if ((blocking ?? 0) === hit) return
  const command = configureWords(hit === 0 ? words : { ...words, blocking: hit })
  const lines = [
    ...(blocking === undefined ? [] : [`Not ${blocking}.`]),
    ...seen,
    `Nothing was changed. To save it: ${command}`,
  ]
  throw new CommandError(exitCodes.usage, lines.join('\n'))
}
