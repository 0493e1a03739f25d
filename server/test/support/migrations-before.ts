import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'

const productMigrations = new URL('../../src/base/db/migrations/', import.meta.url)

/** A folder with the migrations of before the one of this name. */
export async function migrationsBefore(name: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-migrations-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const files = (await readdir(productMigrations)).toSorted()
  const end = files.findIndex((file) => file.endsWith(`_${name}.sql`))
  assert.ok(end > 0)
  for (const file of files.slice(0, end)) await cp(new URL(file, productMigrations), join(folder, file))
  return pathToFileURL(`${folder}/`)
}
