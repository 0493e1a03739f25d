import { matchesGlob, relative, resolve, sep } from 'node:path'

/** What the words after `npm test --` ask for. */
export interface TestArguments {
  /** The embedded engine alone, also where a PostgreSQL is installed. */
  readonly isEmbedded: boolean
  /** What reads a database on both engines, side by side. */
  readonly isBothEngines: boolean
  /** Keeps how long each file took, which decides the order of later runs. */
  readonly isRecorded: boolean
  /** Only the tests that go further in a soak, and as far as they can. */
  readonly isSoak: boolean
  readonly isFuzz: boolean
  readonly isChaos: boolean
  /** Only the tests with programs of others. */
  readonly isStrangers: boolean
  /** Only what a change since this revision can break. */
  readonly changedSince?: string
  /** Files, folders or globs; none means every test file. */
  readonly patterns: readonly string[]
  /** Handed to `node --test` as they are. */
  readonly nodeFlags: readonly string[]
}

const ownFlags = new Set(['--embedded', '--both-engines', '--record', '--soak', '--fuzz', '--chaos', '--strangers'])
const flagsWithValue = new Set([
  '--test-name-pattern',
  '--test-skip-pattern',
  '--test-concurrency',
  '--test-timeout',
  '--test-shard',
  '--test-reporter',
  '--test-reporter-destination',
])

/** Splits the arguments into our own flags, flags for node (`--flag=value` or `--flag value`) and file patterns. */
export function parseTestArguments(args: readonly string[]): TestArguments {
  const own = new Set<string>()
  const patterns: string[] = []
  const nodeFlags: string[] = []
  let changedSince: string | undefined
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ''
    const value = args[index + 1]
    const changed = /^--changed(?:=(.+))?$/.exec(word)
    if (changed) changedSince = changed[1] ?? 'main'
    else if (ownFlags.has(word)) own.add(word)
    else if (flagsWithValue.has(word) && value !== undefined) {
      nodeFlags.push(`${word}=${value}`)
      index++
    } else if (word.startsWith('-')) nodeFlags.push(word)
    else patterns.push(word)
  }
  return {
    isEmbedded: own.has('--embedded'),
    isBothEngines: own.has('--both-engines') || own.has('--soak'),
    isRecorded: own.has('--record'),
    isSoak: own.has('--soak'),
    isFuzz: own.has('--fuzz'),
    isChaos: own.has('--chaos'),
    isStrangers: own.has('--strangers'),
    ...(changedSince !== undefined && { changedSince }),
    patterns,
    nodeFlags,
  }
}

/** The files (relative to `root`, with `/`) that a pattern names: itself, all below it, or by glob. */
export function selectFiles(files: readonly string[], patterns: readonly string[], root: string): string[] {
  if (patterns.length === 0) return [...files]
  const wanted = patterns.map((pattern) => relative(root, resolve(root, pattern)).split(sep).join('/'))
  return files.filter((file) =>
    wanted.some(
      (pattern) => pattern === '' || file === pattern || file.startsWith(`${pattern}/`) || matchesGlob(file, pattern),
    ),
  )
}
