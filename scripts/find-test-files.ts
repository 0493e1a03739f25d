import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const homes = '{agent,client,console,contract,scripts,server}/**/*.test.ts'

/** Every test file of the workspaces, relative to `root`, in a stable order. */
export async function findTestFiles(root: string): Promise<string[]> {
  const found = glob(homes, { cwd: root, exclude: (name) => name.endsWith('node_modules') })
  return (await Array.fromAsync(found)).sort()
}

/** The test files that continue for longer when asked to: one that reads a MUSTER_CHAOS_ setting. */
export const onlyChaosFiles = (root: string, files: readonly string[]): Promise<string[]> =>
  only(
    files,
    async (file) => file.startsWith('server/') && (await readFile(join(root, file), 'utf8')).includes('MUSTER_CHAOS_'),
  )

/** The test files that go further when asked for more runs: `*.fuzz.test.ts`, or one of `src` that reads MUSTER_FUZZ_RUNS. */
export const onlyFuzzFiles = (root: string, files: readonly string[]): Promise<string[]> =>
  only(files, async (file) => {
    if (file.endsWith('.fuzz.test.ts')) return true
    return file.includes('/src/') && (await readFile(join(root, file), 'utf8')).includes('MUSTER_FUZZ_RUNS')
  })

async function only(files: readonly string[], isSo: (file: string) => Promise<boolean>): Promise<string[]> {
  const answers = await Promise.all(files.map(isSo))
  return files.filter((_file, index) => answers[index])
}
