import { findTestFiles, onlyChaosFiles, onlyFuzzFiles } from '../find-test-files.ts'
import { selectFiles, type TestArguments } from '../parse-test-arguments.ts'
import { affectedBy, changedFiles } from './changed-files.ts'
import { classifyFile, type TestFile } from './classify-file.ts'
import { type ImportGraph, importGraph, readerIn } from './import-graph.ts'
import { isInstalled, leaveOutAbsent } from './parties.ts'

const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
/** What a test file imports that goes further in a soak. */
const soakModule = 'server/test/support/soak.ts'

/** Ends the process with the reason. */
export function refuse(reason: string): never {
  console.error(reason)
  process.exit(1)
}

/** The test files that the arguments ask for and that can run on this machine; says what it leaves out. CI leaves out nothing. */
export async function chooseFiles(root: string, asked: TestArguments, isCi: boolean): Promise<TestFile[]> {
  const graph = importGraph(readerIn(root))
  const selected = selectFiles(await findTestFiles(root), asked.patterns, root)
  const soaking = asked.isSoak ? selected.filter((path) => graph.imports(path).includes(soakModule)) : selected
  const fuzzing = asked.isFuzz ? await onlyFuzzFiles(root, soaking) : soaking
  const files = asked.isChaos ? await onlyChaosFiles(root, fuzzing) : fuzzing
  if (files.length === 0) refuse(`No test file matches: ${process.argv.slice(2).join(' ') || '**'}`)
  const classified = files.map((path) => classifyFile(path, graph))
  const all = chooseStrangers(classified, asked, isCi)
  if (all.length === 0) refuse('Nothing of that can run on this machine.')
  return leaveOutBrowsers(
    asked.changedSince === undefined ? all : onlyAffected(root, all, asked.changedSince, graph),
    isCi,
  )
}

/** Programs of others have a stage of their own in CI, in which none may be missing that Debian has. */
function chooseStrangers(files: readonly TestFile[], asked: TestArguments, isCi: boolean): readonly TestFile[] {
  if (isCi && !asked.isStrangers && asked.patterns.length === 0 && files.some(({ kind }) => kind === 'stranger')) {
    console.log('Programs of others run in a stage of their own: npm test -- --strangers')
    return files.filter(({ kind }) => kind !== 'stranger')
  }
  const { present, leftOut } = leaveOutAbsent(
    asked.isStrangers ? files.filter(({ kind }) => kind === 'stranger') : files,
    (what) => isInstalled(what),
  )
  for (const { line } of leftOut) console.log(line)
  if (isCi && leftOut.some(({ isInstallable }) => isInstallable)) {
    refuse('CI leaves out only what Debian does not have: install what is missing.')
  }
  return present
}

function onlyAffected(root: string, files: readonly TestFile[], since: string, graph: ImportGraph): TestFile[] {
  const changed = changedFiles(root, since)
  const affected = affectedBy(changed, files, graph)
  if (affected.length === 0) {
    console.log(`None of the ${changed.length} files changed since ${since} can break a test file.`)
    process.exit(0)
  }
  console.log(
    `${changed.length} files have changed since ${since}. What meets them only in the whole product is left to a full run.`,
  )
  return affected
}

function leaveOutBrowsers(files: readonly TestFile[], isCi: boolean): TestFile[] {
  const inBrowser = files.filter(({ kind }) => kind === 'browser')
  if (inBrowser.length === 0 || browsers.some((name) => isInstalled(name))) return [...files]
  const lack = `no browser in PATH (${browsers.join(', ')})`
  if (isCi)
    refuse(`${inBrowser.length} test files need a browser: ${lack}. CI skips nothing: install chromium-headless-shell.`)
  console.log(`Left out: ${inBrowser.length} test files that need a browser, because there is ${lack}.`)
  return files.filter(({ kind }) => kind !== 'browser')
}
