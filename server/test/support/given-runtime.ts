import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Package, RuntimeSystem } from '@muster/contract/packages.ts'
import { draftPrefix } from '../../src/agents/packages/kept-part.ts'
import { ownRuntime } from '../../src/agents/packages/runtimes/own-runtime.ts'
import { hourMs } from '../../src/base/time.ts'
import { madeNode, packedNode, sha256Of } from './made-node.ts'
import type { Hooks, MusterProcess } from './muster-process.ts'

/** A processor that the servers of this machine have no Node for. */
const otherArchitecture = ownRuntime()?.architecture === 'arm64' ? 'x64' : 'arm64'
export const otherSystem: RuntimeSystem = `linux-${otherArchitecture}`

/** A file with a Node for that processor, and what is typed to give it; the folder is removed with the hooks. */
export async function giveRuntime(hooks: Hooks) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-given-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const executable = madeNode(otherSystem)
  const file = join(folder, 'node.tar.gz')
  const bytes = await packedNode(executable)
  await writeFile(file, bytes)
  const typed = ['packages', 'add-runtime', otherSystem]
  return { folder, executable, file, bytes, typed, adding: [...typed, file, '--sha256', sha256Of(bytes)] }
}

/** The packages for that processor. */
export async function packagesOn(server: MusterProcess, key: string): Promise<Package[]> {
  const { status, body } = await server.ask('GET', '/packages?per_page=100', { key })
  assert.equal(status, 200)
  return body.data.filter(({ architecture }: Package) => architecture === otherArchitecture)
}

/** What commands that are under way, or were killed, have on the disk below a data folder. */
export async function draftsBelow(dataDir: string): Promise<{ path: string; taken: number }[]> {
  const folder = join(dataDir, 'packages')
  const names = (await readdir(folder)).filter((name) => name.startsWith(draftPrefix))
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const file = await stat(join(path, 'file')).catch(() => undefined)
      return { path, taken: file?.size ?? 0 }
    }),
  )
}

/** As if they had been killed long ago. */
export async function ageDrafts(dataDir: string): Promise<void> {
  const then = new Date(Date.now() - 2 * hourMs)
  for (const { path } of await draftsBelow(dataDir)) await utimes(path, then, then)
}
