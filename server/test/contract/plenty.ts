import { plusMs } from '../../src/base/time.ts'
import { startOfTests } from '../support/make.ts'

const count = 9

/** As many of everything as make several pages. */
export const numbers: readonly number[] = Array.from({ length: count }, (_, index) => index)

export const minute = (index: number): string => plusMs(startOfTests, index * 60_000)

/** Text that search and JSON must carry through: quotes, wildcards, escapes, letters beyond ASCII. */
const names = ['Ada’s Mac', '100% "sure"', 'back\\slash', 'under_score', 'Zoë 字', 'AND OR', 'plain']
export const nameOf = (index: number): string => `${names[index % names.length]} ${index}`
