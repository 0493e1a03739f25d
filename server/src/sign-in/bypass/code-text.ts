import { randomInt } from 'node:crypto'
import { hourMs } from '../../base/time.ts'

/** Without letters that are read for others. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 10

export const bypassLimits = {
  /** A code ends after this at the latest. */
  hours: 8,
  /** Wrong codes of a person within `windowMs`, over all their sign-ins. */
  tries: 5,
  windowMs: hourMs,
  /** Codes of a person that can be used at a time. */
  open: 5,
} as const

/** Ten characters of 32: 50 bits. */
export const newBypassCode = (): string => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** As people read it out: `ABCDE-FGH23`. */
export const shownCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`

/** What was typed, without spaces and hyphens; undefined when it cannot be a code. */
export function readCode(text: string): string | undefined {
  const code = text.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : undefined
}
