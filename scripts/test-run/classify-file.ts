import type { ImportGraph } from './import-graph.ts'
import { type Party, partyOf } from './parties.ts'

export type Engine = 'pglite' | 'postgres'

/** What a test file needs, which decides how often it runs and in which process. */
export interface TestFile {
  readonly path: string
  readonly kind: 'stranger' | 'browser' | 'processes' | 'database' | 'plain'
  /** The engines that it has something to show on; one of them, when it does not depend on the engine. */
  readonly engines: readonly Engine[]
  /** It starts servers or a browser, or says that it changes its process for good. */
  readonly needsOwnProcess: boolean
  /** The program of others that it is about. */
  readonly party?: Party
}

const browserPackage = 'playwright-core'
/** What starts the product in child processes; the module has other helpers beside it. */
const startsProcess = /^import \{[^}]*\bopenPlace\b[^}]*\} from '[^']*\/muster-process\.ts'/m
/** The only module that knows the engine of a run. */
const engineModule = 'server/test/support/database.ts'

/** What only a client of the product imports: it sees the same over HTTP whatever the engine. */
const clients = ['@stoplight/prism-http', 'openapi-fetch', 'server/test/support/tls-server.ts']

/** How a file asks for a process that it shares with no other; the reason follows. */
const ownProcess = /^\/\/ Own process: \S/m

/** How a file says that its subject is not the data, so that one engine shows as much as two; the reason follows. */
const oneEngine = /^\/\/ One engine: \S/m

/** Says what a test file needs by what it imports. */
export function classifyFile(path: string, graph: ImportGraph): TestFile {
  const reached = graph.reached(path)
  const party = partyOf(graph.code(path))
  if (party) return { path, kind: 'stranger', engines: ['pglite'], needsOwnProcess: true, party }
  const isBrowser = reached.has(browserPackage)
  const startsProcesses = [...reached].some(
    (file) => file.startsWith('server/test/') && startsProcess.test(graph.code(file)),
  )
  const knowsEngine = reached.has(engineModule)
  const isClient = clients.some((name) => reached.has(name))
  return {
    path,
    kind: isBrowser ? 'browser' : startsProcesses ? 'processes' : knowsEngine ? 'database' : 'plain',
    engines: isBrowser || isClient || !knowsEngine ? ['pglite'] : enginesOf(path, graph),
    needsOwnProcess: isBrowser || startsProcesses || ownProcess.test(graph.code(path)),
  }
}

function enginesOf(path: string, graph: ImportGraph): readonly Engine[] {
  const code = graph.code(path)
  if (oneEngine.test(code)) return ['postgres']
  const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0
  const [onPostgres, onEmbedded] = [count(/^ *testOnPostgres\(/gm), count(/^ *testOnEmbedded\(/gm)]
  if (count(/^ *test\(/gm) > 0 || (onPostgres > 0 && onEmbedded > 0)) return ['pglite', 'postgres']
  if (onPostgres > 0) return ['postgres']
  if (onEmbedded > 0) return ['pglite']
  return ['pglite', 'postgres']
}
