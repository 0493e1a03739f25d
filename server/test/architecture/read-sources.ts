import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from './source-file.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Every TypeScript file under the src folders of the workspaces, sorted by path. */
export async function readSources(): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(glob('{contract,agent,server,console}/src/**/*.{ts,tsx}', { cwd: root }))
  return await Promise.all(paths.sort().map(async (path) => ({ path, code: await readFile(root + path, 'utf8') })))
}
