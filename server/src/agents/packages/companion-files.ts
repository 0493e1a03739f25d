import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { companionBundle, root } from '../../../bin/bundle-stamp.js'
import type { AgentFile } from './agent-files.ts'

/** What is bundled into the companion, and the file in which the package says under which terms it may be passed on. */
const bundledLicenses: Readonly<Record<string, string>> = { jose: 'LICENSE.md' }

/**
 * The program of the companion's package below the folder `home`, and the licenses of what is in it; in a fixed order. Rejects
 * where the program was not made of the present sources: nothing is bundled when a package is built.
 */
export async function listCompanionFiles(home: string, program = companionBundle()): Promise<AgentFile[]> {
  if (!existsSync(program)) throw new Error(`${program} is missing: run node scripts/prepare.ts`)
  const packages = createRequire(join(root, 'agent/package.json'))
  const folderOf = (name: string) => dirname(packages.resolve(`${name}/package.json`))
  return [
    { path: `${home}/companion.mjs`, source: program, mode: 0o644 },
    { path: `${home}/LICENSE`, source: join(root, 'LICENSE'), mode: 0o644 },
    ...Object.entries(bundledLicenses).map(([name, file]) => ({
      path: `${home}/licenses/${name}/${file}`,
      source: join(folderOf(name), file),
      mode: 0o644,
    })),
  ]
}
