import { type SourceFile, withoutComments } from './source-file.ts'

/** Whatever opens a connection to PostgreSQL, or has a statement answered without a limit, and what bounds its wait. */
export const connections: Readonly<Record<string, string>> = {
  'base/db/postgres-pool.ts new pg.Client': 'only reads a URL',
  'base/db/postgres-pool.ts new pg.Pool': 'the limit of its settings; 10 s for a connection',
  'base/db/postgres-pool.ts openClient': 'an advisory lock: keep-alive, as another process may work for long',
  'base/db/postgres-pool.ts statementTimeoutMs: 0': 'the same',
  'base/db/postgres-listener.ts openClient': 'its own probe each 30 s, and the limit',
  'base/db/connect.ts openPool': 'the limit; the other is for what is isolated, which is also killed',
  'base/db/connect.ts openClient': 'the limit',
  'base/db/connect.ts openIsolated': 'the embedded engine has one of its own',
  'base/db/connect.ts withAdvisoryLock': 'see above',
  'base/db/migrate.ts mayTakeLong: true': 'a migration: keep-alive',
  'open-deployment.ts connectPostgres': '30 s and 5: API, worker, leases, jobs',
  'upgrade-database.ts exclusively': 'migrations: keep-alive',
  'reporting/sandbox/in-isolation.ts openIsolated': 'the limit; each statement has 10 s',
  'reporting/sandbox/embedded-copy.ts openIsolated': 'no PostgreSQL',
  'cli/open-database.ts connectPostgres': 'keep-alive: who runs the command can end it',
  'cli/open-database.ts statementTimeoutMs: 0': 'the same',
  'cli/program/create-report-role.ts connectPostgres': 'the limit',
}

const openings =
  /(?<!function )\b(?:(?:connectPostgres|openClient|openPool|withAdvisoryLock|exclusively|openIsolated)(?=\()|new pg\.(?:Client|Pool)|(?:mayTakeLong: true|statementTimeoutMs: 0)\b)/g

/** Each as "file what", once for a file. */
export function connectionsOf(sources: readonly SourceFile[]): string[] {
  const found = sources
    .filter(({ path }) => path.startsWith('server/src/'))
    .flatMap(({ path, code }) =>
      Array.from(withoutComments(code).matchAll(openings), ([what]) => `${path.slice('server/src/'.length)} ${what}`),
    )
  return [...new Set(found)].toSorted()
}
