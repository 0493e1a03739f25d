import type { Engine } from '../../base/db/connect.ts'
import { QueryRefused } from './query-refused.ts'

const maxMessageLength = 500

/** SQLSTATEs (the manual's appendix A) of what the query's author can mend, with our words or the database's own. */
const explained: readonly [pattern: RegExp, text: string | undefined][] = [
  [/^57014$/, 'The query took too long.'],
  [/^(53100|53200|53400|54000|54001)$/, 'The query needs more room than it may have.'],
  [/^(42501|25006)$/, 'The query asks for something that is not available in reporting queries.'],
  [/^(0A|2[0-2]|42|54)/, undefined],
  [/^(XX|38|39|P0)/, 'The database cannot run this query.'],
]

/**
 * A failure of the query itself as a refusal with a sentence for its author, or undefined when the database failed for
 * another reason. The database's words about data and names are about what the query may see.
 */
export function describeSqlError(error: unknown, engine: Engine): QueryRefused | undefined {
  if (error instanceof QueryRefused) return error
  if (!(error instanceof Error && 'code' in error)) return undefined
  const code = String(error.code)
  const found = explained.find(([pattern]) => pattern.test(code))
  if (!found) return undefined
  const own = error.message.slice(0, maxMessageLength)
  return new QueryRefused(found[1] ?? `The query failed: ${own}.`, { cause: error, isPassing: isPassing(code, engine) })
}

/** Too long, a full disk, a server out of memory; in its copy of the embedded database a query has all memory for itself. */
const isPassing = (code: string, engine: Engine): boolean =>
  code === '57014' || code === '53100' || (code === '53200' && engine === 'postgres')
