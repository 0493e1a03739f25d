import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const configs = [
  ...[
    'package.json',
    'tsconfig.json',
    'biome.json',
    '.oxlintrc.json',
    'knip.json',
    'knip.production.json',
    '.gitignore',
    'scripts/preflight.js',
  ],
  ...['contract/package.json', 'agent/package.json', 'server/package.json'],
]

export interface Workbench {
  readonly folder: string
  write(files: Record<string, string>): Promise<void>
  /** Runs a tool of the repository in the folder; `output` is what it printed on both streams. */
  run(tool: string, ...args: string[]): { readonly code: number | null; readonly output: string }
  remove(): Promise<void>
}

/** A temporary folder with the repository's own configuration files and packages, and no code but what is written to it. */
export async function openWorkbench(): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-canary-'))
  for (const file of configs) await cp(join(root, file), join(folder, file))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
    },
    run(tool, ...args) {
      const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', tool), args, {
        cwd: folder,
        encoding: 'utf8',
      })
      return { code: status, output: stdout + stderr }
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
