import { glob, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file to install: where below the root, where it is here, and its mode. */
export type AgentFile = { path: string; source: string; mode: number }

const agentFolder = fileURLToPath(new URL('../../../../agent/', import.meta.url))
const contractFolder = fileURLToPath(new URL('../../../../contract/', import.meta.url))

/** Of the agent's workspace, what an installed agent runs: neither its tests nor the simulator. */
const isLeftOut = (path: string): boolean =>
  path.endsWith('.test.ts') || path.startsWith('src/simulate/') || path === 'src/protocol/test-server.ts'

/** The program of the bundled agent and of its companion below the folder `home`, and what they import; in a fixed order. */
export async function listAgentFiles(home: string): Promise<AgentFile[]> {
  const filesOf = (folder: string, patterns: readonly string[], below: string) =>
    findFiles(folder, patterns, `${home}/${below}`)
  const folderOf = (name: string) => dirname(packages.resolve(`${name}/package.json`))
  const packages = createRequire(join(agentFolder, 'package.json'))
  return [
    ...(await filesOf(agentFolder, ['package.json', 'src/**/*.ts'], 'agent')).filter(
      ({ path }) => !isLeftOut(path.slice(`${home}/agent/`.length)),
    ),
    ...(await filesOf(contractFolder, ['package.json', 'src/osquery-schema.{json,ts}'], 'contract')),
    ...(await filesOf(
      folderOf('wa-sqlite'),
      ['package.json', 'LICENSE', 'src/*.js', 'dist/wa-sqlite.{mjs,wasm}'],
      'node_modules/wa-sqlite',
    )),
    ...(await filesOf(folderOf('jose'), ['package.json', 'LICENSE.md', 'dist/webapi/**/*.js'], 'node_modules/jose')),
    { path: `${home}/LICENSE`, source: fileURLToPath(new URL('../../../../LICENSE', import.meta.url)), mode: 0o644 },
  ]
}

async function findFiles(folder: string, patterns: readonly string[], below: string): Promise<AgentFile[]> {
  const names = await Array.fromAsync(glob(patterns, { cwd: folder }))
  const files = await Promise.all(names.map(async (name) => ((await stat(join(folder, name))).isFile() ? [name] : [])))
  return files
    .flat()
    .toSorted()
    .map((name) => ({ path: `${below}/${name}`, source: join(folder, name), mode: 0o644 }))
}
