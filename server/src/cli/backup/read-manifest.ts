import { text } from 'node:stream/consumers'
import type { ParsedTarEntry } from 'modern-tar'
import { Check } from 'typebox/value'
import { BackupManifest, largestManifest, manifestName } from './backup-format.ts'

/** What is in every database. */
const versionFile = 'pgdata/PG_VERSION'

/** Reads the first entry of a backup. An Error, before its bytes are read, when it is no manifest or too large for one. */
export async function readManifest({ header, body }: ParsedTarEntry): Promise<BackupManifest> {
  if (header.name !== manifestName || header.type !== 'file') throw new Error('it does not begin with a manifest')
  if (header.size > largestManifest) throw new Error(`its manifest has more than ${largestManifest} bytes`)
  const manifest = parseJson(await text(body))
  if (!Check(BackupManifest, manifest) || !isConsistent(manifest)) {
    throw new Error('it has no manifest that this version of Muster reads')
  }
  if (!Object.hasOwn(manifest.files, versionFile)) throw new Error('it holds no database')
  return manifest
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Whether the files with a size are those with a hash. */
function isConsistent({ files, sizes }: BackupManifest): boolean {
  if (!sizes) return true
  const sized = Object.keys(sizes).filter((name) => !name.endsWith('/'))
  return sized.length === Object.keys(files).length && sized.every((name) => Object.hasOwn(files, name))
}
