import { CommandError, exitCodes } from '../command-error.ts'

export type AskedKind<Kind extends string> = { kind?: Kind | undefined }

/** Where the API has two lists, their fields and identifiers are apart: a search, or JSON, is of one. */
export function requireKind({ kind, query, json }: AskedKind<string> & { query?: string; json?: boolean }): void {
  if (kind !== undefined || (query === undefined && json !== true)) return
  throw new CommandError(exitCodes.usage, `error: ${json ? '--json' : '--query'} is about one kind: say --kind`)
}
