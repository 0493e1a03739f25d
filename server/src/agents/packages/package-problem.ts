import { problemOf } from './problem-rules.ts'
import type { PackageRow } from './queries.ts'
import { isOwnSystem } from './runtimes/own-runtime.ts'
import { systemOfPackage } from './runtimes/system-rules.ts'

/** Why devices cannot enroll with a package of this server, or only some; null where all can. */
export function packageProblem(row: PackageRow): string | null {
  const { platform, architecture } = row
  const isOwn = architecture !== 'any' && isOwnSystem(systemOfPackage({ platform, architecture }))
  return problemOf({ ...row, hasNode: row.has_added_runtime || isOwn })
}
