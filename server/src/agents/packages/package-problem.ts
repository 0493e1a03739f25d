import { problemOf, systemOf } from './problem-rules.ts'
import type { PackageRow } from './queries.ts'
import { isOwnSystem } from './runtimes/own-runtime.ts'

/** Why devices cannot enroll with a package of this server, or only some; null where all can. */
export function packageProblem(row: PackageRow): string | null {
  const system = systemOf(row)
  const isOwn = system !== undefined && isOwnSystem(system)
  return problemOf({ ...row, hasNode: row.has_added_runtime || isOwn })
}
