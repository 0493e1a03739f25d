import { pinnedRuntimes } from '../../agents/packages/runtimes/pinned-runtimes.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { type Finding, ok, warning } from './finding.ts'

type Runtimes = NonNullable<DatabaseFacts['runtimes']>

const name = 'runtimes'

/** The Node that was added for packages of other systems: what it takes in the database, and whether there is a newer one. */
export function judgeRuntimes(runtimes: Runtimes): Finding[] {
  if (runtimes.length === 0) return [ok(name, 'none added')]
  return runtimes.map((runtime) => {
    const { system, node_version: version, packed_size: size } = runtime
    const text = `${system}: Node ${version}, ${megabytes(size)} MB in the database`
    const newer = newerFor(runtime)
    if (newer === undefined) return ok(name, text)
    return warning(name, `${text}; this version of Muster has Node ${newer}: muster packages add-runtime ${system}`)
  })
}

/** The version that the command would bring in place of one of npm; of a file, whoever gave it knows. */
export function newerFor({ system, node_version: version, source }: Omit<Runtimes[number], 'packed_size'>) {
  const { version: pinned } = pinnedRuntimes[system]
  return source === 'npm' && pinned !== version ? pinned : undefined
}

/** Rounded up. */
export const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)
