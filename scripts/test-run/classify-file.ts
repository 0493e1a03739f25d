import { dirname } from 'node:path'
import type { ImportGraph } from './import-graph.ts'
import { type Party, partyOf } from './parties.ts'

export type Engine = 'pglite' | 'postgres'

/** What a test file needs, which decides where it runs and in which process. */
export interface TestFile {
  readonly path: string
  readonly kind: 'stranger' | 'browser' | 'processes' | 'database' | 'plain'
  /** Its subject is the embedded engine, so it runs there even where there is a PostgreSQL. */
  readonly isEmbedded: boolean
  /** It starts servers and kills them, or says that it changes its process for good. */
  readonly needsOwnProcess: boolean
  /** It depends on how busy the machine is, so that a failure that does not come again is no defect of the product. */
  readonly isRetried: boolean
  /** The program of others that it is about. */
  readonly party?: Party
}

const embeddedSuffix = '.embedded.test.ts'
const browserPackage = 'playwright-core'
/** What starts the product in child processes; the module has other helpers beside it. */
const startsProcess = /^import \{[^}]*\bopenPlace\b[^}]*\} from '[^']*\/muster-process\.ts'/m
/** The only module that knows the engine of a run. */
const engineModule = 'server/test/support/database.ts'

/** How a file asks for a process that it shares with no other; the reason follows. */
const ownProcess = /^\/\/ Own process: \S/m

/** What makes a file random: properties, and histories and kills that go further in a soak. */
const randomModules = ['fast-check', 'server/test/support/soak.ts']

/** Says what a test file needs by its name and what it imports. */
export function classifyFile(path: string, graph: ImportGraph): TestFile {
  const reached = graph.reached(path)
  const code = graph.code(path)
  const isEmbedded = path.endsWith(embeddedSuffix)
  refuseMisplaced(path, code, isEmbedded)
  const party = partyOf(code)
  const isRetried = !isRandom(path, graph)
  if (party) return { path, kind: 'stranger', isEmbedded: true, needsOwnProcess: true, isRetried, party }
  const isBrowser = reached.has(browserPackage)
  const startsProcesses = [...reached].some(
    (file) => file.startsWith('server/test/') && startsProcess.test(graph.code(file)),
  )
  const kind = isBrowser ? 'browser' : startsProcesses ? 'processes' : reached.has(engineModule) ? 'database' : 'plain'
  return {
    path,
    kind,
    isEmbedded,
    needsOwnProcess: kind === 'processes' || ownProcess.test(code),
    isRetried: isRetried && kind !== 'plain',
  }
}

/**
 * A failure under other random values, or after another kill, may be one that comes back only to a user. What lies beside the
 * file and is imported by it counts as its own.
 */
const isRandom = (path: string, graph: ImportGraph) =>
  [...graph.reached(path)]
    .filter((file) => dirname(file) === dirname(path))
    .some(
      (file) => graph.imports(file).some((name) => randomModules.includes(name)) || /\.kill\(\)/.test(graph.code(file)),
    )

/** A test that would be left out wherever there is a PostgreSQL, in CI for example. */
function refuseMisplaced(path: string, code: string, isEmbedded: boolean): void {
  if (!isEmbedded && /^ *testOnEmbedded\(/m.test(code)) {
    throw new Error(`${path} has a test of the embedded engine. Move it to a file named *${embeddedSuffix}`)
  }
  if (isEmbedded && /^ *testOnPostgres\(/m.test(code)) {
    throw new Error(`${path} has a test of PostgreSQL. Move it to a file without the suffix ${embeddedSuffix}`)
  }
}
