import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNeeded, reducePom } from './reduce-suite.ts'

// node scripts/conformance/build-suite.ts <checkout of the suite> <folder to make>
// Needs a JDK of the version that the suite asks for (JAVA_HOME) and Maven. What it makes: `lib` with the libraries and
// `classes` with what of the suite the tests of Shared Signals need, which MUSTER_CONFORMANCE_SUITE then names.
const [checkout, folder] = process.argv.slice(2).map((path) => resolve(path))
if (checkout === undefined || folder === undefined) {
  console.error('Usage: node scripts/conformance/build-suite.ts <checkout of the suite> <folder to make>')
  process.exit(2)
}
const [libraries, classes] = [join(folder, 'lib'), join(folder, 'classes')]
const work = mkdtempSync(join(tmpdir(), 'muster-suite-build-'))
try {
  for (const part of [libraries, classes]) {
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
  }
  copyLibraries(checkout)
  compile(join(checkout, 'src/main/java'))
  cpSync(join(checkout, 'src/main/resources'), classes, { recursive: true })
  console.log(`MUSTER_CONFORMANCE_SUITE=${folder}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function copyLibraries(from: string): void {
  const pom = join(work, 'pom.xml')
  writeFileSync(pom, reducePom(readFileSync(join(from, 'pom.xml'), 'utf8')))
  const to = [`-DoutputDirectory=${libraries}`, '-DincludeScope=runtime']
  run('mvn', '--batch-mode', '--quiet', '-f', pom, 'dependency:copy-dependencies', ...to)
}

/** The sources that Spring looks for and those of the tests, and by `-sourcepath` whatever they use. */
function compile(sources: string): void {
  const files = globSync('**/*.java', { cwd: sources })
    .map((path) => join(sources, path))
    .filter((path) => isNeeded(path, readFileSync(path, 'utf8')))
  const list = join(work, 'sources')
  writeFileSync(list, [...files, own('mongo-stand-in.java')].map((path) => JSON.stringify(path)).join('\n'))
  const options = ['-nowarn', '-proc:none', '-parameters', '-g', '-encoding', 'UTF-8']
  const { JAVA_HOME: home } = process.env
  const compiler = home === undefined ? 'javac' : join(home, 'bin', 'javac')
  run(compiler, ...options, '-sourcepath', sources, '-cp', join(libraries, '*'), '-d', classes, `@${list}`)
}

function own(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ended with ${error?.message ?? status}`)
}
