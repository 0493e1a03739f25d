import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenArrows } from './architecture/broken-arrows.ts'
import { brokenOwnership, tablesWritten } from './architecture/broken-ownership.ts'
import { isServerSource, isTest } from './architecture/file-role.ts'
import { findImports } from './architecture/find-imports.ts'
import { readSources } from './architecture/read-sources.ts'
import { tableOwners } from './architecture/table-owners.ts'

const sources = await readSources()
const product = sources.filter(({ path }) => !isTest(path))

test('every import, package and global keeps to the architecture', () => {
  assert.deepEqual(sources.flatMap(brokenArrows), [])
})

test('every table is written by the feature that owns it', () => {
  assert.deepEqual(
    sources.flatMap((file) => brokenOwnership(file, tableOwners)),
    [],
  )
})

test('the guards see the code they guard', () => {
  const seen = product.flatMap(findImports).length
  assert.ok(product.filter(({ path }) => isServerSource(path)).length > 10, 'the sources of the server are found')
  assert.ok(seen >= product.length, `${product.length} files have at least as many imports, but only ${seen} were seen`)
  assert.ok(product.flatMap(tablesWritten).length > 0, 'writes are found')
})
