import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { PackageArchitecture } from '@muster/contract/packages.ts'
import { generate } from 'selfsigned'
import { type PackageSource, packageBuilder } from '../../src/agents/packages/package-builder.ts'
import { ownRuntime, packOwnRuntime } from '../../src/agents/packages/runtimes/own-runtime.ts'

/** The authority and the enrollment secret of the packages that tests build. */
export const caCertificate = (await generate([{ name: 'commonName', value: 'Authority' }])).cert
export const secret = 'a-secret-of-forty-three-characters-as-made1'

/** Of the packages that bring this process's Node. */
export const ownArchitecture: PackageArchitecture = ownRuntime()?.architecture ?? 'any'

/** What a package is built from, the osquery package for Debian unless told. */
export const packageSource = (changed: Partial<PackageSource> = {}): PackageSource => ({
  organizationId: '1',
  id: '1',
  agent: 'osquery',
  platform: 'linux',
  format: 'deb',
  architecture: changed.agent === undefined || changed.agent === 'osquery' ? 'any' : ownArchitecture,
  node_version: null,
  node_sha256: null,
  product_version: '1.2.0',
  build: 1,
  base_url: 'https://trust.example.com',
  ca_certificate: caCertificate,
  enrollment_secret_id: '1',
  built_at: '2026-11-20T10:00:00.000Z',
  ...changed,
})

// The part with Node takes seconds to make, and its name says what it was made of.
const cache = fileURLToPath(new URL('../../../.cache/agent-packages', import.meta.url))

const ownNode = (folder: string) => packOwnRuntime(folder, ownRuntime() ?? assert.fail('no Node of its own'))

/** Builds a package into the folder and answers its path. */
export async function writePackage(folder: string, of: PackageSource, withSecret = secret): Promise<string> {
  const built = await packageBuilder({ open: ownNode, ofMacs: async () => [] }, cache).build(of, withSecret)
  const bytes = await buffer(built.open())
  assert.equal(bytes.length, built.size)
  const path = join(folder, built.fileName)
  await writeFile(path, bytes)
  return path
}

/** The mode of a file, in octal. */
export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

/** Rejects where one of the paths below the root is still there. */
export async function areGone(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await assert.rejects(stat(join(root, path)), { code: 'ENOENT' }, path)
}
