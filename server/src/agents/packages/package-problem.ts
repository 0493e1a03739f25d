import { problemOf } from './problem-rules.ts'
import type { PackageRow } from './queries.ts'
import { ownRuntime } from './runtimes/own-runtime.ts'

/** Why devices cannot enroll with a package of this server, or only some; null where all can. */
export const packageProblem = (row: PackageRow): string | null =>
  problemOf({ ...row, hasNode: row.has_added_runtime || isOwn(row) })

const isOwn = ({ platform, architecture }: PackageRow): boolean =>
  platform === 'linux' && ownRuntime()?.architecture === architecture
