import { execFileSync } from 'node:child_process'
import type { TestFile } from './classify-file.ts'
import type { ImportGraph } from './import-graph.ts'

/** Files that differ from where the branch left `base`, what is not committed and not known to git included. */
export function changedFiles(root: string, base: string): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '')
  const [fork = base] = git('merge-base', base, 'HEAD')
  const known = git('diff', '--name-only', fork)
  return [...new Set([...known, ...git('ls-files', '--others', '--exclude-standard')])].sort()
}

/** What starts the product as a whole, or all of the console, can be broken by nearly every change. */
const isWhole = ({ kind }: TestFile) => ['stranger', 'browser', 'processes'].includes(kind)

/** All features meet in the app, and in what tests start of it: what is imported from there says nothing of a test's subject. */
const isOfSubject = (from: string, to: string) =>
  from !== 'server/src/app.ts' && (!from.startsWith('server/test/support/') || to.includes('/test/'))

/** The folder of a feature: "server/src/access/scim". */
const featureOf = (path: string) => /^server\/src\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0]

/**
 * The test files that a change of these files can break: those that import one of them, directly or through others, that
 * name one, that lie in its feature, or with a migration all that open a database. Of those that start the whole product only
 * the ones that have themselves changed, or what they import below `test/`.
 */
export function affectedBy(changed: readonly string[], files: readonly TestFile[], graph: ImportGraph): TestFile[] {
  const isCode = (path: string) => /\.[jt]sx?$/.test(path)
  const code = new Set(changed.filter(isCode))
  const features = new Set(changed.filter(isCode).map(featureOf))
  const names = changed.filter((path) => !isCode(path)).map((path) => path.slice(path.lastIndexOf('/') + 1))
  const isSchema = changed.some((path) => path.endsWith('.sql'))
  return files.filter((file) => {
    if (isSchema && file.kind === 'database') return true
    const feature = featureOf(file.path)
    if (feature !== undefined && features.has(feature)) return true
    const reached = [...graph.reached(file.path, isOfSubject)]
    const own = isWhole(file) ? reached.filter((path) => path.includes('/test/')) : reached
    return own.some((path) => code.has(path) || names.some((name) => graph.code(path).includes(name)))
  })
}
