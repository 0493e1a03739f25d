import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparedKey } from '../server/src/prepared-folder.ts'

const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
const prefix = 'cluster-'
const dayMs = 86_400_000
const initOptions = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
/** The order of text is another one than the embedded engine's: what depends on it shows. */
const icuOptions = ['--locale-provider=icu', '--icu-locale=en-US']
const template = fileURLToPath(new URL('../server/test/support/make-template.ts', import.meta.url))

/** How to run a program of the server's, and to start a server on a folder of data. */
export interface Cluster {
  /** The folder of the server's programs. */
  readonly binaries: string
  run(program: string, ...options: string[]): void
  /** Resolves to the URL of the superuser. */
  start(data: string): Promise<string>
  stop(data: string, mode?: 'fast' | 'immediate'): void
}

/**
 * Makes `data`, the folder of a new cluster, with the migrated database that tests copy. Initializing and migrating take
 * seconds, copying what they made a fraction of one: so a cluster is kept for each version of the server and of the tables.
 */
export async function makeCluster(cluster: Cluster, data: string): Promise<void> {
  const version = execFileSync(path.join(cluster.binaries, 'postgres'), ['--version'], { encoding: 'utf8' })
  // Its files can be read by whoever made it only.
  const identity = [version, process.getuid?.(), ...initOptions, ...icuOptions, await preparedKey()].join('\n')
  const kept = path.join(cache, prefix + createHash('sha256').update(identity).digest('hex').slice(0, 16))
  if (!fs.existsSync(kept)) await keepCluster(cluster, data, kept)
  else execFileSync('cp', ['-a', kept, data])
}

/** It is complete whenever its name exists; of several processes that keep one at once, one wins. */
async function keepCluster(cluster: Cluster, data: string, kept: string): Promise<void> {
  initialize(cluster, data)
  const url = await cluster.start(data)
  try {
    execFileSync(process.execPath, [template], { env: { ...process.env, MUSTER_TEST_DATABASE_URL: url } })
  } finally {
    cluster.stop(data)
  }
  const draft = `${kept}.${randomUUID()}`
  fs.mkdirSync(cache, { recursive: true })
  try {
    execFileSync('cp', ['-a', data, draft])
    fs.renameSync(draft, kept)
  } catch (error) {
    if (!fs.existsSync(kept)) throw error
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
  }
  removeOld(kept)
}

function initialize(cluster: Cluster, data: string): void {
  const options = ['-D', data, ...initOptions, '--no-instructions']
  try {
    cluster.run('initdb', ...options, ...icuOptions)
  } catch {
    // This PostgreSQL was built without ICU, as initdb has said.
    cluster.run('initdb', ...options)
  }
}

/** Those of other versions, and drafts of processes that were killed. */
function removeOld(current: string): void {
  for (const name of fs.readdirSync(cache).filter((one) => one.startsWith(prefix))) {
    const folder = path.join(cache, name)
    const { mtimeMs } = fs.statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (folder !== current && Date.now() - mtimeMs > dayMs) fs.rmSync(folder, { recursive: true, force: true })
  }
}
