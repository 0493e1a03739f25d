import { posix } from 'node:path'
import { featureArrows, groundArrows } from './arrow-table.ts'

/** What a file of a feature is by its name; `command` is every other file: `<verb>-<noun>.ts` and what it is made of. */
export type Role = 'routes' | 'jobs' | 'queries' | 'rules' | 'present' | 'command'

export interface Place {
  /** The folder or file of server/src that the arrow table lists; the first folder of a path when it lists none. */
  readonly home: string
  readonly role: Role
}

// A room that outgrows one file keeps its word: check-routes.ts, exemption-rules.ts, present-device.ts.
const names: readonly [Role, RegExp][] = [
  // What talks HTTP: routes, and how their callers get in.
  ['routes', /(^|-)(routes|scheme|kit)$/],
  ['jobs', /^jobs$/],
  ['queries', /(^|-)queries$/],
  ['rules', /(^|-)rules$/],
  ['present', /^present(-|$)/],
]

/** The longest first: the folder inside counts, not the one around it. */
const homes = [...Object.keys(featureArrows), ...Object.keys(groundArrows)].sort((a, b) => b.length - a.length)

/** Where a file of server/src stands; `path` is from the repository root. */
export function placeOf(path: string): Place {
  const below = path.slice('server/src/'.length)
  const home = homes.find((listed) => below === listed || below.startsWith(`${listed}/`)) ?? below.split('/')[0] ?? ''
  const name = posix.basename(path, '.ts')
  return { home, role: names.find(([, pattern]) => pattern.test(name))?.[0] ?? 'command' }
}

export const isTest = (path: string): boolean => path.endsWith('.test.ts')
export const isServerSource = (path: string): boolean => path.startsWith('server/src/')
export const isConsoleSource = (path: string): boolean => path.startsWith('console/src/')

/** The folder or file of console/src in which a file stands; `path` is from the repository root. */
export const consoleHomeOf = (path: string): string => path.slice('console/src/'.length).split('/')[0] ?? ''
