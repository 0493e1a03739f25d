import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const homes = '{agent,client,contract,e2e,scripts,server}/**/*.test.ts'

/** Every test file of the workspaces, relative to `root`, in a stable order. */
export async function findTestFiles(root: string): Promise<string[]> {
  const found = glob(homes, { cwd: root, exclude: (name) => name.endsWith('node_modules') })
  return (await Array.fromAsync(found)).sort()
}

/** The test files that go further when asked for more runs: `*.fuzz.test.ts`, or one of `src` that reads MUSTER_FUZZ_RUNS. */
export async function onlyFuzzFiles(root: string, files: readonly string[]): Promise<string[]> {
  const isFuzz = await Promise.all(
    files.map(async (file) => {
      if (file.endsWith('.fuzz.test.ts')) return true
      return file.includes('/src/') && (await readFile(join(root, file), 'utf8')).includes('MUSTER_FUZZ_RUNS')
    }),
  )
  return files.filter((_file, index) => isFuzz[index])
}
