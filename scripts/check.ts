import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { runCaptured } from './run-captured.ts'
import { testEnvironment } from './test-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const tool = (name: string) => `${root}node_modules/.bin/${name}`

interface Step {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
}

/** One checker: several check the shared types again each, which costs two and a half times as much in all. What has not changed is kept. */
const typesOf = (project: string): string[] => {
  const kept = `${root}.cache/types-${project === '.' ? 'all' : project}.json`
  return ['-p', project, '--checkers', '1', '--incremental', '--tsBuildInfoFile', kept]
}

// The slowest goes first, so that the quick ones fill the other core beside it.
const steps: readonly Step[] = [
  {
    name: 'promises and exhaustiveness (oxlint)',
    file: tool('oxlint'),
    args: ['--type-aware', '--deny-warnings', '--disable-nested-config', '.'],
  },
  {
    name: 'architecture, schema and guards (node --test)',
    file: process.execPath,
    args: [
      '--test',
      '--test-concurrency=2',
      '--test-reporter=spec',
      'server/test/architecture.test.ts',
      'server/test/schema.test.ts',
      'server/test/architecture/**/*.test.ts',
      'server/test/canaries/**/*.test.ts',
    ],
  },
  { name: 'format and lint (biome)', file: tool('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'types (tsc)', file: tool('tsc'), args: typesOf('.') },
  { name: 'types of the console (tsc)', file: tool('tsc'), args: typesOf('console') },
  { name: 'dead code and dependencies (knip)', file: tool('knip'), args: ['--treat-config-hints-as-errors'] },
  // The run above takes tests for users. An export that is there for them says so: `@forTests` and why.
  {
    name: 'code that only tests use (knip)',
    file: tool('knip'),
    args: ['--production', '--config', 'knip.production.json', '--include', 'files,exports'],
  },
]

/** What checks types in Go does so in one thread, since the other core has other steps, and collects its garbage half as often. */
const sparing: NodeJS.ProcessEnv = { GOMAXPROCS: '1', GOGC: '200' }
const colour: NodeJS.ProcessEnv = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
const failures: string[] = []
const queue = [...steps]
const startedAt = performance.now()

async function work(): Promise<void> {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const { code, output, seconds } = await runCaptured(step.file, step.args, {
      cwd: root,
      env: { ...testEnvironment(process.env), ...colour, ...sparing },
    })
    const mark = code === 0 ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
    console.log(`${mark} ${seconds.toFixed(1).padStart(5)} s  ${step.name}`)
    if (code !== 0) failures.push(`\n${styleText('bold', `── ${step.name}`)}\n${output.trimEnd()}`)
  }
}

await Promise.all(Array.from({ length: Math.min(availableParallelism(), steps.length) }, work))
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
for (const failure of failures) console.log(failure)
console.log(
  failures.length === 0
    ? `All ${steps.length} checks passed in ${seconds} s`
    : `\n${failures.length} failed in ${seconds} s`,
)
process.exitCode = failures.length === 0 ? 0 : 1
